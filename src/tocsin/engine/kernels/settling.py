"""The last step of a kernel: order, equals made one, restriction, points (SPEC §1, §3, §4)."""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import NONE, compare
from tocsin.engine.kernels.waiting import window_start

INTERVALS, POINTS, ARRIVALS = range(3)
"""What becomes of occurrences: nothing, points where they were detected, or, where rows are used on
arrival and detection is no time, points where they end."""


@kernel
def precedes(out, i, j, cells):
    """Whether i comes before j in the order of SPEC §1; both were detected at one moment."""
    if out[2, i] != out[2, j]:
        return out[2, i] < out[2, j]
    if out[1, i] != out[1, j]:
        return out[1, i] < out[1, j]
    return compare(out[4, i], NONE, out[4, j], NONE, cells) < 0


@kernel
def sort_run(out, order, low, high, spare, cells):
    """Sort order[low:high] by the order of SPEC §1: insertion for few, merging for many."""
    width = 8
    for begin in range(low, high, width):
        for i in range(begin + 1, min(begin + width, high)):
            moving, j = order[i], i
            while j > begin and precedes(out, moving, order[j - 1], cells):
                order[j] = order[j - 1]
                j -= 1
            order[j] = moving
    while width < high - low:
        for begin in range(low, high, 2 * width):
            middle, end = min(begin + width, high), min(begin + 2 * width, high)
            i, j = begin, middle
            for place in range(begin, end):
                if j == end or (i < middle and not precedes(out, order[j], order[i], cells)):
                    spare[place] = order[i]
                    i += 1
                else:
                    spare[place] = order[j]
                    j += 1
            for place in range(begin, end):
                order[place] = spare[place]
        width *= 2


@kernel
def restrict_run(out, order, low, high, points):
    """Of those with the same end (in point time: of all), the first with the largest start.

    Moves what is kept to the front of the run, in order, and returns how many those are.
    """
    kept, i = low, low
    while i < high:
        best, j = order[i], i + 1
        while j < high and (points or out[2, order[j]] == out[2, order[i]]):
            if out[1, order[j]] > out[1, best]:
                best = order[j]
            j += 1
        order[kept] = best
        kept += 1
        i = j
    return kept


@kernel
def is_settled(out, used, restricted, points, longest):
    """Whether nothing is to be done: all in order, none too long, and all points if asked."""
    for i in range(used):
        if i and out[3, i] == out[3, i - 1] and out[0, i] == out[0, i - 1]:
            rises = out[2, i - 1] < out[2, i] or (
                out[2, i - 1] == out[2, i] and out[1, i - 1] < out[1, i]
            )
            if restricted or points or not rises:
                return False
        if out[1, i] < window_start(out[2, i], longest):
            return False
        if points and out[1, i] != out[3 if points == POINTS else 2, i]:
            return False
    return True


@kernel
def settle(out, used, cells, restricted, points, longest):
    """Order a kernel's output within each (key, detected), drop what lasts too long, make equals
    one, restrict and make points as asked; returns the table and the number used."""
    if is_settled(out, used, restricted, points, longest):
        return out, used
    order = np.empty(used, np.int64)
    spare = np.empty(used, np.int64)
    kept, low = 0, 0
    while low < used:
        last, high = low, low
        while high < used and out[3, high] == out[3, low] and out[0, high] == out[0, low]:
            if out[1, high] >= window_start(out[2, high], longest):
                order[last] = high
                last += 1
            high += 1
        if last - low > 1:
            sort_run(out, order, low, last, spare, cells)
            if restricted:
                last = restrict_run(out, order, low, last, points == POINTS)
        if points:
            for i in range(low, last):
                if points == POINTS:
                    out[2, order[i]] = out[3, order[i]]
                out[1, order[i]] = out[2, order[i]]
            if last - low > 1:
                sort_run(out, order, low, last, spare, cells)
        for i in range(low, last):
            if i == low or not _same(out, order[i], order[kept - 1], cells):
                order[kept] = order[i]
                kept += 1
        low = high
    settled = np.empty((5, kept), np.int64)
    for column in range(5):
        for i in range(kept):
            settled[column, i] = out[column, order[i]]
    return settled, kept


@kernel
def _same(out, i, j, cells):
    return (
        out[0, i] == out[0, j]
        and out[1, i] == out[1, j]
        and out[2, i] == out[2, j]
        and out[3, i] == out[3, j]
        and compare(out[4, i], NONE, out[4, j], NONE, cells) == 0
    )
