"""Where the states of many keys are kept between calls, so that a call touches only its own keys.

A store holds rows of state by slot, a key's number for life: for each slot a stretch of a common
table. A stretch that outgrows its place moves to the end; when half of the table is waste, it is
written anew.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import KEY, grown


@kernel
def gather(table, place, count, slots):
    """The state of some slots, each under its number in the call."""
    total = 0
    for slot in slots:
        total += count[slot]
    state = np.empty((6, total), np.int64)
    n = 0
    for key in range(slots.size):
        first = place[slots[key]]
        for i in range(first, first + count[slots[key]]):
            state[KEY, n] = key
            for row in range(1, 6):
                state[row, n] = table[row - 1, i]
            n += 1
    return state


@kernel
def scatter(table, used, place, count, room, slots, state):
    """Put the state of some slots back; returns the table, how much is used, and of that, waste."""
    s = waste = 0
    for key in range(slots.size):
        slot, first = slots[key], s
        while s < state.shape[1] and state[KEY, s] == key:
            s += 1
        size = s - first
        if size > room[slot]:
            waste += room[slot]
            place[slot], room[slot] = used, size
            if used + size > table.shape[1]:
                larger = np.empty((5, max(2 * table.shape[1], used + size, 64)), np.int64)
                for row in range(5):
                    for i in range(used):
                        larger[row, i] = table[row, i]
                table = larger
            used += size
        count[slot] = size
        for i in range(size):
            for row in range(1, 6):
                table[row - 1, place[slot] + i] = state[row, first + i]
    return table, used, waste


@kernel
def rewrite(table, place, count, room):
    """The table without waste; moves the places along."""
    total = 0
    for slot in range(count.size):
        total += count[slot]
    fresh = np.empty((5, max(total, 64)), np.int64)
    n = 0
    for slot in range(count.size):
        for i in range(count[slot]):
            for row in range(5):
                fresh[row, n + i] = table[row, place[slot] + i]
        place[slot], room[slot] = n, count[slot]
        n += count[slot]
    return fresh, n


@kernel
def mark(cells, base, seeds, marked):
    """Mark the cells, from the one numbered `base` on, that references reach."""
    stack = np.empty((1, 64), np.int64)
    for seed in seeds:
        stack[0, 0], waiting = seed, 1
        while waiting:
            waiting -= 1
            cell = -2 - stack[0, waiting]
            if cell < base or marked[cell - base]:
                continue
            marked[cell - base] = True
            stack = grown(stack, waiting + 1)
            stack[0, waiting], stack[0, waiting + 1] = cells[0, cell], cells[1, cell]
            waiting += 2


@kernel
def sweep(cells, base, marked):
    """Move the marked cells together, in place; returns how many cells there are now, and for
    each cell from `base` on its new number."""
    moved = np.empty(marked.size, np.int64)
    kept = base
    for i in range(marked.size):
        moved[i] = kept
        if marked[i]:
            for side in range(2):
                cells[side, kept] = followed(cells[side, base + i], base, moved)
            kept += 1
    return kept, moved


@kernel
def followed(ref, base, moved):
    """A reference, after its cell has moved."""
    cell = -2 - ref
    return ref if cell < base else -2 - moved[cell - base]


@kernel
def renumber(refs, base, moved):
    """Let references follow their cells, in place."""
    for i in range(refs.size):
        refs[i] = followed(refs[i], base, moved)
