"""The machine behind `aperiodic*(A, B, C)` and `periodic*(A, τ, C)` (SPEC §3, §5).

State per key: the openers not yet consumed (tag 0) and, for aperiodic*, the bodies that lie after
one of them (tag 1). A closer consumes even where nothing lay between.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.meanings import (
    CHRONICLE,
    CONTINUOUS,
    CUMULATIVE,
    RECENT,
    RESTRICTED,
)
from tocsin.engine.kernels.streams import (
    BEFORE,
    DETECTED,
    END,
    KEY,
    REF,
    START,
    TAG,
    compare,
    joined,
    put,
    reaches,
    since_tick,
)
from tocsin.engine.kernels.waiting import ended_before, enter, keep_all, waiting_list


@kernel
def span_of(bodies, between, period, begin, close, timers):
    """The least start and the largest end of what lies between `begin` and a closer's start.

    Start after end where nothing does. A period of 0 means bodies, else ticks.
    """
    if period:
        last = min(close - 1, timers)
        if not reaches(begin, period, last):
            return 1, 0
        return begin + period, last - since_tick(begin, period, last)
    start, end = 1, 0
    low, high = ended_before(bodies, 0, between, begin), ended_before(bodies, 0, between, close)
    for i in range(low, high):
        if bodies[0, i] > begin:
            if end < start:
                start = bodies[0, i]
            start, end = min(start, bodies[0, i]), bodies[1, i]
    return start, end


@kernel
def latest(bodies, between, close):
    """The largest start and the largest end of those that ended before a closer's start."""
    high = ended_before(bodies, 0, between, close)
    start = end = BEFORE
    for i in range(high - 1, -1, -1):
        if bodies[1, i] < start:
            break  # it and all before it start earlier
        start, end = max(start, bodies[0, i]), max(end, bodies[1, i])
    return start, end


@kernel
def gather(cells, filled, bodies, between, period, begin, close, ref):
    """The reference of all bodies between, joined to `ref`."""
    if period == 0:
        low, high = ended_before(bodies, 0, between, begin), ended_before(bodies, 0, between, close)
        for i in range(low, high):
            if bodies[0, i] > begin:
                cells, filled, ref = joined(cells, filled, bodies[3, i], ref)
    return cells, filled, ref


@kernel
def close_all(meaning, period, call, state, cells, filled, openers, closers, inner, timely):
    """Gather, over all keys of a call. `timely`: openers are detected when they end."""
    out, used = np.empty((5, 16), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    those = waiting_list(state.shape[1] + openers.key.size)
    bodies = waiting_list(state.shape[1] + inner.key.size)
    s = i = j = b = 0
    for key in range(call.upto.size):
        head = size = between = 0
        while s < state.shape[1] and state[KEY, s] == key:
            start, end, detected, ref = (
                state[START, s], state[END, s], state[DETECTED, s], state[REF, s],
            )  # fmt: skip
            if state[TAG, s] == 0:
                size = enter(those, head, size, start, end, detected, ref)
            else:
                between = enter(bodies, 0, between, start, end, detected, ref)
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
            while b < inner.key.size and inner.key[b] == key:
                if more and inner.detected[b] > closers.detected[j]:
                    break
                between = enter(
                    bodies, 0, between,
                    inner.start[b], inner.end[b], inner.detected[b], inner.ref[b],
                )  # fmt: skip
                b += 1
            if more:
                before = head
                high = ended_before(those, head, size, closers.start[j])
                out, used, cells, filled, head = close(
                    out, used, cells, filled, key, meaning, period, those, head, high, bodies,
                    between, closers, j, call.timers[key],
                )  # fmt: skip
                if timely and (head > before or head == size):
                    between = forget(bodies, between, those, head, size)
                j += 1
        if timely:
            between = forget(bodies, between, those, head, size)
        after, kept = keep_all(after, kept, key, 0, those, head, size, BEFORE)
        after, kept = keep_all(after, kept, key, 1, bodies, 0, between, BEFORE)
    return out, used, after[:, :kept].copy(), cells, filled


@kernel
def forget(bodies, between, those, head, size):
    """Let the bodies go that lie after no waiting opener; later openers end later still."""
    if head == size:
        return 0
    kept = 0
    for i in range(between):
        if bodies[0, i] > those[1, head]:
            if kept != i:
                for row in range(4):
                    bodies[row, kept] = bodies[row, i]
            kept += 1
    return kept


@kernel
def close(
    out, used, cells, filled, key, meaning, period, those, head, high, bodies, between, closers, j,
    timers,
):  # fmt: skip
    """What the closer j makes of those[head:high]; returns what has changed."""
    close_start, detected, closing = closers.start[j], closers.detected[j], closers.ref[j]
    if meaning == CUMULATIVE and high > head:
        begin = those[1, head]
        start, end = span_of(bodies, between, period, begin, close_start, timers)
        if start <= end:
            cells, filled, ref = gather(
                cells, filled, bodies, between, period, begin, close_start, closing
            )
            for i in range(head, high):
                cells, filled, ref = joined(cells, filled, those[3, i], ref)
            out, used = put(out, used, key, start, end, detected, ref)
        return out, used, cells, filled, high
    low, top = head, high
    if meaning == RECENT:
        low = max(head, high - 1)
    elif meaning == CHRONICLE:
        top = min(high, head + 1)
    first, begun, chain = used, False, closing
    last_begin, best = BEFORE, BEFORE
    last_start, last_end = latest(bodies, between, close_start)
    if period == 0:  # who ends after the last start has nothing between
        top = min(top, ended_before(those, head, high, last_start))
    for i in range(top - 1, low - 1, -1):
        begin = those[1, i]
        start, end = span_of(bodies, between, period, begin, close_start, timers)
        if start > end:
            continue
        if meaning == RESTRICTED and period == 0 and end == last_end:
            # All before it have the same end, and start no later.
            if start < best:
                break
            best = start
        if not begun or begin != last_begin:
            cells, filled, chain = gather(
                cells, filled, bodies, between, period, begin, close_start, closing
            )
            begun, last_begin = True, begin
        if meaning == RESTRICTED:
            out, used, cells, filled = keep_best(
                out, used, cells, filled, key, first, start, end, detected, those[3, i], chain
            )
        else:
            cells, filled, ref = joined(cells, filled, those[3, i], chain)
            out, used = put(out, used, key, start, end, detected, ref)
    if meaning in (RECENT, CONTINUOUS):
        head = high
    elif meaning == CHRONICLE and high > head:
        head += 1
    return out, used, cells, filled, head


@kernel
def keep_best(out, used, cells, filled, key, first, start, end, detected, ref, chain):
    """Enter an occurrence among those of this closer: per end the largest start, then the first."""
    for n in range(first, used):
        if out[2, n] == end:
            if start > out[1, n] or (
                start == out[1, n] and compare(ref, chain, out[4, n], -1, cells) < 0
            ):
                cells, filled, whole = joined(cells, filled, ref, chain)
                out[1, n], out[4, n] = start, whole
            return out, used, cells, filled
    cells, filled, whole = joined(cells, filled, ref, chain)
    out, used = put(out, used, key, start, end, detected, whole)
    return out, used, cells, filled
