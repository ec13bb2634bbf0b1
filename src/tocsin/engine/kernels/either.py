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
    grown,
    parts_of,
    put,
    put_state,
)


@kernel
def hash_of(ref, cells):
    """A number that is the same for equal parts."""
    number = np.int64(1469598103934665603)
    for part in parts_of(ref, NONE, cells):
        number = (number ^ part) * np.int64(1099511628211)
    return number


@kernel
def let_through(call, state, cells, filled, union):
    """Of the union of both sides, of equal parts the first; without parts, all."""
    out, used = np.empty((5, max(16, union.key.size)), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    seen = np.empty((2, 16), np.int64)
    s = i = 0
    for key in range(call.upto.size):
        size = 0
        while s < state.shape[1] and state[KEY, s] == key:
            seen = grown(seen, size)
            seen[0, size], seen[1, size] = state[START, s], state[REF, s]
            size += 1
            s += 1
        while i < union.key.size and union.key[i] == key:
            ref, known = union.ref[i], False
            if ref != NONE:
                number = hash_of(ref, cells)
                for n in range(size):
                    if seen[0, n] == number and compare(seen[1, n], NONE, ref, NONE, cells) == 0:
                        known = True
                        break
                if not known:
                    seen = grown(seen, size)
                    seen[0, size], seen[1, size] = number, ref
                    size += 1
            if not known:
                out, used = put(
                    out, used, key, union.start[i], union.end[i], union.detected[i], ref
                )
            i += 1
        for n in range(size):
            after, kept = put_state(after, kept, key, 0, seen[0, n], 0, 0, seen[1, n])
    return out, used, after[:, :kept].copy(), cells, filled
