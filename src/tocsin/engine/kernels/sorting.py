"""Sorting rows by key and time: a place for every key, then each key's rows by time."""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel

FEW = 16
"""So many are sorted by insertion."""


@kernel
def order_by_key_and_time(order, times, spare, key, time, keys):
    """Write the rows' numbers, by key and then by time, into `order`; equals keep their order.

    Keys are numbers below `keys`. `times` gets the times in that order; the two lines of `spare`
    are room to work in. Gives back where each key's rows end.
    """
    begins = np.zeros(keys + 1, np.int64)
    for i in range(key.size):
        begins[key[i] + 1] += 1
    for k in range(keys):
        begins[k + 1] += begins[k]
    for i in range(key.size):
        at = begins[key[i]]
        order[at], times[at] = i, time[i]
        begins[key[i]] = at + 1
    low = 0
    for k in range(keys):
        sort_by_time(order, times, spare, low, begins[k])
        low = begins[k]
    return begins[:keys]


@kernel
def sort_by_time(order, times, spare, low, high):
    """Sort a stretch by time: insertion for few, merging for many, nothing if it is in order."""
    in_order = True
    for i in range(low + 1, high):
        in_order &= times[i - 1] <= times[i]
    if in_order:
        return
    for begin in range(low, high, FEW):
        for i in range(begin + 1, min(begin + FEW, high)):
            row, moment, j = order[i], times[i], i
            while j > begin and times[j - 1] > moment:
                order[j], times[j] = order[j - 1], times[j - 1]
                j -= 1
            order[j], times[j] = row, moment
    width = FEW
    while width < high - low:
        for begin in range(low, high, 2 * width):
            merge(
                order, times, spare, begin, min(begin + width, high), min(begin + 2 * width, high)
            )
        width *= 2


@kernel
def merge(order, times, spare, begin, middle, end):
    """Merge two sorted stretches that follow each other."""
    if middle >= end or times[middle - 1] <= times[middle]:
        return
    size = middle - begin
    for i in range(size):
        spare[0, i], spare[1, i] = order[begin + i], times[begin + i]
    i, j, at = 0, middle, begin
    while i < size and j < end:
        # Without branches: which side comes next is a coin toss to the processor.
        later = times[j] < spare[1, i]
        order[at] = order[j] if later else spare[0, i]
        times[at] = times[j] if later else spare[1, i]
        j += later
        i += 1 - later
        at += 1
    while i < size:
        order[at], times[at] = spare[0, i], spare[1, i]
        i += 1
        at += 1
