"""The order in which a detector wants its rows."""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.sorting import order_by_key_and_time
from tocsin.engine.kernels.streams import Integers


def by_key_and_time(key: Integers, time: Integers) -> tuple[Integers, Integers, Integers]:
    """The rows' numbers by key and time, and the keys and times in that order.

    Keys are numbers from 0 on, without large gaps. Equals keep the order they came in.

    >>> [column.tolist() for column in by_key_and_time(np.array([1, 0, 1]), np.array([5, 9, 2]))]
    [[1, 2, 0], [0, 1, 1], [9, 2, 5]]
    """
    # Columns that cannot be written to are another type to the compiler.
    key, time = (np.require(column, np.int64, ["C", "W"]) for column in (key, time))
    order, times, spare = np.empty_like(key), np.empty_like(time), np.empty((2, key.size), np.int64)
    keys = int(key.max(initial=-1)) + 1
    ends = order_by_key_and_time(order, times, spare, key, time, keys)
    return order, np.repeat(np.arange(keys), np.diff(ends, prepend=0)), times
