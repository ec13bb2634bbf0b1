"""The few forms that columns take."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from tocsin.tables.normal import floor_divide, normal


@pytest.mark.parametrize(
    ("array", "type_", "values"),
    [
        (pa.array(["a", None, "a"]).dictionary_encode(), pa.string(), ["a", None, "a"]),
        (pa.array(["a", "b"]).cast(pa.string_view()), pa.string(), ["a", "b"]),
        (pa.array([1.5], pa.float16()), pa.float32(), [1.5]),
        (pa.array([[1, 2]], pa.list_(pa.int64(), 2)), pa.list_(pa.int64()), [[1, 2]]),
        (pa.array([[1]], pa.large_list(pa.int64())), pa.list_(pa.int64()), [[1]]),
        (
            pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["x", "y"])),
            pa.string(),
            ["x", "x", "y"],
        ),
        (pa.array([1], pa.int64()), pa.int64(), [1]),
    ],
)
def test_forms(array: pa.Array, type_: pa.DataType, values: list[Any]) -> None:
    column = normal(pa.chunked_array([array]), "row {}".format)
    assert (column.type, column.to_pylist()) == (type_, values)


@pytest.mark.parametrize(
    ("unit", "count", "microseconds"),
    [
        ("s", -2, -2_000_000),
        ("ms", 3, 3_000),
        ("us", -7, -7),
        ("ns", 1_999, 1),
        ("ns", -1, -1),
        ("ns", -1_000, -1),
        ("ns", -(2**63), -9_223_372_036_854_776),
    ],
)
def test_times_are_whole_microseconds_rounded_down(
    unit: str, count: int, microseconds: int
) -> None:
    for type_, normal_type in (
        (pa.timestamp(unit), pa.timestamp("us")),
        (pa.timestamp(unit, "Asia/Tokyo"), pa.timestamp("us", "UTC")),
        (pa.duration(unit), pa.duration("us")),
    ):
        column = normal(pa.chunked_array([pa.array([count, None], type_)]), "row {}".format)
        assert column.type == normal_type
        assert column.cast(pa.int64()).to_pylist() == [microseconds, None]


def test_nested_times_too() -> None:
    inner = pa.struct([("at", pa.timestamp("ns", "Asia/Tokyo")), ("n", pa.int8())])
    column = normal(pa.chunked_array([pa.array([[{"at": 5_000, "n": 1}]], pa.list_(inner))]), str)
    assert column.type.value_type.field("at").type == pa.timestamp("us", "UTC")


def test_floor_divide() -> None:
    counts = list(range(-5, 6))
    assert floor_divide(pa.chunked_array([counts]), 3).to_pylist() == [c // 3 for c in counts]
