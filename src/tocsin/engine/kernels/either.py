"""`either(X, Y)` (SPEC §3); the same in every semantics.

State per key: what has been let through, for the same events may come again at any time; of each a
reference and, to find it again, a hash of its parts in place of a start.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import (
    KEY,
    NONE,
    REF,
    START,
    compare,
    parts_of,
    put_state,
    write,
)

FIRST_NUMBER = np.int64(1469598103934665603)


@kernel
def mixed(number, part):
    """A hash with one part more."""
    return (number ^ part) * np.int64(1099511628211)


@kernel
def hash_of(ref, cells):
    """A number that is the same for equal parts."""
    number = FIRST_NUMBER
    for part in parts_of(ref, NONE, cells):
        number = mixed(number, part)
    return number


@kernel
def find(table, seen, number, ref, cells):
    """The place in a hash table of those equal to a reference, or the free one it would take."""
    at = number & (table.size - 1)
    while table[at] >= 0:
        n = table[at]
        if seen[0, n] == number and compare(seen[1, n], NONE, ref, NONE, cells) == 0:
            break
        at = (at + 1) & (table.size - 1)
    return at


@kernel
def indexed(seen, size, room):
    """A hash table of the first of those seen, all different, with places for so many."""
    places = 16
    while places < 2 * room:
        places *= 2
    table = np.full(places, -1, np.int64)
    for n in range(size):
        at = seen[0, n] & (places - 1)
        while table[at] >= 0:
            at = (at + 1) & (places - 1)
        table[at] = n
    return table


@kernel
def let_through(call, state, cells, filled, union):
    """Of the union of both sides, of equal parts the first; without parts, all."""
    out, used = np.empty((5, union.key.size + 1), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    seen = np.empty((2, state.shape[1] + union.key.size + 1), np.int64)
    s = i = 0
    for key in range(call.upto.size):
        size, last = 0, i
        while s < state.shape[1] and state[KEY, s] == key:
            seen[0, size], seen[1, size] = state[START, s], state[REF, s]
            size += 1
            s += 1
        while last < union.key.size and union.key[last] == key:
            last += 1
        table = indexed(seen, size, size + last - i)
        while i < last:
            ref, known = union.ref[i], False
            if ref != NONE:
                number = hash_of(ref, cells)
                at = find(table, seen, number, ref, cells)
                known = table[at] >= 0
                if not known:
                    table[at] = size
                    seen[0, size], seen[1, size] = number, ref
                    size += 1
            if not known:
                used = write(out, used, key, union.start[i], union.end[i], union.detected[i], ref)
            i += 1
        for n in range(size):
            after, kept = put_state(after, kept, key, 0, seen[0, n], 0, 0, seen[1, n])
    return out, used, after[:, :kept].copy(), cells, filled
