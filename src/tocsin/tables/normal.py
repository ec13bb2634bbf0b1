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
    if pa.types.is_dictionary(kind):
        return normal(column.cast(kind.value_type), where)
    if pa.types.is_run_end_encoded(kind):
        chunks = [pc.run_end_decode(chunk) for chunk in column.chunks]
        return normal(pa.chunked_array(chunks, kind.value_type), where)
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_date64(kind):
        return column.cast(pa.date32(), safe=False)
    if pa.types.is_timestamp(kind):
        return _scaled(column, where).cast(pa.timestamp("us", kind.tz and "UTC"))
    if pa.types.is_duration(kind):
        return _scaled(column, where).cast(pa.duration("us"))
    return column


def _scaled(column: pa.ChunkedArray, where: Callable[[int], str]) -> pa.ChunkedArray:
    times, per = PER_MICROSECOND[column.type.unit]
    counts = column.cast(pa.int64())
    limit = (2**63 - 1) // times
    beyond = first_true(pc.greater(counts, limit)), first_true(pc.less(counts, -limit))
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
