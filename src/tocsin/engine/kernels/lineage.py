"""From references to parts, for whole streams at once."""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import grown, sort_once, unfold


@kernel
def expand(refs, cells):
    """The parts of every reference, sorted, in one array, and where each one's parts begin."""
    offsets = np.empty(refs.size + 1, np.int64)
    parts = np.empty((1, 2 * refs.size + 16), np.int64)
    stack = np.empty((1, 64), np.int64)
    used = 0
    for i in range(refs.size):
        offsets[i] = used
        stack[0, 0] = refs[i]
        used, waiting = unfold(parts, used, stack, 1, cells)
        while waiting:
            parts, stack = grown(parts, used), grown(stack, waiting)
            used, waiting = unfold(parts, used, stack, waiting, cells)
        used = sort_once(parts, offsets[i], used)
    offsets[refs.size] = used
    return offsets, parts[0, :used]


@kernel
def look_up(found, parts, shift, first, number, start, end, kept):
    """Write for every part its primitive, what the caller calls its row, and the row's times.

    Rows from `first` on are those of the call; earlier ones stand in `kept`, sorted by number.
    """
    for i in range(parts.size):
        row = parts[i] >> shift
        found[0, i] = parts[i] & ((1 << shift) - 1)
        if row >= first:
            found[1, i] = number[row - first]
            found[2, i] = start[row - first]
            found[3, i] = end[row - first]
            continue
        at = np.searchsorted(kept[0], row)
        for line in range(1, 4):
            found[line, i] = kept[line, at]


@kernel
def rows_in(refs, cells, filled, shift):
    """The numbers of the rows that references or cells name, with repetitions."""
    found = np.empty(refs.size + 2 * filled, np.int64)
    used = 0
    for ref in refs:
        if ref >= 0:
            found[used] = ref >> shift
            used += 1
    for i in range(filled):
        for side in range(2):
            if cells[side, i] >= 0:
                found[used] = cells[side, i] >> shift
                used += 1
    return found[:used]


@kernel
def extent(column):
    """The least and the largest of a column that is not empty."""
    least = largest = column[0]
    for value in column:
        least, largest = min(least, value), max(largest, value)
    return least, largest


@kernel
def distinct(key):
    """The distinct keys of a sorted column."""
    present, seen = np.empty((1, 16), np.int64), 0
    i = 0
    while i < key.size:
        present = grown(present, seen)
        present[0, seen] = key[i]
        seen += 1
        while i + 16 < key.size and key[i + 16] == present[0, seen - 1]:
            i += 16
        while i < key.size and key[i] == present[0, seen - 1]:
            i += 1
    return present[0, :seen].copy()


@kernel
def places(key, wanted):
    """For each row of a sorted column the place of its key among the wanted ones, sorted too."""
    place = np.empty(key.size, np.int64)
    at = 0
    for i in range(key.size):
        while wanted[at] < key[i]:
            at += 1
        place[i] = at
    return place
