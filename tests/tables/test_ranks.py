"""The order among equals, and the groups of rows that share a key."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.tables.ranks import codes, groups, has_order, in_order

NAN = float("nan")
NO_KEYS = np.zeros(9, np.int64)


@pytest.mark.parametrize(
    "ascending",
    [
        [None, False, True],
        [None, -5, 0, 7],
        [None, -math.inf, -1.5, 0.0, math.inf, NAN],
        [None, "", "A", "Z", "a", "é", "\U0001f514"],
        [None, b"", b"a", b"\xff"],
        [None, Decimal("-1.50"), Decimal("0.00"), Decimal("3.25")],
        [None, date(1969, 1, 1), date(2026, 1, 1)],
        [None, time(1), time(2)],
        [None, datetime(2025, 1, 1), datetime(2026, 1, 1)],
        [None, datetime(2025, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)],
        [None, timedelta(-1), timedelta(1)],
        [None, [], [None], [1], [1, None], [1, 0], [2]],
        [None, {"a": None, "b": 9}, {"a": 1, "b": None}, {"a": 1, "b": 2}, {"a": 2, "b": 0}],
        [None, [{"x": 1.0}], [{"x": NAN}]],
        [None, None],
    ],
)
def test_codes_are_ordered_as_spark_orders_values(ascending: list[Any]) -> None:
    column = pa.chunked_array([pa.array(ascending)])
    found = codes(column).to_pylist()
    distinct = sorted(set(found))
    assert found[0] == -1
    assert found == (distinct if len(distinct) == len(found) else [-1] * len(found))
    backwards = codes(pa.chunked_array([pa.array(ascending[::-1])])).to_pylist()
    assert backwards == found[::-1]


@given(st.lists(st.one_of(st.none(), st.floats(), st.just(-0.0), st.just(0.0)), max_size=20))
def test_codes_of_floats(values: list[float | None]) -> None:
    def key(value: float | None) -> tuple[float, ...]:
        return (0,) if value is None else (2,) if math.isnan(value) else (1, value)

    found = codes(pa.chunked_array([pa.array(values, pa.float64())])).to_pylist()
    for a, x in zip(values, found, strict=True):
        for b, y in zip(values, found, strict=True):
            assert (key(a) < key(b)) == (x < y)
            assert (key(a) == key(b)) == (x == y)


def test_rows_go_by_end_then_start_then_ties_then_position() -> None:
    starts, ends = np.array([1, 0, 2, 2, 2]), np.array([5, 5, 4, 4, 4])
    ties = [pa.chunked_array([["x", "x", "b", "a", "b"]])]
    assert in_order(NO_KEYS[:5], starts, ends, ties).tolist() == [3, 2, 4, 1, 0]


def test_columns_without_an_order_take_no_part() -> None:
    times = np.array([1, 1])
    maps = pa.chunked_array([pa.array([[("b", 1)], [("a", 1)]], pa.map_(pa.string(), pa.int64()))])
    names = pa.chunked_array([["b", "a"]])
    assert in_order(NO_KEYS[:2], times, times, [maps]).tolist() == [0, 1]
    assert in_order(NO_KEYS[:2], times, times, [maps, names]).tolist() == [1, 0]
    assert not has_order(pa.struct([("m", pa.map_(pa.string(), pa.int64()))]))
    assert not has_order(pa.month_day_nano_interval())


def test_groups_go_by_value() -> None:
    numbers, names = pa.chunked_array([[2, 1, 2, 1]]), pa.chunked_array([["b", "a", "a", "a"]])
    assert groups([numbers, names], 4).tolist() == [2, 0, 1, 0]
    assert groups([pa.chunked_array([[NAN, 0.0, -0.0, NAN]])], 4).tolist() == [1, 0, 0, 1]
    assert groups([pa.chunked_array([[[1], [0], [1]]])], 3).tolist() == [1, 0, 1]
    assert groups([], 2).tolist() == [0, 0]
    assert groups([pa.chunked_array([pa.array([], pa.int64())])], 0).tolist() == []


def test_keys_come_first_and_what_is_sorted_stays() -> None:
    times = np.array([3, 1, 2])
    assert in_order(np.array([0, 1, 1]), times, times, []).tolist() == [0, 1, 2]
    assert in_order(np.array([1, 0, 0]), times, times, []).tolist() == [1, 2, 0]


def test_chunks_make_no_difference() -> None:
    whole = pa.chunked_array([["b", "a", "c"]])
    cut = pa.chunked_array([["b"], [], ["a", "c"]])
    assert codes(whole).equals(codes(cut))
