"""`any(m; E1, …, En)` (SPEC §3-§5).

The operands come as one stream, each occurrence with the place of its operand. State per key: of
each operand (tag = its place) whoever is not consumed and not too old for the window; under
`recent` the recent one. Where initiators prune each other (`total`), that is so at the end of each
moment (SPEC §8).
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
    joined,
    put,
)
from tocsin.engine.kernels.waiting import (
    ended_before,
    enter,
    keep_waiting,
    waiting_list,
    window_start,
)


@kernel
def is_eligible(those, i, x, window):
    """Whether one who waits fits the window together with the arrival x."""
    return min(those[0, i], x[0]) >= window_start(max(those[1, i], x[1]), window)


@kernel
def is_older(lists, p, i, q, j, cells):
    """Whether i of the operand p is older than j of q: end, start, then the order of SPEC §1."""
    for row in (1, 0, 2):
        if lists[p][row, i] != lists[q][row, j]:
            return lists[p][row, i] < lists[q][row, j]
    return compare(lists[p][3, i], NONE, lists[q][3, j], NONE, cells) < 0


@kernel
def choose_operands(lists, heads, sizes, place, needed, x, window, latest, chosen, cells):
    """The m − 1 other operands whose oldest is oldest, or whose recent is the latest.

    Writes (operand, its oldest or recent one) into `chosen`; returns how many operands had any.
    """
    having = 0
    for p in range(len(lists)):
        if p == place:
            continue
        found = -1
        for step in range(sizes[p] - heads[p]):
            i = sizes[p] - 1 - step if latest else heads[p] + step
            if is_eligible(lists[p], i, x, window):
                found = i
                break
        if found < 0:
            continue
        at = having
        while at > 0:
            q, j = chosen[0, at - 1], chosen[1, at - 1]
            if latest:
                better = is_older(lists, q, j, p, found, cells)
            else:
                better = is_older(lists, p, found, q, j, cells)
            if not better:
                break
            chosen[0, at], chosen[1, at] = q, j
            at -= 1
        chosen[0, at], chosen[1, at] = p, found
        having += 1
    return having


@kernel
def combine(
    out, used, cells, filled, key, lists, heads, sizes, place, needed, x, window, floor, allowed,
    in_use,
):  # fmt: skip
    """Every combination of x with one of each of `needed` allowed operands, as far as they fit.

    An odometer: level by level an operand, and one who waits there. `floor` is the least start
    that is worth a look. Marks in `in_use` who was part of a combination.
    """
    operand = np.empty(needed + 1, np.int64)
    element = np.empty(needed + 1, np.int64)
    level = 0
    operand[0], element[0] = 0, heads[0] - 1
    if needed == 0:
        if x[0] >= window_start(x[1], window):
            out, used = put(out, used, key, x[0], x[1], x[2], x[3])
        return out, used, cells, filled
    while level >= 0:
        p = operand[level]
        if p == len(lists):
            level -= 1
            continue
        element[level] += 1
        i = element[level]
        if p == place or not allowed[p] or i >= sizes[p]:
            operand[level] += 1
            if operand[level] < len(lists):
                element[level] = heads[operand[level]] - 1
            continue
        if lists[p][0, i] < floor or not is_eligible(lists[p], i, x, window):
            continue
        if level + 1 < needed:
            level += 1
            operand[level] = p + 1
            if p + 1 < len(lists):
                element[level] = heads[p + 1] - 1
            continue
        start, end = x[0], x[1]
        for n in range(needed):
            start = min(start, lists[operand[n]][0, element[n]])
            end = max(end, lists[operand[n]][1, element[n]])
        if start < window_start(end, window):
            continue
        ref = x[3]
        for n in range(needed):
            in_use[operand[n], element[n]] = True
            cells, filled, ref = joined(cells, filled, lists[operand[n]][3, element[n]], ref)
        out, used = put(out, used, key, start, end, x[2], ref)
    return out, used, cells, filled


@kernel
def best_start(lists, heads, sizes, place, needed, x, chosen):
    """The largest start that a combination with x can have: the (m−1)-th of the largest starts."""
    having = 0
    for p in range(len(lists)):
        if p == place or heads[p] == sizes[p]:
            continue
        largest = BEFORE
        for i in range(sizes[p] - 1, heads[p] - 1, -1):
            if lists[p][1, i] < largest:
                break
            largest = max(largest, lists[p][0, i])
        at = having
        while at > 0 and chosen[0, at - 1] < largest:
            chosen[0, at] = chosen[0, at - 1]
            at -= 1
        chosen[0, at] = largest
        having += 1
    if needed == 0 or having < needed:
        return x[0]
    return min(x[0], chosen[0, needed - 1])


@kernel
def any_of(
    meaning, window, timely, total, count, operands, call, state, cells, filled, those, place_of
):
    """Over all keys of a call."""
    out, used = np.empty((5, 16), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    needed = count - 1
    most = state.shape[1] + those.key.size
    lists = [waiting_list(most) for _ in range(operands)]
    heads, sizes = np.zeros(operands, np.int64), np.zeros(operands, np.int64)
    lows, in_use = np.zeros(operands, np.int64), np.zeros((operands, most + 1), np.bool_)
    chosen = np.empty((2, operands + 1), np.int64)
    allowed = np.ones(operands, np.bool_)
    x = np.empty(4, np.int64)
    s = n = 0
    for key in range(call.upto.size):
        heads[:] = 0
        sizes[:] = 0
        while s < state.shape[1] and state[KEY, s] == key:
            p = state[TAG, s]
            sizes[p] = enter(
                lists[p], 0, sizes[p],
                state[START, s], state[END, s], state[DETECTED, s], state[REF, s],
            )  # fmt: skip
            s += 1
        moment = BEFORE
        while n < those.key.size and those.key[n] == key:
            if total and those.detected[n] > moment:
                heads[:] = np.maximum(heads, sizes - 1)
                moment = those.detected[n]
            place = place_of[n]
            x[0], x[1], x[2], x[3] = those.start[n], those.end[n], those.detected[n], those.ref[n]
            n += 1
            before = used
            if timely:
                for p in range(operands):
                    oldest_start = window_start(x[1], window)
                    while heads[p] < sizes[p] and lists[p][0, heads[p]] < oldest_start:
                        heads[p] += 1
            if meaning in (UNRESTRICTED, RESTRICTED):
                floor = BEFORE
                if meaning == RESTRICTED and timely:
                    floor = best_start(lists, heads, sizes, place, needed, x, chosen)
                for p in range(operands):  # who ended before the floor also started before it
                    lows[p] = ended_before(lists[p], heads[p], sizes[p], floor)
                out, used, cells, filled = combine(
                    out, used, cells, filled, key, lists, lows, sizes, place, needed, x, window,
                    floor, allowed, in_use,
                )  # fmt: skip
            else:
                out, used, cells, filled = in_context(
                    out, used, cells, filled, key, meaning, lists, heads, sizes, place, needed, x,
                    window, chosen, allowed, in_use,
                )  # fmt: skip
            if used == before or meaning <= RECENT:
                sizes[place] = enter(
                    lists[place], heads[place], sizes[place], x[0], x[1], x[2], x[3]
                )
        for p in range(operands):
            oldest_start = window_start(call.upto[key], window) if timely else BEFORE
            after, kept = keep_waiting(
                meaning == RECENT and (timely or total), after, kept, key, p, lists[p], heads[p],
                sizes[p], oldest_start,
            )  # fmt: skip
    return out, used, after[:, :kept].copy(), cells, filled


@kernel
def in_context(
    out, used, cells, filled, key, meaning, lists, heads, sizes, place, needed, x, window, chosen,
    allowed, in_use,
):  # fmt: skip
    """What the contexts choose to go with x; those chosen are consumed, but under `recent`."""
    having = choose_operands(
        lists, heads, sizes, place, needed, x, window, meaning == RECENT, chosen, cells
    )
    if having < needed or x[0] < window_start(x[1], window):
        return out, used, cells, filled
    if meaning == CONTINUOUS:
        allowed[:] = False
        for n in range(needed):
            allowed[chosen[0, n]] = True
        out, used, cells, filled = combine(
            out, used, cells, filled, key, lists, heads, sizes, place, needed, x, window, BEFORE,
            allowed, in_use,
        )  # fmt: skip
    else:
        start, end, ref = x[0], x[1], x[3]
        for n in range(needed):
            p, first, last = chosen[0, n], chosen[1, n], chosen[1, n] + 1
            if meaning == CUMULATIVE:
                last = sizes[p]
            for i in range(first, last):
                if is_eligible(lists[p], i, x, window):
                    in_use[p, i] = True
                    start, end = min(start, lists[p][0, i]), max(end, lists[p][1, i])
                    cells, filled, ref = joined(cells, filled, lists[p][3, i], ref)
        if start < window_start(end, window) and meaning != CUMULATIVE:
            for n in range(needed):
                in_use[chosen[0, n], chosen[1, n]] = False
            return out, used, cells, filled
        out, used = put(out, used, key, start, end, x[2], ref)
    if meaning != RECENT:
        for n in range(needed):
            p = chosen[0, n]
            last = chosen[1, n] + 1 if meaning == CHRONICLE else sizes[p]
            heads[p] = consume(lists[p], heads[p], last, in_use[p])
    return out, used, cells, filled


@kernel
def consume(those, head, last, in_use):
    """Let those in use go, none of which stands at `last` or after it; returns the new head."""
    at = last
    for i in range(last - 1, head - 1, -1):
        if not in_use[i]:
            at -= 1
            for row in range(4):
                those[row, at] = those[row, i]
        in_use[i] = False
    return at
