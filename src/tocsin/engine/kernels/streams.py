"""What kernels read and write: streams of occurrences, rows of state, cells of lineage.

A **stream** holds the occurrences of one node over many keys as five columns, in the order of
(key, detected, end, start, parts) (SPEC §1). A key is its place in the call, 0, 1, 2, …

A **reference** says what an occurrence is made of: a row's number and, in the lowest bits, its
primitive's, `NONE` for nothing, and below that a **cell**, a pair of references. Cells make
lineage a matter of two numbers an occurrence; nobody lists the parts until someone asks, or until
two occurrences are equal in everything else. Rows are numbered in the order among equals, so that
comparing numbers compares parts.

**State** is rows too: (key, tag, start, end, detected, reference), sorted by key; what a tag means
is the kernel's own affair.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tocsin.engine.kernels.compiling import kernel

Integers = NDArray[np.int64]

KEY, TAG, START, END, DETECTED, REF = range(6)
"""The rows of a state array."""

NONE = -1
"""The reference of an occurrence without parts."""

BEFORE = -(2**63)
"""Before every time: no occurrence (SPEC §1)."""


class Stream(NamedTuple):
    """The occurrences of one node, column by column."""

    key: Integers
    start: Integers
    end: Integers
    detected: Integers
    ref: Integers


_NOBODY = np.empty(0, np.int64)
EMPTY = Stream(_NOBODY, _NOBODY, _NOBODY, _NOBODY, _NOBODY)


class Call(NamedTuple):
    """What holds for the keys of one call: since when each is observed, and up to when."""

    began: Integers
    """When observation of the key began; silence is counted from here."""
    opens: Integers
    """The first instant that clocks may show the key."""
    upto: Integers
    """The last instant of this call: everything up to here is in the streams."""
    timers: Integers
    """The last instant that timers may make in this call: `upto`, or `until` if that is less."""


def room(lines: int, columns: int) -> Integers:
    """A table to write into. Large ones are made here, outside of machine code: NumPy asks the
    system for large pages, which takes a fourth of the time that small ones take to be had."""
    return np.empty((lines, max(columns, 16)), np.int64)


def empty_state() -> Integers:
    """The state of a kernel that has seen nothing."""
    return np.empty((6, 0), np.int64)


@kernel
def reaches(moment, span, limit):
    """Whether a moment and a span after it are within a limit, without overflow."""
    return moment <= limit and np.uint64(span) <= np.uint64(limit) - np.uint64(moment)


@kernel
def since_tick(first, period, moment):
    """How long before a moment the last tick was, of those every period from the first on."""
    return np.int64((np.uint64(moment) - np.uint64(first)) % np.uint64(period))


@kernel
def roomy(table, used, more):
    """The table, or a copy with at least twice the room if it has none for some more columns.

    Kernels that are in a hurry make room before a loop and `write` and `join` within it: a table
    that a function hands back is counted by all who hold it, which takes longer than writing.
    """
    if used + more <= table.shape[1]:
        return table
    larger = np.empty((table.shape[0], max(16, 2 * table.shape[1], used + more)), table.dtype)
    for row in range(table.shape[0]):
        for i in range(used):
            larger[row, i] = table[row, i]
    return larger


@kernel
def grown(table, used):
    """The table with room for one more."""
    return roomy(table, used, 1)


@kernel
def write_state(state, used, key, tag, start, end, detected, ref):
    """Append a row to a state that has room; returns the number of rows used."""
    state[KEY, used] = key
    state[TAG, used] = tag
    state[START, used] = start
    state[END, used] = end
    state[DETECTED, used] = detected
    state[REF, used] = ref
    return used + 1


@kernel
def put_state(state, used, key, tag, start, end, detected, ref):
    """Append a row to a state; returns the table and the number of rows used."""
    state = grown(state, used)
    return state, write_state(state, used, key, tag, start, end, detected, ref)


@kernel
def write(out, used, key, start, end, detected, ref):
    """Append an occurrence to an output table that has room; returns the number used."""
    out[0, used] = key
    out[1, used] = start
    out[2, used] = end
    out[3, used] = detected
    out[4, used] = ref
    return used + 1


@kernel
def put(out, used, key, start, end, detected, ref):
    """Append an occurrence to an output table; returns the table and the number used."""
    out = grown(out, used)
    return out, write(out, used, key, start, end, detected, ref)


@kernel
def join(cells, used, left, right):
    """The reference of two together, in cells that have room; the number used, and it."""
    if left == NONE:
        return used, right
    if right in (NONE, left):
        return used, left
    cells[0, used] = left
    cells[1, used] = right
    return used + 1, -2 - used


@kernel
def joined(cells, used, left, right):
    """The reference of two together; returns the cells, the number used, and the reference."""
    cells = grown(cells, used)
    used, ref = join(cells, used, left, right)
    return cells, used, ref


@kernel
def unfold(parts, used, stack, waiting, cells):
    """Take references off a stack and write down the rows they stand for, as far as there is room.

    Returns how many rows there are now, and how many references still wait.
    """
    while waiting and used < parts.shape[1] and waiting < stack.shape[1]:
        waiting -= 1
        ref = stack[0, waiting]
        if ref >= 0:
            parts[0, used] = ref
            used += 1
        elif ref != NONE:  # the left side first: it mostly has the earlier rows
            stack[0, waiting], stack[0, waiting + 1] = cells[1, -2 - ref], cells[0, -2 - ref]
            waiting += 2
    return used, waiting


@kernel
def sort_once(parts, low, high):
    """Sort a stretch of a table's numbers and keep each once; returns where it ends now."""
    in_order = True
    for i in range(low + 1, high):
        in_order &= parts[0, i - 1] < parts[0, i]
    if in_order:
        return high
    gap = (high - low) // 2
    while gap:  # Shell's sort: little machine code
        for i in range(low + gap, high):
            moving, j = parts[0, i], i
            while j >= low + gap and parts[0, j - gap] > moving:
                parts[0, j] = parts[0, j - gap]
                j -= gap
            parts[0, j] = moving
        gap //= 2
    kept = low
    for i in range(low, high):
        if i == low or parts[0, i] != parts[0, kept - 1]:
            parts[0, kept] = parts[0, i]
            kept += 1
    return kept


@kernel
def parts_of(ref, more, cells):
    """The parts of a reference, and of a second one, sorted, each once."""
    parts = np.empty((1, 8), np.int64)
    stack = np.empty((1, 8), np.int64)
    stack[0, 0], stack[0, 1] = ref, more
    used, waiting = 0, 2
    while waiting:
        parts, stack = grown(parts, used), grown(stack, waiting)
        used, waiting = unfold(parts, used, stack, waiting, cells)
    return parts[0, : sort_once(parts, 0, used)]


@kernel
def compare(a, a_more, b, b_more, cells):
    """Which of two has the lesser sorted parts: below 0 the first, above 0 the second (SPEC §1)."""
    if a == b and a_more == b_more:
        return 0
    if a >= 0 and b >= 0 and a_more == NONE and b_more == NONE:
        return -1 if a < b else 1
    left, right = parts_of(a, a_more, cells), parts_of(b, b_more, cells)
    for i in range(min(left.size, right.size)):
        if left[i] != right[i]:
            return -1 if left[i] < right[i] else 1
    return left.size - right.size
