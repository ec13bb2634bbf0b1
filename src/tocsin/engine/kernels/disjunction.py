"""`A | B` (SPEC §3, §4); the same in every context (SPEC §5). Keeps no state."""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import NONE, compare, put


@kernel
def disjoin(restricted, points, call, state, cells, filled, left, right):
    """Merge two streams; what is equal is one, and under `restricted` one is kept per end.

    Among equal starts the right side's is kept, then the first (figure 5.2).
    """
    out, used = np.empty((5, max(16, left.key.size + right.key.size)), np.int64), 0
    held_left = False
    i = j = 0
    while i < left.key.size or j < right.key.size:
        take_left = j == right.key.size or (
            i < left.key.size and goes_first(left, i, right, j, cells)
        )
        side = left if take_left else right
        n = i if take_left else j
        i, j = (i + 1, j) if take_left else (i, j + 1)
        same = (
            used > 0
            and out[0, used - 1] == side.key[n]
            and out[3, used - 1] == side.detected[n]
            and (points or out[2, used - 1] == side.end[n])
        )
        if same and restricted:
            # Of one end they come by start, and at equal starts the left side may come before:
            # a later start replaces, and so does the right side's first.
            if side.start[n] > out[1, used - 1]:
                used -= 1
            elif not take_left and held_left:
                used -= 1
            else:
                continue
        elif (
            same
            and out[1, used - 1] == side.start[n]
            and out[2, used - 1] == side.end[n]
            and compare(out[4, used - 1], NONE, side.ref[n], NONE, cells) == 0
        ):
            continue
        held_left = take_left
        out, used = put(
            out, used, side.key[n], side.start[n], side.end[n], side.detected[n], side.ref[n]
        )
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
