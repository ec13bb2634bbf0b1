"""`periodic(A, τ, C)` (SPEC §3, §5).

State per key: the openers not yet closed (tag 0), each followed by its next tick (tag 1), and,
where openers can be late, the closers (tag 2). An opener is let go when a closer has closed it.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.meanings import CHRONICLE, CUMULATIVE, RECENT
from tocsin.engine.kernels.streams import (
    BEFORE,
    KEY,
    START,
    TAG,
    compare,
    grown,
    joined,
    put,
    put_state,
    reaches,
    since_tick,
)
from tocsin.engine.kernels.waiting import ended_before

NEXT, OPEN = 4, 5
"""Two more rows in the table of openers: the next tick, and up to when it is open."""

LAST = 2**63 - 1
NEVER = BEFORE


@kernel
def open_until(opener_end, closers, size, tick_detected):
    """The last instant at which an opener is open, for ticks detected no earlier than given.

    A closer known when the opener was cuts ticks off from its end on, a later one from its
    detection on: a tick is decided by what is detected no later (SPEC §1, causality).
    """
    low, high = 0, size
    while low < high:  # closers stand by detection; one detected before the opener's end is no use
        middle = (low + high) // 2
        if closers[2, middle] < opener_end:
            low = middle + 1
        else:
            high = middle
    last = LAST
    for i in range(low, size):
        if closers[0, i] >= opener_end:
            if closers[2, i] > tick_detected:
                return min(last, closers[2, i] - 1)
            last = min(last, closers[1, i] - 1)
    return last


@kernel
def later(moment, period):
    """A period after a moment, or never."""
    return moment + period if reaches(moment, period, LAST) else NEVER


@kernel
def is_younger(those, i, j, cells):
    """Whether i is younger than j: larger end, then start, then last in SPEC §1's order."""
    for row in (1, 0, 2):
        if those[row, i] != those[row, j]:
            return those[row, i] > those[row, j]
    return compare(those[3, i], -1, those[3, j], -1, cells) > 0


@kernel
def tick_all(meaning, period, timely, call, state, cells, filled, openers, closers):
    """Tick, over all keys of a call. `timely`: openers are detected when they end."""
    out, used = np.empty((5, 16), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    those = np.empty((6, 16), np.int64)
    closing = np.empty((3, 16), np.int64)
    s = i = j = 0
    for key in range(call.upto.size):
        size = ends = 0
        while s < state.shape[1] and state[KEY, s] == key:
            if state[TAG, s] == 0:
                those = grown(those, size)
                for row in range(4):
                    those[row, size] = state[START + row, s]
                size += 1
            elif state[TAG, s] == 1:
                those[NEXT, size - 1] = state[START, s]
            else:
                closing = grown(closing, ends)
                for row in range(3):
                    closing[row, ends] = state[START + row, s]
                ends += 1
            s += 1
        while i < openers.key.size and openers.key[i] == key:
            those = grown(those, size)
            those[0, size], those[1, size] = openers.start[i], openers.end[i]
            those[2, size], those[3, size] = openers.detected[i], openers.ref[i]
            those[NEXT, size] = later(openers.end[i], period)
            size += 1
            i += 1
        while j < closers.key.size and closers.key[j] == key:
            closing = grown(closing, ends)
            closing[0, ends], closing[1, ends] = closers.start[j], closers.end[j]
            closing[2, ends] = closers.detected[j]
            ends += 1
            j += 1
        for n in range(size):
            those[OPEN, n] = open_until(those[1, n], closing, ends, those[2, n])
        out, used, cells, filled = tick_key(
            out, used, cells, filled, key, meaning, period, timely, those, size, closing, ends,
            call.timers[key],
        )  # fmt: skip
        for n in range(size):
            if timely and those[OPEN, n] < call.upto[key]:
                continue
            after, kept = put_state(
                after, kept, key, 0, those[0, n], those[1, n], those[2, n], those[3, n]
            )
            after, kept = put_state(after, kept, key, 1, those[NEXT, n], 0, 0, -1)
        if not timely:
            for n in range(ends):
                after, kept = put_state(
                    after, kept, key, 2, closing[0, n], closing[1, n], closing[2, n], -1
                )
    return out, used, after[:, :kept].copy(), cells, filled


@kernel
def tick_key(
    out, used, cells, filled, key, meaning, period, timely, those, size, closing, ends, timers
):
    """All ticks of one key, in order of detection."""
    begin = used
    for n in range(size):
        while those[NEXT, n] != NEVER and those[NEXT, n] <= min(timers, those[OPEN, n]):
            tick = those[NEXT, n]
            detected = max(tick, those[2, n])
            ref, counts = those[3, n], True
            if timely and meaning == RECENT:
                counts = n == ended_before(those, 0, size, tick) - 1
            elif meaning in (RECENT, CHRONICLE, CUMULATIVE):
                low = first_open(those, size, tick) if timely else 0
                high = ended_before(those, 0, size, tick) if timely else size
                for m in range(low, high):
                    if m == n or not is_open(those, m, tick, detected, timely, closing, ends):
                        continue
                    if meaning == RECENT:
                        counts = counts and is_younger(those, n, m, cells)
                    else:
                        counts = counts and is_younger(those, m, n, cells)
                        if not counts:
                            break
                        if meaning == CUMULATIVE:
                            cells, filled, ref = joined(cells, filled, those[3, m], ref)
            if counts:
                out, used = put(out, used, key, tick, tick, detected, ref)
            those[NEXT, n] = later(tick, period)
        if those[NEXT, n] != NEVER and those[NEXT, n] <= timers:
            # Closed: jump over the ticks that are not made.
            last = timers - since_tick(those[NEXT, n], period, timers)
            those[NEXT, n] = later(last, period)
    order_by_detection(out, begin, used)
    return out, used, cells, filled


@kernel
def first_open(those, size, tick):
    """The oldest that is open at a tick, where openers stand by age: the younger closes later."""
    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        if those[OPEN, middle] < tick:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def is_open(those, m, tick, detected, timely, closing, ends):
    """Whether an opener is open at another's tick (SPEC §5)."""
    if those[1, m] >= tick or those[2, m] > detected:
        return False
    if timely:
        return tick <= those[OPEN, m]
    return tick <= open_until(those[1, m], closing, ends, detected)


@kernel
def order_by_detection(out, begin, end):
    """Sort out[begin:end] by detection; what is detected at one moment is settled later."""
    gap = (end - begin) // 2
    moving = np.empty(5, np.int64)
    while gap:
        for i in range(begin + gap, end):
            if out[3, i] >= out[3, i - gap]:
                continue
            for row in range(5):
                moving[row] = out[row, i]
            j = i
            while j >= begin + gap and out[3, j - gap] > moving[3]:
                for row in range(5):
                    out[row, j] = out[row, j - gap]
                j -= gap
            for row in range(5):
                out[row, j] = moving[row]
        gap //= 2
