"""`A#i` (SPEC §3); the same in every semantics.

State per key: those of the current i seen so far, joined into one row whose tag is their number.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import (
    DETECTED,
    END,
    KEY,
    NONE,
    REF,
    START,
    TAG,
    joined,
    put,
    put_state,
)


@kernel
def count(index, call, state, cells, filled, a):
    """Every i-th, from the first to the last of each i."""
    out, used = np.empty((5, 16), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    s = i = 0
    for key in range(call.upto.size):
        seen, start, end, detected, ref = 0, 0, 0, 0, NONE
        if s < state.shape[1] and state[KEY, s] == key:
            seen, ref = state[TAG, s], state[REF, s]
            start, end, detected = state[START, s], state[END, s], state[DETECTED, s]
            s += 1
        while i < a.key.size and a.key[i] == key:
            if seen == 0:
                start, end, detected, ref = a.start[i], a.end[i], a.detected[i], NONE
            start, end = min(start, a.start[i]), max(end, a.end[i])
            detected = max(detected, a.detected[i])
            cells, filled, ref = joined(cells, filled, a.ref[i], ref)
            seen += 1
            if seen == index:
                out, used = put(out, used, key, start, end, detected, ref)
                seen = 0
            i += 1
        if seen:
            after, kept = put_state(after, kept, key, seen, start, end, detected, ref)
    return out, used, after[:, :kept].copy(), cells, filled
