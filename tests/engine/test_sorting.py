"""Rows in order: the same as NumPy's sort by several columns, which is stable."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tocsin.engine.sorting import by_key_and_time
from tocsin.tables import ranks


@settings(deadline=None)  # the first case may compile
@given(st.data())
def test_rows_go_by_key_and_time(data: st.DataObject) -> None:
    size = data.draw(st.integers(0, 200))
    keys, times = data.draw(st.sampled_from([(1, 5), (1, 10**6), (4, 3), (300, 50)]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    key, time = rng.integers(0, keys, size), rng.integers(-times, times, size)
    order, keys, moments = by_key_and_time(key, time)
    assert order.tolist() == np.lexsort((time, key)).tolist()
    assert keys.tolist() == key[order].tolist()
    assert moments.tolist() == time[order].tolist()


def test_many_rows_of_one_key_are_merged() -> None:
    time = np.random.default_rng(7).integers(0, 1000, 10_000)
    order = by_key_and_time(np.zeros_like(time), time)[0]
    assert (order == np.argsort(time, kind="stable")).all()


def test_large_tables_are_sorted_as_small_ones_are() -> None:
    rng = np.random.default_rng(5)
    groups, ends = rng.integers(0, 50, ranks.MANY), rng.integers(0, 1000, ranks.MANY)
    starts = ends - rng.integers(0, 3, ranks.MANY)
    expected = np.lexsort((starts, ends, groups))
    found = ranks.sort(groups, starts, ends, [])
    assert (found.order == expected).all()
    for own, column in ((found.groups, groups), (found.starts, starts), (found.ends, ends)):
        assert (own == column[expected]).all()
    fewer = ranks.sort(groups[1:], starts[1:], ends[1:], [])
    assert (fewer.order == expected[expected > 0] - 1).all()
