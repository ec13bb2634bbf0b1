"""Who waits in a kernel: initiators by age, guards as a staircase (SPEC §5).

A waiting list is a table of four rows (start, end, detected, reference), used from `head` to
`size`, sorted by age: end, then start, then the order of SPEC §1.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.meanings import FOREVER
from tocsin.engine.kernels.streams import BEFORE, NONE, compare, put_state


@kernel
def waiting_list(most):
    """A waiting list with nobody in it, with room for so many."""
    return np.empty((4, most + 1), np.int64)


@kernel
def enter(those, head, size, start, end, detected, ref):
    """Let one wait, at its place by age; arrivals come in order of detection, so after equals.

    Returns how far the list is used now.
    """
    i = size
    while i > head and (
        those[1, i - 1] > end or (those[1, i - 1] == end and those[0, i - 1] > start)
    ):
        for row in range(4):
            those[row, i] = those[row, i - 1]
        i -= 1
    those[0, i] = start
    those[1, i] = end
    those[2, i] = detected
    those[3, i] = ref
    return size + 1


@kernel
def leave(those, head, at):
    """Let the one at a place go; returns the new head."""
    for i in range(at, head, -1):
        for row in range(4):
            those[row, i] = those[row, i - 1]
    return head + 1


@kernel
def ended_before(those, head, size, moment):
    """The place of the first that has not ended before a moment."""
    low, high = head, size
    if low < high and those[1, high - 1] < moment:
        return high
    while low < high:
        middle = (low + high) // 2
        if those[1, middle] < moment:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def is_first(those, i, j, cells):
    """Whether i comes before j in the order of SPEC §1."""
    for row in (2, 1, 0):
        if those[row, i] != those[row, j]:
            return those[row, i] < those[row, j]
    return compare(those[3, i], NONE, those[3, j], NONE, cells) < 0


@kernel
def staircase(most):
    """A staircase without guards, with room for so many."""
    return np.empty((2, most + 1), np.int64)


@kernel
def guard(stairs, size, start, end):
    """Add a guard to a staircase of (start, end), both rising: only what can still forbid stays.

    One that starts no later and ends no earlier than another forbids nothing the other does not.
    Returns how many steps there are now.
    """
    i = size
    while i > 0 and stairs[1, i - 1] > end:
        i -= 1
    if i > 0 and stairs[0, i - 1] >= start:
        return size
    while i > 0 and stairs[1, i - 1] == end:
        i -= 1
    stop = i
    while stop < size and stairs[0, stop] <= start:
        stop += 1
    if stop == i:
        for j in range(size, i, -1):
            stairs[0, j], stairs[1, j] = stairs[0, j - 1], stairs[1, j - 1]
        size += 1
    elif stop > i + 1:
        for j in range(stop, size):
            stairs[0, i + 1 + j - stop], stairs[1, i + 1 + j - stop] = stairs[0, j], stairs[1, j]
        size -= stop - i - 1
    stairs[0, i], stairs[1, i] = start, end
    return size


@kernel
def latest_guard(stairs, size, moment):
    """The largest start of a guard that has ended by a moment; before every time if none."""
    if size and stairs[1, size - 1] <= moment:
        return stairs[0, size - 1]
    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        if stairs[1, middle] <= moment:
            low = middle + 1
        else:
            high = middle
    return stairs[0, low - 1] if low else BEFORE


@kernel
def window_start(end, window):
    """The earliest start that fits a window which closes at `end`."""
    return BEFORE if window == FOREVER or end < BEFORE + window else end - window


@kernel
def keep_recent(state, kept, key, tag, those, head, size, oldest_start):
    """Write down the recent one and, for when it leaves the window, its successors, by age.

    The recent one can go out of the window before those that ended earlier but start later.
    """
    first, latest = kept, BEFORE
    for i in range(size - 1, head - 1, -1):
        if those[0, i] >= oldest_start and (kept == first or those[0, i] > latest):
            latest = those[0, i]
            state, kept = put_state(
                state, kept, key, tag, those[0, i], those[1, i], those[2, i], those[3, i]
            )
            if oldest_start == BEFORE:
                break
    for i in range((kept - first) // 2):
        for row in range(6):
            a, b = state[row, first + i], state[row, kept - 1 - i]
            state[row, first + i], state[row, kept - 1 - i] = b, a
    return state, kept


@kernel
def keep_all(state, kept, key, tag, those, head, size, oldest_start):
    """Write down all who wait and are not too old."""
    for i in range(head, size):
        if those[0, i] >= oldest_start:
            state, kept = put_state(
                state, kept, key, tag, those[0, i], those[1, i], those[2, i], those[3, i]
            )
    return state, kept


@kernel
def keep_waiting(recent, state, kept, key, tag, those, head, size, oldest_start):
    """Write down who can still be chosen: the recent ones, or all."""
    if recent:
        return keep_recent(state, kept, key, tag, those, head, size, oldest_start)
    return keep_all(state, kept, key, tag, those, head, size, oldest_start)
