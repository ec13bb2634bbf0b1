"""`A - B` (SPEC §3); the same in every semantics (SPEC §5).

State per key: the guards that can still lie within a later A, as a staircase. Where A is detected
when it ends, that is one start time, the largest (figure 5.2), and none once no A can reach back
that far.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import (
    BEFORE,
    END,
    KEY,
    NONE,
    START,
    put_state,
    write,
    write_state,
)
from tocsin.engine.kernels.waiting import guard, latest_guard, staircase, window_start


@kernel
def negate_timely(longest, call, state, cells, filled, a, b):
    """Let through the A that have no B during them, where A is detected when it ends.

    No A lasts longer than `longest`: guards older than that are let go.
    """
    out, used = np.empty((5, a.key.size + 1), np.int64), 0
    after, kept = np.empty((6, call.upto.size), np.int64), 0
    s = i = j = 0
    for key in range(call.upto.size):
        some, latest = False, BEFORE
        if s < state.shape[1] and state[KEY, s] == key:
            some, latest = True, state[START, s]
            s += 1
        while i < a.key.size and a.key[i] == key:
            while j < b.key.size and b.key[j] == key and b.detected[j] <= a.detected[i]:
                some, latest = True, max(latest, b.start[j])
                j += 1
            if not some or latest < a.start[i]:
                used = write(out, used, key, a.start[i], a.end[i], a.detected[i], a.ref[i])
            i += 1
        while j < b.key.size and b.key[j] == key:
            some, latest = True, max(latest, b.start[j])
            j += 1
        oldest_start = window_start(call.upto[key], longest)
        if some and (latest > oldest_start or oldest_start == BEFORE):
            kept = write_state(after, kept, key, 0, latest, latest, latest, NONE)
    return out, used, after[:, :kept].copy(), cells, filled


@kernel
def negate(call, state, cells, filled, a, b):
    """The same where A may be detected late: a later A may lie anywhere in the past."""
    out, used = np.empty((5, a.key.size + 1), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    stairs = staircase(state.shape[1] + b.key.size)
    s = i = j = 0
    for key in range(call.upto.size):
        steps = 0
        while s < state.shape[1] and state[KEY, s] == key:
            steps = guard(stairs, steps, state[START, s], state[END, s])
            s += 1
        more = True
        while more:
            more = i < a.key.size and a.key[i] == key
            while j < b.key.size and b.key[j] == key:
                if more and b.detected[j] > a.detected[i]:
                    break
                steps = guard(stairs, steps, b.start[j], b.end[j])
                j += 1
            if more:
                if steps == 0 or latest_guard(stairs, steps, a.end[i]) < a.start[i]:
                    used = write(out, used, key, a.start[i], a.end[i], a.detected[i], a.ref[i])
                i += 1
        for step in range(steps):
            after, kept = put_state(
                after, kept, key, 0, stairs[0, step], stairs[1, step], stairs[1, step], NONE
            )
    return out, used, after[:, :kept].copy(), cells, filled
