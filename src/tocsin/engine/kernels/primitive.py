"""Rows to occurrences of primitives, and of a choice between them (SPEC §1, §4). No state."""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.bits import lowest
from tocsin.engine.kernels.compiling import kernel


@kernel
def count_bits(bits):
    """How many rows have each bit."""
    counts = np.zeros(65, np.int64)
    for i in range(bits.size):
        word = bits[i]
        while True:
            counts[lowest(word)] += 1
            word &= word - 1
            if not word:
                break
    return counts[:64]


@kernel
def take_instants(bits, key, time, first, numbers, shift, offset, members, ranks, once):
    """The streams of several choices between primitives in one pass, where no row lasts.

    `members` says for each bit, and for none, the choices it belongs to, as bits; the last choice
    takes what nobody wants. Of one instant, the choices in `once` keep one: of the primitive with
    the highest rank, the first row. Rows are numbered from `first` on, or as `numbers` says.
    Returns three columns, for all times are one, with the streams as stretches of them, and where
    these begin and end.
    """
    begins, steps = np.zeros(ranks.shape[0], np.int64), np.ones(ranks.shape[0], np.int64)
    nobody = begins.size - 1
    steps[nobody] = 0
    counts = count_bits(bits)
    for choice in range(nobody):
        begins[choice + 1] = begins[choice]
        for bit in range(64):
            if (members[bit] >> choice) & 1:
                begins[choice + 1] += counts[bit]
    ends = begins.copy()
    out = np.empty((3, begins[nobody] + 1), np.int64)
    names = (1 << shift) - 1
    seen = np.int64(0)
    for i in range(bits.size):
        if i == 0 or time[i] != time[i - 1] or key[i] != key[i - 1]:
            seen = np.int64(0)
        row = (numbers[i] if numbers.size else first + i) << shift
        word = bits[i]
        # Most rows are one primitive or none, and that in one choice: so one turn of each loop,
        # whatever the row is, and nothing for the processor to guess.
        while True:
            bit = lowest(word)
            chosen = members[bit]
            while True:
                choice = lowest(chosen)
                at = ends[choice]
                if (seen & once) >> choice & 1:
                    if ranks[choice, bit] > ranks[choice, (out[2, at - 1] & names) - offset]:
                        out[2, at - 1] = row | (offset + bit)
                else:
                    out[0, at] = key[i]
                    out[1, at] = time[i]
                    out[2, at] = row | (offset + bit)
                    ends[choice] = at + steps[choice]
                    seen |= np.int64(1) << choice
                chosen &= chosen - 1
                if not chosen:
                    break
            word &= word - 1
            if not word:
                break
    return out, begins, ends


@kernel
def take_intervals(bits, bit, key, start, end, known, first, numbers, shift, primitive, restricted):
    """The rows of a primitive that may last, or be known after they end; under `restricted`, of
    those known at a moment, which have one end, the one with the largest start."""
    n = key.size
    keys, refs = np.empty(n, np.int64), np.empty(n, np.int64)
    starts, ends = np.empty(n, np.int64), np.empty(n, np.int64)
    moments = np.empty(n, np.int64)
    used = 0
    for i in range(n):
        if not (bits[i] >> bit) & 1:
            continue
        at = used
        if restricted and used and keys[used - 1] == key[i] and moments[used - 1] == known[i]:
            if start[i] <= starts[used - 1]:
                continue
            at = used - 1
        keys[at], starts[at], ends[at], moments[at] = key[i], start[i], end[i], known[i]
        row = numbers[i] if numbers.size else first + i
        refs[at] = (row << shift) | primitive
        used = at + 1
    return keys[:used], starts[:used], ends[:used], moments[:used], refs[:used]
