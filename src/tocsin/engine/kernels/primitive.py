"""Rows to occurrences of a primitive (SPEC §1, §4). Keeps no state."""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel


@kernel
def count_rows(bits, primitives):
    """How many rows each primitive of a word of bits has."""
    counts = np.zeros(primitives, np.int64)
    for i in range(bits.size):
        for p in range(primitives):
            counts[p] += (bits[i] >> p) & 1
    return counts


@kernel
def take_instants(out, counts, bits, key, time, first, numbers, shift, word, restricted):
    """The rows of all primitives of a word of bits, where no row lasts: one pass for all.

    Three columns, for all times are one, with the primitives' stretches one after the other;
    returns where each stretch begins and ends. Under `restricted` the first row of an instant
    counts. Rows are numbered from `first` on, or as `numbers` says. Written without branches: every row goes to the next free place of every primitive,
    which only moves on for rows that count.
    """
    begins = np.zeros(counts.size, np.int64)
    for p in range(1, counts.size):
        begins[p] = begins[p - 1] + counts[p - 1]
    ends = begins.copy()
    spare = out.shape[1] - 1
    for i in range(key.size):
        row = numbers[i] if numbers.size else first + i
        for p in range(counts.size):
            counts_ = (bits[i] >> p) & 1
            at = ends[p] if counts_ else spare
            if restricted:
                last = max(at - 1, 0)
                again = (out[1, last] == time[i]) & (out[0, last] == key[i]) & (at > begins[p])
                counts_ &= 1 - again
            out[0, at] = key[i]
            out[1, at] = time[i]
            out[2, at] = (row << shift) | (63 * word + p)
            ends[p] += counts_
    return begins, ends


@kernel
def take_intervals(bits, bit, key, start, end, first, numbers, shift, primitive, restricted):
    """The rows of a primitive that may last; under `restricted` one per end, the largest start."""
    n = key.size
    keys, refs = np.empty(n, np.int64), np.empty(n, np.int64)
    starts, ends = np.empty(n, np.int64), np.empty(n, np.int64)
    used = 0
    for i in range(n):
        if not (bits[i] >> bit) & 1:
            continue
        at = used
        if restricted and used and keys[used - 1] == key[i] and ends[used - 1] == end[i]:
            if start[i] <= starts[used - 1]:
                continue
            at = used - 1
        keys[at], starts[at], ends[at] = key[i], start[i], end[i]
        row = numbers[i] if numbers.size else first + i
        refs[at] = (row << shift) | primitive
        used = at + 1
    return keys[:used], starts[:used], ends[:used], refs[:used]
