"""How keys go forward by pieces when a report lets them start afresh (SPEC §5)."""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel


@kernel
def next_pieces(begin, stop, piece, end, upto):
    """Where each key's next piece stops, at the end of an instant, and up to when it reaches."""
    high, limit = np.empty_like(begin), np.empty_like(begin)
    for n in range(begin.size):
        at = min(begin[n] + piece[n], stop[n])
        while begin[n] < at < stop[n] and end[at] == end[at - 1]:
            at += 1
        high[n] = at
        limit[n] = end[at - 1] if at < stop[n] else upto[n]
    return high, limit


@kernel
def rows_of(begin, high):
    """The rows of all pieces, and for each row which piece it is of."""
    total = 0
    for n in range(begin.size):
        total += high[n] - begin[n]
    rows, piece = np.empty(total, np.int64), np.empty(total, np.int64)
    used = 0
    for n in range(begin.size):
        for row in range(begin[n], high[n]):
            rows[used], piece[used] = row, n
            used += 1
    return rows, piece


@kernel
def first_moments(key, detected, keys):
    """For each key whether it has an occurrence, and when its first one was detected."""
    hit, moment = np.zeros(keys, np.bool_), np.zeros(keys, np.int64)
    for i in range(key.size):
        if not hit[key[i]]:
            hit[key[i]], moment[key[i]] = True, detected[i]
    return hit, moment


@kernel
def skip_past(begin, stop, end, moment):
    """The first row of each key that ends after its moment."""
    after = begin.copy()
    for n in range(begin.size):
        while after[n] < stop[n] and end[after[n]] <= moment[n]:
            after[n] += 1
    return after
