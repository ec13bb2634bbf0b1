"""`A | B` (SPEC §3, §4); the same in every context (SPEC §5). Keeps no state."""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import NONE, compare, write


@kernel
def disjoin(restricted, points, call, state, cells, filled, left, right):
    """Merge two streams; what is equal is one, and under `restricted` one is kept per end.

    Among equal starts the right side's is kept, then the first (figure 5.2).
    """
    out, used = np.empty((5, left.key.size + right.key.size + 1), np.int64), 0
    held_left = False
    i = j = 0
    while i < left.key.size or j < right.key.size:
        take_left = j == right.key.size or (
            i < left.key.size and goes_first(left, i, right, j, cells)
        )
        if take_left:
            key, start, end = left.key[i], left.start[i], left.end[i]
            detected, ref = left.detected[i], left.ref[i]
            i += 1
        else:
            key, start, end = right.key[j], right.start[j], right.end[j]
            detected, ref = right.detected[j], right.ref[j]
            j += 1
        last = used - 1
        same = (
            used > 0
            and out[0, last] == key
            and out[3, last] == detected
            and (points or out[2, last] == end)
        )
        if same and restricted:
            # Of one end they come by start, and at equal starts the left side may come before:
            # a later start replaces, and so does the right side's first.
            if start <= out[1, last] and (take_left or not held_left):
                continue
            used = last
        elif (
            same
            and out[1, last] == start
            and out[2, last] == end
            and compare(out[4, last], NONE, ref, NONE, cells) == 0
        ):
            continue
        held_left = take_left
        used = write(out, used, key, start, end, detected, ref)
    return out, used, state, cells, filled


@kernel
def goes_first(left, i, right, j, cells):
    """Whether the left one comes before the right one in the order of SPEC §1."""
    if left.key[i] != right.key[j]:
        return left.key[i] < right.key[j]
    if left.detected[i] != right.detected[j]:
        return left.detected[i] < right.detected[j]
    if left.end[i] != right.end[j]:
        return left.end[i] < right.end[j]
    if left.start[i] != right.start[j]:
        return left.start[i] < right.start[j]
    return compare(left.ref[i], NONE, right.ref[j], NONE, cells) <= 0
