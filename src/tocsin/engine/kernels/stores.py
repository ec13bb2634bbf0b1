"""Where the states of many keys are kept between calls, so that a call touches only its own keys.

A store holds rows of state by slot, a key's number for life: for each slot a stretch of a common
table. A stretch that outgrows its place moves to the end; when half of the table is waste, it is
written anew. Keys come in any order, so what belongs together stands together: here a row of state
is a row of the table.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import KEY, grown

PLACE, COUNT, ROOM = range(3)
"""What `where` says of a slot: the place of its first row, how many it has, and has room for."""


@kernel
def gather(table, where, slots):
    """The state of some slots, each under its number in the call."""
    total = 0
    for slot in slots:
        total += where[slot, COUNT]
    state = np.empty((6, total), np.int64)
    n = 0
    for key in range(slots.size):
        first, size = where[slots[key], PLACE], where[slots[key], COUNT]
        for i in range(first, first + size):
            state[KEY, n] = key
            for row in range(1, 6):
                state[row, n] = table[i, row - 1]
            n += 1
    return state


@kernel
def scatter(table, used, where, slots, state):
    """Put the state of some slots back; returns the table, how much is used, and of that, waste."""
    s = waste = 0
    before = used
    for key in range(slots.size):
        slot, first = slots[key], s
        while s < state.shape[1] and state[KEY, s] == key:
            s += 1
        where[slot, COUNT] = s - first
        if s - first > where[slot, ROOM]:
            waste += where[slot, ROOM]
            where[slot, PLACE], where[slot, ROOM] = used, s - first
            used += s - first
    if used > table.shape[0]:
        larger = np.empty((max(2 * table.shape[0], used, 64), 5), np.int64)
        larger[:before] = table[:before]
        table = larger
    s = 0
    for key in range(slots.size):
        first, size = where[slots[key], PLACE], where[slots[key], COUNT]
        for i in range(first, first + size):
            for row in range(1, 6):
                table[i, row - 1] = state[row, s]
            s += 1
    return table, used, waste


@kernel
def rewrite(table, where):
    """The table without waste; moves the places along."""
    total = where[:, COUNT].sum()
    fresh = np.empty((max(total, 64), 5), np.int64)
    n = 0
    for slot in range(where.shape[0]):
        first, size = where[slot, PLACE], where[slot, COUNT]
        fresh[n : n + size] = table[first : first + size]
        where[slot, PLACE], where[slot, ROOM] = n, size
        n += size
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
