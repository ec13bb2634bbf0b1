"""`periodic*(A, τ, C)` (SPEC §3, §5).

State per key: the openers not yet consumed. A closer consumes even where no tick lay between.
Under `restricted` nothing is consumed; but where closers are instants, an opener is let go when a
younger one has ticked at the same instants, for its occurrence will start later.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.aperiodic_star import consumed
from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.meanings import CHRONICLE, CUMULATIVE, RECENT, RESTRICTED
from tocsin.engine.kernels.streams import (
    BEFORE,
    DETECTED,
    END,
    KEY,
    REF,
    START,
    joined,
    put,
    reaches,
    since_tick,
)
from tocsin.engine.kernels.waiting import ended_before, enter, keep_all, waiting_list

PHASES = 4096
"""For so many phases of ticking openers are compared; a long period has more, which never meet."""


@kernel
def without_outdone(those, head, high, period, last, begins, stamps, stamp):
    """Let go of openers that tick at the same instants as a younger one, up to `last`; returns the
    new head. `begins` has for each phase the end of the youngest, if it has this stamp."""
    place = high
    for i in range(high - 1, head - 1, -1):
        if reaches(those[1, i], period, last):
            phase = since_tick(those[1, i], period, last)
            if phase < begins.size:
                if stamps[phase] == stamp and those[1, i] < begins[phase]:
                    continue
                stamps[phase], begins[phase] = stamp, those[1, i]
        place -= 1
        for row in range(4):
            those[row, place] = those[row, i]
    return place


@kernel
def close(out, used, cells, filled, key, meaning, period, those, head, high, last, detected, ref):
    """What a closer makes of those[head:high], with ticks up to `last`."""
    low, top = head, high
    if meaning == RECENT:
        low = max(head, high - 1)
    elif meaning in (CHRONICLE, CUMULATIVE):
        top = min(high, head + 1)
    for i in range(low, top):
        begin = those[1, i]
        if not reaches(begin, period, last):
            continue
        cells, filled, whole = joined(cells, filled, those[3, i], ref)
        if meaning == CUMULATIVE:
            for other in range(head + 1, high):
                cells, filled, whole = joined(cells, filled, those[3, other], whole)
        end = last - since_tick(begin, period, last)
        out, used = put(out, used, key, begin + period, end, detected, whole)
    return out, used, cells, filled


@kernel
def close_ticks(meaning, period, prompt, call, state, cells, filled, openers, closers):
    """Over all keys of a call. `prompt`: closers are instants, detected then."""
    out, used = np.empty((5, 16), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    those = waiting_list(state.shape[1] + openers.key.size)
    begins = np.empty(min(period, PHASES), np.int64)
    stamps, stamp = np.zeros(begins.size, np.int64), 0
    s = i = j = 0
    for key in range(call.upto.size):
        head = size = 0
        while s < state.shape[1] and state[KEY, s] == key:
            size = enter(
                those, head, size,
                state[START, s], state[END, s], state[DETECTED, s], state[REF, s],
            )  # fmt: skip
            s += 1
        more = True
        while more:
            more = j < closers.key.size and closers.key[j] == key
            while i < openers.key.size and openers.key[i] == key:
                if more and openers.detected[i] > closers.detected[j]:
                    break
                size = enter(
                    those, head, size,
                    openers.start[i], openers.end[i], openers.detected[i], openers.ref[i],
                )  # fmt: skip
                i += 1
            high, last = size, min(call.upto[key], call.timers[key])
            if more:
                high = ended_before(those, head, size, closers.start[j])
                last = min(closers.start[j] - 1, call.timers[key])
            if meaning == RESTRICTED and prompt:
                stamp += 1
                head = without_outdone(those, head, high, period, last, begins, stamps, stamp)
            if more:
                out, used, cells, filled = close(
                    out, used, cells, filled, key, meaning, period, those, head, high, last,
                    closers.detected[j], closers.ref[j],
                )  # fmt: skip
                head = consumed(meaning, head, high)
                j += 1
        after, kept = keep_all(after, kept, key, 0, those, head, size, BEFORE)
    return out, used, after[:, :kept].copy(), cells, filled
