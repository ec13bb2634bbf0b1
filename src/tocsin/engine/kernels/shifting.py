"""The machine behind `plus(A, τ)` and `delay(A, τ)` (SPEC §3); the same in every semantics.

State per key: the operands whose time has not come yet.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.periodic import order_by_detection
from tocsin.engine.kernels.streams import DETECTED, END, KEY, REF, START, put, put_state, reaches


@kernel
def shift(offset, extend, call, state, cells, filled, a):
    """The instant τ after each a or, to `extend`, from its start to then."""
    out, used = np.empty((5, max(16, a.key.size)), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    s = i = 0
    for key in range(call.upto.size):
        begin = used
        while s < state.shape[1] and state[KEY, s] == key:
            start, end, detected = state[START, s], state[END, s], state[DETECTED, s]
            if reaches(end, offset, call.timers[key]):
                moment = end + offset
                out, used = put(
                    out, used, key, start if extend else moment, moment, max(moment, detected),
                    state[REF, s],
                )  # fmt: skip
            else:
                after, kept = put_state(after, kept, key, 0, start, end, detected, state[REF, s])
            s += 1
        while i < a.key.size and a.key[i] == key:
            if reaches(a.end[i], offset, call.timers[key]):
                moment = a.end[i] + offset
                out, used = put(
                    out, used, key, a.start[i] if extend else moment, moment,
                    max(moment, a.detected[i]), a.ref[i],
                )  # fmt: skip
            else:
                after, kept = put_state(
                    after, kept, key, 0, a.start[i], a.end[i], a.detected[i], a.ref[i]
                )
            i += 1
        order_by_detection(out, begin, used)
    return out, used, after[:, :kept].copy(), cells, filled
