"""`A ; B` under `restricted` where B is an instant: the common case, by figure 5.2 (SPEC §4).

State per key: one row, the A with the largest start so far (`l` of the figure). Everything else
about sequences is in `pairing`.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import (
    BEFORE,
    DETECTED,
    END,
    KEY,
    REF,
    START,
    join,
    roomy,
    write,
    write_state,
)
from tocsin.engine.kernels.waiting import window_start


@kernel
def follow_first(window, call, state, cells, filled, a, b):
    """Pair each instant b with the A of the largest start that ended before it.

    Both are detected when they end, and there is one of each at most at an instant.
    """
    out, used = np.empty((5, b.key.size + 1), np.int64), 0
    cells = roomy(cells, filled, b.key.size)
    after, kept = np.empty((6, call.upto.size), np.int64), 0
    s = i = j = 0
    for key in range(call.upto.size):
        some = False
        start = end = detected = ref = np.int64(0)
        while s < state.shape[1] and state[KEY, s] == key:
            some = True
            start, end, detected, ref = (
                state[START, s], state[END, s], state[DETECTED, s], state[REF, s],
            )  # fmt: skip
            s += 1
        while j < b.key.size and b.key[j] == key:
            now = b.end[j]
            while i < a.key.size and a.key[i] == key and a.end[i] < now:
                if not some or a.start[i] > start:
                    some = True
                    start, end, detected, ref = a.start[i], a.end[i], a.detected[i], a.ref[i]
                i += 1
            if some and start >= window_start(now, window):
                filled, whole = join(cells, filled, ref, b.ref[j])
                used = write(out, used, key, start, now, now, whole)
            j += 1
        while i < a.key.size and a.key[i] == key:
            if not some or a.start[i] > start:
                some = True
                start, end, detected, ref = a.start[i], a.end[i], a.detected[i], a.ref[i]
            i += 1
        oldest_start = window_start(call.upto[key], window)
        if some and start >= oldest_start and (oldest_start == BEFORE or start > oldest_start):
            kept = write_state(after, kept, key, 0, start, end, detected, ref)
    return out, used, after[:, :kept].copy(), cells, filled
