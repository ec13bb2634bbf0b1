"""`aperiodic*(A, B, C)` (SPEC §3, §5).

State per key: the openers not yet consumed (tag 0) and the bodies that lie after one of them
(tag 1). A closer consumes even where nothing lay between. Under `restricted` nothing is consumed;
but where bodies and closers are instants, an opener is let go when a younger one also has a body
after it, for the younger one's occurrence will start later and end with the same body. Where
openers prune each other (`total`), the recent at the end of a moment is the only one left, and the
bodies that do not follow it go (SPEC §8).
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.meanings import CHRONICLE, CUMULATIVE, RECENT, RESTRICTED, UNRESTRICTED
from tocsin.engine.kernels.streams import (
    BEFORE,
    DETECTED,
    END,
    KEY,
    REF,
    START,
    TAG,
    joined,
    put,
)
from tocsin.engine.kernels.waiting import (
    ended_before,
    enter,
    keep_all,
    waiting_list,
    window_start,
)

LAST = 2**63 - 1


@kernel
def enter_by_start(bodies, first, last, start, end, detected, ref):
    """Let a body wait at its place by start; returns how far the list is used now.

    A fifth row of the list has the largest end of a body and of all before it.
    """
    i = last
    while i > first and bodies[0, i - 1] > start:
        for row in range(4):
            bodies[row, i] = bodies[row, i - 1]
        i -= 1
    bodies[0, i], bodies[1, i], bodies[2, i], bodies[3, i] = start, end, detected, ref
    for place in range(i, last + 1):
        end = bodies[1, place]
        bodies[4, place] = max(end, bodies[4, place - 1]) if place > first else end
    return last + 1


@kernel
def started_before(bodies, first, last, moment):
    """The place of the first body that has not started before a moment."""
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if bodies[0, middle] < moment:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def youngest_with_bodies(those, head, size, bodies, first, last):
    """The place of the first of the youngest openers with a body after them: no body lies between
    these openers, so that only the order of SPEC §1 tells which of them is kept."""
    if first == last:
        return head
    youngest = ended_before(those, head, size, bodies[0, last - 1]) - 1
    if youngest < head:
        return head
    between = started_before(bodies, first, last, those[1, youngest] + 1)
    return ended_before(those, head, size, bodies[0, between - 1]) if between > first else head


@kernel
def close(
    out, used, cells, filled, key, meaning, on_arrival, longest, those, head, high, bodies, first,
    last, start, detected, ref,
):  # fmt: skip
    """What a closer makes of those[head:high]. From the youngest opener on, each has the bodies of
    the one before it and perhaps more, which start earlier.

    On arrival the occurrence ends with the closer; how long it lasts is how long its bodies do.
    """
    low, top = head, high
    if meaning == RECENT:
        low = max(head, high - 1)
    elif meaning in (CHRONICLE, CUMULATIVE):
        top = min(high, head + 1)
    between = started_before(bodies, first, last, start)
    begin, end, chain = 1, 0, ref
    kept_begin, kept_end = 1, 0
    for i in range(top - 1, low - 1, -1):
        while between > first and bodies[0, between - 1] > those[1, i]:
            between -= 1
            if bodies[1, between] < start:
                end = max(end, bodies[1, between]) if begin <= end else bodies[1, between]
                begin = bodies[0, between]
                cells, filled, chain = joined(cells, filled, bodies[3, between], chain)
        if begin > end:
            continue
        if meaning == RESTRICTED:
            if kept_begin <= kept_end and end == kept_end and begin < kept_begin:
                if between == first or bodies[4, between - 1] <= end:
                    break  # so it is with all older ones
                continue
            kept_begin, kept_end = begin, end
        if begin < window_start(end, longest):
            break  # so it is with all older ones
        cells, filled, whole = joined(cells, filled, those[3, i], chain)
        if meaning == CUMULATIVE:
            for other in range(head + 1, high):
                cells, filled, whole = joined(cells, filled, those[3, other], whole)
        whole_end = start if on_arrival else end
        out, used = put(out, used, key, begin, whole_end, detected, whole)
    return out, used, cells, filled


@kernel
def consumed(meaning, head, high):
    """The new head after a closer has come that those[head:high] were eligible for."""
    if meaning in (RESTRICTED, UNRESTRICTED):
        return head
    return min(head + 1, high) if meaning == CHRONICLE else high


@kernel
def restored(those, bodies, state, s, key):
    """Let a key's openers and bodies wait again; returns how far each list is used, and s."""
    size = last = 0
    while s < state.shape[1] and state[KEY, s] == key:
        row = (state[START, s], state[END, s], state[DETECTED, s], state[REF, s])
        if state[TAG, s] == 0:
            size = enter(those, 0, size, *row)
        else:
            last = enter_by_start(bodies, 0, last, *row)
        s += 1
    return size, last, s


@kernel
def close_bodies(
    meaning, timely, prompt, total, on_arrival, longest, call, state, cells, filled,
    openers, inner, closers,
):  # fmt: skip
    """Over all keys of a call. `timely`: openers are detected when they end. `prompt`: so they
    are, and bodies and closers are instants, detected then. `total`: openers prune each other."""
    out, used = np.empty((5, 16), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    those = waiting_list(state.shape[1] + openers.key.size)
    bodies = np.empty((5, state.shape[1] + inner.key.size + 1), np.int64)
    s = i = j = b = 0
    for key in range(call.upto.size):
        head = first = 0
        size, last, s = restored(those, bodies, state, s, key)
        more, moment = True, BEFORE
        while more:
            more = j < closers.key.size and closers.key[j] == key
            now = closers.detected[j] if more else LAST
            before = total and now > moment
            while True:  # on a new moment first what was before, so that openers prune each other
                bound = now - 1 if before else now
                while i < openers.key.size and openers.key[i] == key:
                    if openers.detected[i] > bound:
                        break
                    size = enter(
                        those, head, size,
                        openers.start[i], openers.end[i], openers.detected[i], openers.ref[i],
                    )  # fmt: skip
                    i += 1
                while b < inner.key.size and inner.key[b] == key:
                    if inner.detected[b] > bound:
                        break
                    last = enter_by_start(
                        bodies, first, last,
                        inner.start[b], inner.end[b], inner.detected[b], inner.ref[b],
                    )  # fmt: skip
                    b += 1
                if not before:
                    break
                before, moment, head = False, now, max(head, size - 1)
                if head < size:
                    first = started_before(bodies, first, last, those[1, head] + 1)
            known = last
            if more:
                high = ended_before(those, head, size, closers.start[j])
                out, used, cells, filled = close(
                    out, used, cells, filled, key, meaning, on_arrival, longest, those, head,
                    high, bodies, first, last, closers.start[j], closers.detected[j],
                    closers.ref[j],
                )  # fmt: skip
                head = consumed(meaning, head, high)
                known = started_before(bodies, first, last, closers.start[j])
                j += 1
            if meaning == RESTRICTED and prompt:
                head = youngest_with_bodies(those, head, size, bodies, first, known)
            if timely:  # later openers end later still
                while first < last and (head == size or bodies[0, first] <= those[1, head]):
                    first += 1
        after, kept = keep_all(after, kept, key, 0, those, head, size, BEFORE)
        after, kept = keep_all(after, kept, key, 1, bodies, first, last, BEFORE)
    return out, used, after[:, :kept].copy(), cells, filled
