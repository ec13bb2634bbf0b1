"""`absent(A, τ)` (SPEC §3); the same in every semantics.

State per key: since when A has been silent, and whether that silence is reported (tag 1).
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import KEY, NONE, START, TAG, put, put_state, reaches


@kernel
def fall_silent(span, call, state, cells, filled, a):
    """The instant t + τ when no A is detected in (t, t + τ]."""
    out, used = np.empty((5, 16), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    s = i = 0
    for key in range(call.upto.size):
        since, reported = call.began[key], False
        if s < state.shape[1] and state[KEY, s] == key:
            since, reported = state[START, s], state[TAG, s] == 1
            s += 1
        more = True
        while more:
            more = i < a.key.size and a.key[i] == key
            silent = not reported and reaches(since, span, call.timers[key])
            if silent and not (more and a.detected[i] <= since + span):
                moment = since + span
                out, used = put(out, used, key, moment, moment, moment, NONE)
                reported = True
            if more:
                if a.detected[i] > since:
                    since, reported = a.detected[i], False
                i += 1
        after, kept = put_state(after, kept, key, reported, since, since, since, NONE)
    return out, used, after[:, :kept].copy(), cells, filled
