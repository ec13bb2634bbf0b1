"""The few forms that columns take in here: no dictionaries, and timestamps as Spark has them."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.errors import DataError

PER_MICROSECOND = {"s": (1_000_000, 1), "ms": (1_000, 1), "us": (1, 1), "ns": (1, 1_000)}
"""By how much to multiply, and then divide, to come to microseconds."""


def normal(column: pa.ChunkedArray, where: Callable[[int], str]) -> pa.ChunkedArray:
    """The column without dictionaries, its timestamps in whole microseconds, in UTC or naive.

    >>> nanoseconds = pa.chunked_array([pa.array([-1, 1999], pa.timestamp("ns", "Asia/Tokyo"))])
    >>> column = normal(nanoseconds, "row {}".format)
    >>> str(column.type), column.cast("int64").to_pylist()
    ('timestamp[us, tz=UTC]', [-1, 1])
    """
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        chunks = [chunk.storage for chunk in column.chunks]
        return normal(pa.chunked_array(chunks, kind.storage_type), where)
    if pa.types.is_dictionary(kind):
        return normal(column.cast(kind.value_type), where)
    if pa.types.is_run_end_encoded(kind):
        chunks = [pc.run_end_decode(chunk) for chunk in column.chunks]
        return normal(pa.chunked_array(chunks, kind.value_type), where)
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return _scaled(column, where).cast(normal_type(kind))
    return column if normal_type(kind) == kind else column.cast(normal_type(kind), safe=False)


def normal_type(kind: pa.DataType) -> pa.DataType:
    """The type that values of this type get.

    >>> normal_type(pa.list_(pa.timestamp("ns", "Asia/Tokyo")))
    ListType(list<item: timestamp[us, tz=UTC]>)
    """
    for is_such, target in _TARGETS:
        if is_such(kind):
            return target
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz and "UTC")
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(normal_type(field.type)) for field in kind])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(kind.value_field.with_type(normal_type(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(normal_type(kind.key_type), normal_type(kind.item_type))
    return kind


_TARGETS = (
    (pa.types.is_float16, pa.float32()),
    (pa.types.is_date64, pa.date32()),
    (pa.types.is_time, pa.time64("us")),
    (pa.types.is_duration, pa.duration("us")),
    (pa.types.is_string_view, pa.string()),
    (pa.types.is_binary_view, pa.binary()),
)


def _scaled(column: pa.ChunkedArray, where: Callable[[int], str]) -> pa.ChunkedArray:
    times, per = PER_MICROSECOND[column.type.unit]
    counts = column.cast(pa.int64())
    most, least = (2**63 - 1) // times, -(2**63 // times)
    beyond = first_true(pc.greater(counts, most)), first_true(pc.less(counts, least))
    row = min((b for b in beyond if b is not None), default=None)
    if row is not None:
        raise DataError(
            "the time is beyond what 64 bits of microseconds hold",
            where=where(row),
            hint="leave the row out or mend its time",
        )
    return floor_divide(pc.multiply(counts, times), per)


def floor_divide(counts: pa.ChunkedArray, by: int) -> pa.ChunkedArray:
    """Divide and round down, also below zero, where Arrow rounds towards it.

    >>> floor_divide(pa.chunked_array([[-3, 3]]), 2).to_pylist()
    [-2, 1]
    """
    quotient = pc.divide(counts, by)
    below = pc.less(counts, pc.multiply(quotient, by))
    return pc.subtract(quotient, below.cast(pa.int64()))


def first_true(mask: pa.ChunkedArray) -> int | None:
    """The position of the first true value.

    >>> first_true(pa.chunked_array([[False, None], [True]]))
    2
    """
    found = int(pc.index(mask, True).as_py())
    return None if found < 0 else found
