"""The machine behind `A ; B`, `not(B; A, C)` and `aperiodic(A, B, C)` (SPEC §3-§6).

Initiators wait, by age. A decider looks at those that ended before it starts and, with guards, at
those that end after the last guard that lies before it: one stretch of the waiting list. What is
chosen from it, and who leaves, is the semantics' affair.

State per key: the initiators that can still be chosen (tag 0), the guards that can still forbid
(tag 1) and, for the algebra of 2004, the largest start so far (tag 2). An initiator is let go when
it is consumed, when every later decider finds it too old for the window or behind a guard, and
under `restricted` and `recent` when another will always be preferred. Where initiators prune each
other (`total`), the recent of those that wait at the end of a moment alone is left (SPEC §8).
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
    RESTRICTED_2004,
    UNRESTRICTED,
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
    join,
    put_state,
    roomy,
    write,
)
from tocsin.engine.kernels.waiting import (
    ended_before,
    enter,
    guard,
    is_first,
    keep_recent,
    latest_guard,
    leave,
    staircase,
    waiting_list,
    window_start,
)

SEQUENCE, NOT_BETWEEN, APERIODIC = range(3)


@kernel
def best_of(those, low, high, oldest_start, kind, decider, cells):
    """Of a stretch, the place of the one that `restricted` takes: the largest start.

    Of equal starts a sequence takes the first initiator (figure 5.2), the others the first
    composite (SPEC §1). An aperiodic has the decider's interval: there all starts are equal.
    """
    best = -1
    for i in range(high - 1, low - 1, -1):
        if kind != APERIODIC and best >= 0 and those[1, i] < those[0, best]:
            break  # it and all before it start earlier
        if those[0, i] < oldest_start:
            continue
        if best < 0:
            best = i
        elif kind != APERIODIC and those[0, i] != those[0, best]:
            if those[0, i] > those[0, best]:
                best = i
        elif kind == SEQUENCE:
            if is_first(those, i, best, cells):
                best = i
        elif compare(those[3, i], decider, those[3, best], decider, cells) < 0:
            best = i
    return best


@kernel
def drop(those, head, low, high, oldest_start):
    """Let all of a stretch go but those too old to have been chosen; returns the new head."""
    place = high
    for i in range(high - 1, head - 1, -1):
        if i >= low and those[0, i] >= oldest_start:
            continue
        place -= 1
        for row in range(4):
            those[row, place] = those[row, i]
    return place


@kernel
def emit(out, used, cells, filled, key, those, i, kind, start, end, detected, ref):
    """The occurrence of one initiator with a decider, where there is room for it."""
    filled, whole = join(cells, filled, those[3, i], ref)
    start = start if kind == APERIODIC else those[0, i]
    return write(out, used, key, start, end, detected, whole), filled


@kernel
def decide(
    out, used, cells, filled, key, those, head, low, high, oldest_start, kind, meaning,
    start, end, detected, ref,
):  # fmt: skip
    """Let a decider choose from those[low:high] and consume, where there is room for the outcome.

    Returns how many occurrences and cells there are now, and the new head.
    """
    if meaning in (RESTRICTED, RESTRICTED_2004):
        best = best_of(those, low, high, oldest_start, kind, ref, cells)
        if best >= 0:
            used, filled = emit(
                out, used, cells, filled, key, those, best, kind, start, end, detected, ref
            )
        if meaning == RESTRICTED_2004:
            head = high
    elif meaning == RECENT:
        chosen = high - 1
        while chosen >= low and those[0, chosen] < oldest_start:
            chosen -= 1
        if chosen >= low:
            used, filled = emit(
                out, used, cells, filled, key, those, chosen, kind, start, end, detected, ref
            )
        if kind == NOT_BETWEEN:
            head = drop(those, head, head, high, oldest_start)
    elif meaning == CHRONICLE:
        for i in range(low, high):
            if those[0, i] >= oldest_start:
                used, filled = emit(
                    out, used, cells, filled, key, those, i, kind, start, end, detected, ref
                )
                head = leave(those, head, i)
                break
    elif meaning == CUMULATIVE:
        whole, first, some = ref, start, False
        for i in range(low, high):
            if those[0, i] >= oldest_start:
                filled, whole = join(cells, filled, those[3, i], whole)
                first, some = min(first, those[0, i]), True
        if some:
            first = start if kind == APERIODIC else first
            used = write(out, used, key, first, end, detected, whole)
            head = drop(those, head, low, high, oldest_start)
    else:
        before = used
        for i in range(low, high):
            if those[0, i] >= oldest_start:
                used, filled = emit(
                    out, used, cells, filled, key, those, i, kind, start, end, detected, ref
                )
        if meaning == CONTINUOUS and kind != APERIODIC:
            all_went = used - before == high - head
            head = high if all_went else drop(those, head, low, high, oldest_start)
    return used, filled, head


@kernel
def keep(state, kept, key, those, head, size, kind, meaning, prompt, oldest_start, cells):
    """Write down who can still be chosen by a later decider.

    `prompt`: deciders are instants, detected as they happen, so a later one follows all who wait.
    """
    if prompt and meaning == RECENT:
        return keep_recent(state, kept, key, 0, those, head, size, oldest_start)
    if prompt and meaning == RESTRICTED and kind == SEQUENCE:
        best = best_of(those, head, size, oldest_start, SEQUENCE, -1, cells)
        head, size = max(best, 0), best + 1
    highest, first = BEFORE, -1
    for i in range(head, size):
        if those[0, i] < oldest_start:
            continue
        if meaning == RESTRICTED and kind == SEQUENCE:
            # Whoever ended earlier, or was first, and starts no earlier will be preferred.
            if first >= 0 and those[0, i] < highest:
                continue
            if first >= 0 and those[0, i] == highest and is_first(those, first, i, cells):
                continue
            highest, first = those[0, i], i
        state, kept = put_state(
            state, kept, key, 0, those[0, i], those[1, i], those[2, i], those[3, i]
        )
    return state, kept


@kernel
def pair_key(
    out, used, cells, filled, key, kind, meaning, window, prompt, timely, total,
    those, head, size, stairs, steps, top, moment, a, i, x, j, guards, g,
):  # fmt: skip
    """Pair the initiators and deciders of one key, from places i, j and g of the streams on.

    Stops early where there is no room for a decider's outcome. Returns whether it did, and where
    everything stands; so that no table changes hands while this runs.
    """
    several = meaning in (UNRESTRICTED, CONTINUOUS, CUMULATIVE)
    more = True
    while more:
        more = j < x.key.size and x.key[j] == key
        while i < a.key.size and a.key[i] == key:
            if more and a.detected[i] > x.detected[j]:
                break
            if total and a.detected[i] > moment:
                head, moment = max(head, size - 1), a.detected[i]
            if meaning != RESTRICTED_2004 or a.start[i] > top:
                size = enter(those, head, size, a.start[i], a.end[i], a.detected[i], a.ref[i])
                top = max(top, a.start[i])
            i += 1
        while g < guards.key.size and guards.key[g] == key:
            if more and guards.detected[g] > x.detected[j]:
                break
            steps = guard(stairs, steps, guards.start[g], guards.end[g])
            g += 1
        if total and more and x.detected[j] > moment:
            head, moment = max(head, size - 1), x.detected[j]
        if more and head == size:  # nobody waits
            j += 1
        elif more:
            oldest_start = window_start(x.end[j], window)
            if timely:
                while head < size and those[0, head] < oldest_start:
                    head += 1
            low = head
            if steps:
                last = latest_guard(stairs, steps, x.start[j])
                if last > BEFORE:
                    low = ended_before(those, head, size, last + 1)
                if prompt:
                    head = low
            high = ended_before(those, head, size, x.start[j])
            low = min(low, high)
            most = high - low if several else 1
            if used + most > out.shape[1] or filled + most > cells.shape[1]:
                return most, used, filled, head, size, steps, top, moment, i, j, g
            used, filled, head = decide(
                out, used, cells, filled, key, those, head, low, high, oldest_start,
                kind, meaning, x.start[j], x.end[j], x.detected[j], x.ref[j],
            )  # fmt: skip
            if head == size:
                head = size = 0
            j += 1
    return 0, used, filled, head, size, steps, top, moment, i, j, g


@kernel
def pair(
    kind, meaning, window, prompt, timely, late, total, call, state, cells, filled, a, x, guards
):
    """Pair initiators with deciders, over all keys of a call.

    `prompt`: every decider is an instant and detected then. `timely`: every decider is detected
    when it ends, so later deciders end later and what is too old stays too old. `late`: an
    initiator may be detected after it has ended. `total`: initiators prune each other.
    """
    out, used = np.empty((5, x.key.size + 16), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    those = waiting_list(state.shape[1] + a.key.size)
    stairs = staircase(state.shape[1] + guards.key.size)
    s = i = j = g = 0
    for key in range(call.upto.size):
        head = size = steps = 0
        top = moment = BEFORE
        while s < state.shape[1] and state[KEY, s] == key:
            if state[TAG, s] == 0:
                size = enter(
                    those, head, size,
                    state[START, s], state[END, s], state[DETECTED, s], state[REF, s],
                )  # fmt: skip
            elif state[TAG, s] == 1:
                steps = guard(stairs, steps, state[START, s], state[END, s])
            else:
                top = state[START, s]
            s += 1
        short = 1
        while short:
            out, cells = roomy(out, used, short), roomy(cells, filled, short)
            short, used, filled, head, size, steps, top, moment, i, j, g = pair_key(
                out, used, cells, filled, key, kind, meaning, window, prompt, timely, total,
                those, head, size, stairs, steps, top, moment, a, i, x, j, guards, g,
            )  # fmt: skip
        if total:
            head = max(head, size - 1)
        oldest_start = window_start(call.upto[key], window) if timely else BEFORE
        while head < size and those[0, head] < oldest_start:
            head += 1
        if prompt and steps:
            head = ended_before(those, head, size, stairs[0, steps - 1] + 1)
        for step in range(steps - 1 if prompt and steps else 0, steps):
            # Later initiators end after it, unless they are late; and who is too old is not told.
            waits = head < size and stairs[0, step] >= those[1, head]
            if waits or (late and stairs[0, step] >= oldest_start):
                after, kept = put_state(
                    after, kept, key, 1, stairs[0, step], stairs[1, step], stairs[1, step], -1
                )
        after, kept = keep(
            after, kept, key, those, head, size, kind, meaning, prompt, oldest_start, cells
        )
        if meaning == RESTRICTED_2004 and top > BEFORE:
            after, kept = put_state(after, kept, key, 2, top, top, top, -1)
    return out, used, after[:, :kept].copy(), cells, filled
