"""Rows in order: the same as NumPy's sort by several columns, which is stable."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tocsin.engine.sorting import in_order
from tocsin.tables import ranks


@settings(deadline=None)  # the first case may compile
@given(st.data())
def test_rows_go_by_key_time_and_ties(data: st.DataObject) -> None:
    size = data.draw(st.integers(0, 200))
    keys, times = data.draw(st.sampled_from([(1, 5), (1, 10**6), (4, 3), (300, 50)]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    key, time = rng.integers(0, keys, size), rng.integers(-times, times, size)
    first, second = rng.integers(0, 3, (2, size))
    assert in_order(key, time).tolist() == np.lexsort((time, key)).tolist()
    in_full = np.lexsort((second, first, time, key))
    assert in_order(key, time, [first, second]).tolist() == in_full.tolist()


def test_many_rows_of_one_key_are_merged() -> None:
    time = np.random.default_rng(7).integers(0, 1000, 10_000)
    assert (in_order(np.zeros_like(time), time) == np.argsort(time, kind="stable")).all()


def test_large_tables_are_sorted_as_small_ones_are() -> None:
    rng = np.random.default_rng(5)
    groups, ends = rng.integers(0, 50, ranks.MANY), rng.integers(0, 1000, ranks.MANY)
    starts = ends - rng.integers(0, 3, ranks.MANY)
    expected = np.lexsort((starts, ends, groups))
    assert (ranks.in_order(groups, starts, ends, []) == expected).all()
    assert (
        ranks.in_order(groups[1:], starts[1:], ends[1:], []) == expected[expected > 0] - 1
    ).all()
