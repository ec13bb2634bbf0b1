"""`both(X, Y)` (SPEC §3); the same in every semantics.

State per key: everything of both sides (tags 0 and 1), for a partner may come at any time.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import (
    BEFORE,
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
)
from tocsin.engine.kernels.waiting import enter, keep_all, waiting_list


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
def match(out, used, cells, filled, key, others, size, names, start, end, detected, ref):
    """The occurrences of an arrival with all of the other side that agree with it."""
    own = parts_of(ref, NONE, cells)
    for n in range(size):
        if agree(own, parts_of(others[3, n], NONE, cells), names):
            cells, filled, whole = joined(cells, filled, others[3, n], ref)
            out, used = put(
                out, used, key, min(start, others[0, n]), max(end, others[1, n]), detected, whole
            )
    return out, used, cells, filled


@kernel
def join_naturally(names, call, state, cells, filled, left, right):
    """x ⊕ y for all that agree, over all keys of a call."""
    out, used = np.empty((5, 16), np.int64), 0
    after, kept = np.empty((6, 16), np.int64), 0
    most = state.shape[1]
    lefts = waiting_list(most + left.key.size)
    rights = waiting_list(most + right.key.size)
    s = i = j = 0
    for key in range(call.upto.size):
        n = m = 0
        while s < state.shape[1] and state[KEY, s] == key:
            start, end, detected, ref = (
                state[START, s], state[END, s], state[DETECTED, s], state[REF, s],
            )  # fmt: skip
            if state[TAG, s] == 0:
                n = enter(lefts, 0, n, start, end, detected, ref)
            else:
                m = enter(rights, 0, m, start, end, detected, ref)
            s += 1
        while True:
            at_left = i < left.key.size and left.key[i] == key
            at_right = j < right.key.size and right.key[j] == key
            if not (at_left or at_right):
                break
            if at_left and not (at_right and right.detected[j] < left.detected[i]):
                start, end, detected, ref = (
                    left.start[i],
                    left.end[i],
                    left.detected[i],
                    left.ref[i],
                )
                out, used, cells, filled = match(
                    out, used, cells, filled, key, rights, m, names, start, end, detected, ref
                )
                n = enter(lefts, 0, n, start, end, detected, ref)
                i += 1
            else:
                start, end, detected, ref = (
                    right.start[j], right.end[j], right.detected[j], right.ref[j],
                )  # fmt: skip
                out, used, cells, filled = match(
                    out, used, cells, filled, key, lefts, n, names, start, end, detected, ref
                )
                m = enter(rights, 0, m, start, end, detected, ref)
                j += 1
        after, kept = keep_all(after, kept, key, 0, lefts, 0, n, BEFORE)
        after, kept = keep_all(after, kept, key, 1, rights, 0, m, BEFORE)
    return out, used, after[:, :kept].copy(), cells, filled
