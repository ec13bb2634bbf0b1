"""A call's rows, cut into blocks whose streams stay in the processor's cache.

Every kernel is limited by memory, so a plan runs over one block after the other rather than over
all rows at once. A block has whole keys, but for its first and last: those may be cut between two
instants, since any cutting gives the same answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tocsin.engine.kernels.streams import Integers

ROWS = 1 << 17
"""Fewer, and calling kernels takes its time; more, and the cache is too small."""


@dataclass
class Batch:
    """Rows to take in: sorted by key, and for each key in the order among equals (SPEC §1)."""

    key: Integers
    start: Integers
    end: Integers
    """The same array as `start` where no event lasts."""
    bits: Integers
    """Words of 63 bits, a word a line: which primitives of the plan each row is."""
    number: Integers
    """What the caller calls the row; comes back with the parts."""
    arrival: Integers | None = None
    """When the row arrived, for a plan that uses rows on arrival: then those of a key stand in this
    order first. Rows with one number arrive together, and are to have one time."""

    @property
    def known(self) -> Integers:
        """When each row is known: when it ends, or when it arrives."""
        return self.end if self.arrival is None else self.arrival

    def between(self, low: int, high: int) -> Batch:
        """Some of the rows."""
        if high - low == self.key.size:
            return self
        at = slice(low, high)
        end = self.end[at]
        start = end if self.start is self.end else self.start[at]
        arrival = None if self.arrival is None else self.arrival[at]
        return Batch(self.key[at], start, end, self.bits[:, at], self.number[at], arrival)


@dataclass
class Block:
    """Some rows of a call."""

    low: int
    """The place of its first row in the call."""
    rows: Batch
    keys: slice
    """Which of the call's keys these are."""
    upto: Integers
    """For each key, up to when this block decides."""
    share: float
    """How much of the call's rows are done with this block."""


def blocks(batch: Batch, keys: Integers, upto: int, size: int = ROWS) -> Iterator[Block]:
    """Cut a batch into blocks of about a size; `keys` are all keys of the call, sorted.

    >>> time = np.array([1, 2, 2, 5, 1, 4])
    >>> rows = Batch(np.array([3, 3, 3, 3, 7, 7]), time, time, np.ones((1, 6), np.int64), time)
    >>> for block in blocks(rows, np.array([3, 5, 7]), upto=9, size=2):
    ...     print(block.rows.end, block.keys, block.upto)
    [1 2 2] slice(0, 1, None) [2]
    [5 1] slice(0, 3, None) [9 9 1]
    [4] slice(2, 3, None) [9]
    """
    whole, known = np.full(keys.size, upto, np.int64), batch.known
    low = first = 0
    while True:
        high, last, cut = min(low + size, batch.key.size), keys.size, False
        if high < batch.key.size:
            key = batch.key[high - 1]
            stop = int(np.searchsorted(batch.key, key, side="right"))
            high += int(np.searchsorted(known[high:stop], known[high - 1], side="right"))
            cut = high < stop
            if high < batch.key.size:
                last = int(np.searchsorted(keys, key, side="right"))
        reach = whole[first:last]
        if cut:
            reach = reach.copy()
            reach[-1] = known[high - 1]
        share = high / batch.key.size if batch.key.size else 1.0
        yield Block(low, batch.between(low, high), slice(first, last), reach, share)
        if high == batch.key.size:
            return
        low, first = high, last - cut
