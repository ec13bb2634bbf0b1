"""`at(…)` and `every(…)`: instants that a calendar made, for every key (SPEC §2).

State per key: up to when the clock has been read.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import KEY, NONE, START, put, put_state


@kernel
def strike(instants, call, state, cells, filled):
    """The instants that each key has not seen yet, up to where its timers run."""
    out, used = np.empty((5, 16), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    s = 0
    for key in range(call.upto.size):
        after_ = call.opens[key] - 1
        if s < state.shape[1] and state[KEY, s] == key:
            after_ = state[START, s]
            s += 1
        first = np.searchsorted(instants, after_, side="right")
        for i in range(first, instants.size):
            if instants[i] > call.timers[key]:
                break
            out, used = put(out, used, key, instants[i], instants[i], instants[i], NONE)
        read = max(after_, call.timers[key])
        after, kept = put_state(after, kept, key, 0, read, read, read, NONE)
    return out, used, after[:, :kept].copy(), cells, filled
