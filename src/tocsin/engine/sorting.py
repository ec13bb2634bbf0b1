"""The order in which a detector wants its rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tocsin.engine.kernels.sorting import order_by_key_and_time
from tocsin.engine.kernels.streams import Integers


def in_order(key: Integers, time: Integers, ties: Sequence[Integers] = ()) -> Integers:
    """The rows' numbers by key, time and then the ties; equals keep the order they came in.

    Keys are numbers from 0 on, without large gaps.

    >>> in_order(np.array([1, 0, 1, 1]), np.array([5, 9, 2, 5]), [np.array([3, 0, 0, 1])]).tolist()
    [1, 2, 3, 0]
    """
    # Columns that cannot be written to are another type to the compiler.
    key, time = (np.require(column, np.int64, ["C", "W"]) for column in (key, time))
    order, times, spare = np.empty_like(key), np.empty_like(time), np.empty((2, key.size), np.int64)
    order_by_key_and_time(order, times, spare, key, time, int(key.max(initial=-1)) + 1)
    if ties:
        keys = key[order]
        same = (keys[1:] == keys[:-1]) & (times[1:] == times[:-1])
        tied = np.zeros(key.size, np.bool_)
        tied[1:] = same
        tied[:-1] |= same
        rows = np.sort(order[tied])
        columns = [tie[rows] for tie in reversed(ties)]
        order[tied] = rows[np.lexsort([*columns, time[rows], key[rows]])]
    return order
