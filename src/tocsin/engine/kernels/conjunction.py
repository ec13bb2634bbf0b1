"""`A & B` (SPEC §3-§6).

State per key: of each side (tags 0 and 1) those that can still be paired. Under `restricted`, with
operands detected as they end, that is the one with the largest start of each side (figure 5.2);
under `recent` the recent one; else whoever is not consumed and not too old for the window. Where
initiators prune each other (`total`), the recent of each side at the end of a moment (SPEC §8).
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
    UNRESTRICTED,
)
from tocsin.engine.kernels.streams import (
    BEFORE,
    DETECTED,
    END,
    KEY,
    NONE,
    REF,
    START,
    TAG,
    compare,
    join,
    roomy,
    write,
    write_state,
)
from tocsin.engine.kernels.waiting import (
    enter,
    keep_waiting,
    leave,
    waiting_list,
    window_start,
)


@kernel
def conjoin_first(window, call, state, cells, filled, left, right):
    """Under `restricted`, operands timely and one per end: figure 5.2, word for word."""
    most = left.key.size + right.key.size
    out, used = np.empty((5, most + 1), np.int64), 0
    cells = roomy(cells, filled, most)
    after, kept = np.empty((6, 2 * call.upto.size), np.int64), 0
    l, r = np.empty(4, np.int64), np.empty(4, np.int64)  # noqa: E741  # the figure's own names
    s = i = j = 0
    for key in range(call.upto.size):
        l[0] = r[0] = BEFORE
        while s < state.shape[1] and state[KEY, s] == key:
            side = r if state[TAG, s] else l
            for row in range(4):
                side[row] = state[START + row, s]
            s += 1
        while True:
            at_left = i < left.key.size and left.key[i] == key
            at_right = j < right.key.size and right.key[j] == key
            if not (at_left or at_right):
                break
            a = at_left and not (at_right and right.detected[j] < left.detected[i])
            b = at_right and not (at_left and left.detected[i] < right.detected[j])
            if a and (l[0] == BEFORE or l[0] < left.start[i]):
                l[0], l[1], l[2] = left.start[i], left.end[i], left.detected[i]
                l[3] = left.ref[i]
            if b and (r[0] == BEFORE or r[0] < right.start[j]):
                r[0], r[1], r[2] = right.start[j], right.end[j], right.detected[j]
                r[3] = right.ref[j]
            now = left.end[i] if a else right.end[j]
            if l[0] > BEFORE and r[0] > BEFORE:
                if a and not (b and right.start[j] > left.start[i]):
                    start, x, y = min(left.start[i], r[0]), left.ref[i], r[3]
                else:
                    start, x, y = min(l[0], right.start[j]), l[3], right.ref[j]
                if start >= window_start(now, window):
                    filled, ref = join(cells, filled, x, y)
                    used = write(out, used, key, start, now, now, ref)
            i += a
            j += b
        oldest_start = window_start(call.upto[key], window)
        if l[0] > BEFORE and l[0] >= oldest_start:
            kept = write_state(after, kept, key, 0, l[0], l[1], l[2], l[3])
        if r[0] > BEFORE and r[0] >= oldest_start:
            kept = write_state(after, kept, key, 1, r[0], r[1], r[2], r[3])
    return out, used, after[:, :kept].copy(), cells, filled


@kernel
def fits(those, i, start, end, window):
    """Whether one who waits fits a window together with an arrival."""
    return min(those[0, i], start) >= window_start(max(those[1, i], end), window)


@kernel
def prefers(pairs, i, j, cells):
    """Whether the pair i is kept rather than j: the rule of figure 5.2, for operands that are late
    or several at once. The rows of `pairs`: start, end, detected, reference of a, then of b."""
    keys = np.empty((2, 3), np.int64)
    places = np.empty((2, 2), np.int64)
    for n, pair in enumerate((i, j)):
        a_decides = pairs[2, pair] > pairs[6, pair] or (
            pairs[2, pair] == pairs[6, pair] and pairs[0, pair] >= pairs[4, pair]
        )
        decider, other = (0, 4) if a_decides else (4, 0)
        keys[n, 0], keys[n, 1] = -pairs[decider, pair], not a_decides
        keys[n, 2] = -pairs[other, pair]
        places[n, 0], places[n, 1] = other, decider
    for row in range(3):
        if keys[0, row] != keys[1, row]:
            return keys[0, row] < keys[1, row]
    for place in range(2):
        x, y = places[0, place], places[1, place]
        for row in (2, 1, 0):
            if pairs[x + row, i] != pairs[y + row, j]:
                return pairs[x + row, i] < pairs[y + row, j]
        order = compare(pairs[x + 3, i], NONE, pairs[y + 3, j], NONE, cells)
        if order:
            return order < 0
    return False


@kernel
def consider(pairs, best, those, i, start, end, detected, ref, side, cells):
    """Enter a pair among the best of this moment, one per end; returns how many those are."""
    arrived, waited = (4, 0) if side else (0, 4)
    pairs[arrived, best], pairs[arrived + 1, best] = start, end
    pairs[arrived + 2, best], pairs[arrived + 3, best] = detected, ref
    for row in range(4):
        pairs[waited + row, best] = those[row, i]
    whole = max(end, those[1, i])
    for j in range(best):
        if max(pairs[1, j], pairs[5, j]) == whole:
            new, old = min(pairs[0, best], pairs[4, best]), min(pairs[0, j], pairs[4, j])
            if new > old or (new == old and prefers(pairs, best, j, cells)):
                for row in range(8):
                    pairs[row, j] = pairs[row, best]
            return best
    return best + 1


@kernel
def flush(out, used, cells, filled, key, pairs, best):
    """Write out the best pairs of a moment, where there is room; the numbers of both tables."""
    for n in range(best):
        filled, ref = join(cells, filled, pairs[3, n], pairs[7, n])
        start, end = min(pairs[0, n], pairs[4, n]), max(pairs[1, n], pairs[5, n])
        used = write(out, used, key, start, end, max(pairs[2, n], pairs[6, n]), ref)
    return used, filled


@kernel
def choose(out, used, cells, filled, key, meaning, window, those, head, size, arrival):
    """Pair an arrival with those[head:size] as the semantics says, where there is room.

    Returns how many occurrences and cells there are now, and the new head.
    """
    start, end, detected, ref = arrival
    if meaning in (RECENT, CHRONICLE):
        for step in range(size - head):
            n = size - 1 - step if meaning == RECENT else head + step
            if fits(those, n, start, end, window):
                used, filled = emit(out, used, cells, filled, key, those, n, arrival)
                return used, filled, head if meaning == RECENT else leave(those, head, n)
        return used, filled, head
    place, some = size, False
    first, last, whole = start, end, ref
    for n in range(size - 1, head - 1, -1):
        fitting = fits(those, n, start, end, window)
        if fitting and meaning == CUMULATIVE:
            some, first, last = True, min(first, those[0, n]), max(last, those[1, n])
            filled, whole = join(cells, filled, those[3, n], whole)
        elif fitting:
            used, filled = emit(out, used, cells, filled, key, those, n, arrival)
        if meaning == UNRESTRICTED or not fitting:
            place -= 1
            for row in range(4):
                those[row, place] = those[row, n]
    if some:
        used = write(out, used, key, first, last, detected, whole)
    return used, filled, place


@kernel
def emit(out, used, cells, filled, key, those, n, arrival):
    """The occurrence of an arrival with one who waits, where there is room for it."""
    start, end, detected, ref = arrival
    filled, whole = join(cells, filled, those[3, n], ref)
    start, end = min(start, those[0, n]), max(end, those[1, n])
    return write(out, used, key, start, end, detected, whole), filled


@kernel
def arrive(
    out, used, cells, filled, key, meaning, window, timely, own, others, heads, sizes, side,
    pairs, best, arrival,
):  # fmt: skip
    """Let an arrival of a side pair, and wait unless that consumed it, where there is room.

    Returns how many occurrences, cells and best pairs of the moment there are now.
    """
    start, end, detected, ref = arrival
    head, size, before = heads[1 - side], sizes[1 - side], used
    if timely:
        while head < size and others[0, head] < window_start(end, window):
            head += 1
    if meaning == RESTRICTED:
        for n in range(head, size):
            if fits(others, n, start, end, window):
                best = consider(pairs, best, others, n, start, end, detected, ref, side, cells)
    else:
        used, filled, head = choose(
            out, used, cells, filled, key, meaning, window, others, head, size, arrival
        )
    heads[1 - side] = head
    if used == before or meaning < CHRONICLE:
        sizes[side] = enter(own, heads[side], sizes[side], start, end, detected, ref)
    return used, filled, best


@kernel
def conjoin(meaning, window, timely, total, call, state, cells, filled, left, right):
    """Under every semantics, whatever the operands are."""
    out, used = np.empty((5, left.key.size + right.key.size + 16), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    most = state.shape[1] + left.key.size + right.key.size
    lefts, rights = waiting_list(most), waiting_list(most)
    pairs = np.empty((8, most + 1 if meaning == RESTRICTED else 1), np.int64)
    heads, sizes = np.zeros(2, np.int64), np.zeros(2, np.int64)
    several = meaning in (RESTRICTED, UNRESTRICTED, CONTINUOUS, CUMULATIVE)
    s = i = j = 0
    for key in range(call.upto.size):
        heads[:] = 0
        sizes[:] = 0
        while s < state.shape[1] and state[KEY, s] == key:
            row = (state[START, s], state[END, s], state[DETECTED, s], state[REF, s])
            if state[TAG, s] == 0:
                sizes[0] = enter(lefts, 0, sizes[0], *row)
            else:
                sizes[1] = enter(rights, 0, sizes[1], *row)
            s += 1
        best, moment = 0, BEFORE
        while True:
            at_left = i < left.key.size and left.key[i] == key
            at_right = j < right.key.size and right.key[j] == key
            more = max(best, sizes[0] - heads[0], sizes[1] - heads[1]) if several else 1
            if used + more > out.shape[1]:
                out = roomy(out, used, more)
            if filled + more > cells.shape[1]:
                cells = roomy(cells, filled, more)
            if not (at_left or at_right):
                break
            side = 0 if at_left and not (at_right and right.detected[j] < left.detected[i]) else 1
            detected = right.detected[j] if side else left.detected[i]
            if detected != moment:
                used, filled = flush(out, used, cells, filled, key, pairs, best)
                best, moment = 0, detected
                if total:
                    heads[:] = np.maximum(heads, sizes - 1)
            if side == 0:
                used, filled, best = arrive(
                    out, used, cells, filled, key, meaning, window, timely, lefts, rights, heads,
                    sizes, 0, pairs, best, (left.start[i], left.end[i], detected, left.ref[i]),
                )  # fmt: skip
                i += 1
            else:
                used, filled, best = arrive(
                    out, used, cells, filled, key, meaning, window, timely, rights, lefts, heads,
                    sizes, 1, pairs, best, (right.start[j], right.end[j], detected, right.ref[j]),
                )  # fmt: skip
                j += 1
        used, filled = flush(out, used, cells, filled, key, pairs, best)
        oldest_start = window_start(call.upto[key], window) if timely else BEFORE
        recent = meaning == RECENT and (timely or total)
        for side, those in enumerate((lefts, rights)):
            after, kept = keep_waiting(
                recent, after, kept, key, side, those, heads[side], sizes[side], oldest_start
            )
    return out, used, after[:, :kept].copy(), cells, filled
