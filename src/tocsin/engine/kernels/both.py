"""`both(X, Y)` (SPEC §3); the same in every semantics.

State per key: everything of both sides (tags 0 and 1), for a partner may come at any time. Whoever
agrees has the same rows of the primitives that both have, so partners are looked up by a hash of
those.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.either import FIRST_NUMBER, mixed
from tocsin.engine.kernels.streams import (
    DETECTED,
    END,
    KEY,
    NONE,
    REF,
    START,
    TAG,
    joined,
    parts_of,
    put,
    put_state,
)

NAMES, NUMBER, NEXT = 4, 5, 6
"""Three more rows of a side's table: which shared primitives one has, the hash of their rows, and
the one before it with the same place in the hash table."""


@kernel
def agree(x, y, names):
    """Whether every primitive that is in both has the same rows in both.

    `names` masks what of a part's number names the primitive.
    """
    for one, other in ((x, y), (y, x)):
        for i in range(one.size):
            shared = same = False
            for j in range(other.size):
                shared = shared or (one[i] & names) == (other[j] & names)
                same = same or one[i] == other[j]
            if shared and not same:
                return False
    return True


@kernel
def enter(side, size, heads, start, end, detected, ref, names, shared, cells):
    """Append one to a side, and to its hash table; returns the number there are now."""
    has, number = np.int64(0), FIRST_NUMBER
    for part in parts_of(ref, NONE, cells):
        if (shared >> (part & names)) & 1:
            has |= np.int64(1) << (part & names)
            number = mixed(number, part)
    at = number & (heads.size - 1)
    side[0, size], side[1, size], side[2, size], side[3, size] = start, end, detected, ref
    side[NAMES, size], side[NUMBER, size], side[NEXT, size] = has, number, heads[at]
    heads[at] = size
    return size + 1


@kernel
def match(out, used, cells, filled, key, own, n, others, size, heads, alike, names):
    """The occurrences of the one at a place of its own side with all others that agree with it.

    Where all are `alike`, having the same of the shared primitives, only one chain is walked.
    """
    parts = parts_of(own[3, n], NONE, cells)
    m = heads[own[NUMBER, n] & (heads.size - 1)] if alike else size - 1
    while m >= 0:
        possible = not alike or others[NUMBER, m] == own[NUMBER, n]
        if possible and agree(parts, parts_of(others[3, m], NONE, cells), names):
            cells, filled, whole = joined(cells, filled, others[3, m], own[3, n])
            start, end = min(own[0, n], others[0, m]), max(own[1, n], others[1, m])
            out, used = put(out, used, key, start, end, own[2, n], whole)
        m = others[NEXT, m] if alike else m - 1
    return out, used, cells, filled


@kernel
def chains(rows):
    """An empty hash table for so many rows."""
    places = 16
    while places < 2 * rows:
        places *= 2
    return np.full(places, -1, np.int64)


@kernel
def rows_of_key(column, first, key):
    """How many rows of a column have the key, from the first on."""
    last = first
    while last < column.size and column[last] == key:
        last += 1
    return last - first


@kernel
def join_naturally(names, shared, call, state, cells, filled, left, right):
    """x ⊕ y for all that agree, over all keys of a call.

    `shared` has the bits of the primitives that both operands can have, if they fit in one integer.
    """
    out, used = np.empty((5, 16), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    most = state.shape[1] + max(left.key.size, right.key.size)
    lefts, rights = np.empty((7, most), np.int64), np.empty((7, most), np.int64)
    s = i = j = 0
    for key in range(call.upto.size):
        n = m = 0
        rows = rows_of_key(state[KEY], s, key)
        left_heads = chains(rows + rows_of_key(left.key, i, key))
        right_heads = chains(rows + rows_of_key(right.key, j, key))
        while s < state.shape[1] and state[KEY, s] == key:
            row = (state[START, s], state[END, s], state[DETECTED, s], state[REF, s])
            if state[TAG, s] == 0:
                n = enter(lefts, n, left_heads, *row, names, shared, cells)
            else:
                m = enter(rights, m, right_heads, *row, names, shared, cells)
            s += 1
        alike = are_alike(lefts, n, rights, m)
        while True:
            at_left = i < left.key.size and left.key[i] == key
            at_right = j < right.key.size and right.key[j] == key
            if not (at_left or at_right):
                break
            if at_left and not (at_right and right.detected[j] < left.detected[i]):
                row = (left.start[i], left.end[i], left.detected[i], left.ref[i])
                n = enter(lefts, n, left_heads, *row, names, shared, cells)
                alike = alike and has_same(lefts, n - 1, lefts, n, rights, m)
                out, used, cells, filled = match(
                    out, used, cells, filled, key, lefts, n - 1, rights, m, right_heads, alike,
                    names,
                )  # fmt: skip
                i += 1
            else:
                row = (right.start[j], right.end[j], right.detected[j], right.ref[j])
                m = enter(rights, m, right_heads, *row, names, shared, cells)
                alike = alike and has_same(rights, m - 1, lefts, n, rights, m)
                out, used, cells, filled = match(
                    out, used, cells, filled, key, rights, m - 1, lefts, n, left_heads, alike,
                    names,
                )  # fmt: skip
                j += 1
        after, kept = keep(after, kept, key, 0, lefts, n)
        after, kept = keep(after, kept, key, 1, rights, m)
    return out, used, after[:, :kept].copy(), cells, filled


@kernel
def has_same(side, place, lefts, n, rights, m):
    """Whether one has the same of the shared primitives as the first of each side."""
    has = side[NAMES, place]
    return has == (lefts[NAMES, 0] if n else has) and has == (rights[NAMES, 0] if m else has)


@kernel
def are_alike(lefts, n, rights, m):
    """Whether all of both sides have the same of the shared primitives."""
    for place in range(n):
        if not has_same(lefts, place, lefts, n, rights, m):
            return False
    for place in range(m):
        if not has_same(rights, place, lefts, n, rights, m):
            return False
    return True


@kernel
def keep(state, kept, key, tag, side, size):
    """Write down everybody of a side."""
    for n in range(size):
        state, kept = put_state(
            state, kept, key, tag, side[0, n], side[1, n], side[2, n], side[3, n]
        )
    return state, kept
