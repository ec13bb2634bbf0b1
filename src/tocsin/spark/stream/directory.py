"""Which chunk of a pattern's state has which keys: each has a range of hashes.

A chunk that grows large is split in two, so that a visit reads and writes little more than the
keys it is about. A chunk without keys is no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, field
from typing import Any

import numpy as np

from tocsin.engine.due import NEVER
from tocsin.spark.stream.chunks import Chunk
from tocsin.spark.stream.memory import Name, Store
from tocsin.tables.ranks import Integers

LARGE = 1 << 20
"""A chunk of more bytes, before they are compressed, is split."""

LEAST = -(2**15)
"""The least hash."""


@dataclass
class Entry:
    """One chunk."""

    low: int
    """Its keys have this hash or a larger one, up to the next chunk's."""
    number: int
    pieces: int = 0
    """0: nothing is kept of it."""
    bytes: int = 0
    keys: int = 0
    due: int = NEVER
    """When it has to be looked at though no rows come."""


@dataclass
class Directory:
    """The chunks of one pattern."""

    since: int
    """The era from which on the pattern has been looked for."""
    after: int | None
    """Up to when all had been decided by then."""
    entries: list[Entry] = field(default_factory=lambda: [Entry(LEAST, 0)])
    next: int = 1
    turn: int = 0
    """Which chunk is looked at next, though no row asks for it."""

    @classmethod
    def load(cls, facts: list[Any]) -> Directory:
        """What `facts` gave."""
        since, after, entries, following, turn = facts
        return cls(since, after, [Entry(*values) for values in entries], following, turn)

    def facts(self) -> list[Any]:
        """Everything to be kept, apart from the chunks."""
        entries = [astuple(entry) for entry in self.entries]
        return [self.since, self.after, entries, self.next, self.turn]

    @property
    def bytes(self) -> int:
        """How much is kept."""
        return sum(entry.bytes for entry in self.entries)

    @property
    def keys(self) -> int:
        """How many keys have state."""
        return sum(entry.keys for entry in self.entries)

    def began(self, first: int | None) -> int | None:
        """Since when the pattern has been observed: the first time, or when it was added."""
        return first if self.after is None else self.after

    def name(self, label: str, entry: Entry) -> Name:
        """What a chunk is kept as."""
        return Name("chunk", label, entry.number)

    def visited(self, hashes: Integers, upto: int) -> Iterator[tuple[Entry, Integers]]:
        """The chunks to look at, each with the places of its rows, given the rows' hashes.

        Those without rows are looked at if a timer is due, and one more in turn, so that what has
        become too old leaves.
        """
        lows = np.array([entry.low for entry in self.entries])
        whose = np.searchsorted(lows, hashes, side="right") - 1
        whose = whose.astype(np.uint16)  # such are counted rather than compared
        order = np.argsort(whose, kind="stable")
        stops = np.searchsorted(whose[order], np.arange(lows.size + 1))
        self.turn = (self.turn + 1) % lows.size
        for place, entry in enumerate(list(self.entries)):
            some = order[stops[place] : stops[place + 1]]
            if some.size or (entry.pieces and (entry.due <= upto or place == self.turn)):
                yield entry, some

    def keep(self, label: str, entry: Entry, chunk: Chunk, store: Store) -> None:
        """Keep a chunk as it is now."""
        value = chunk.to_bytes()
        entry.keys, entry.due = chunk.keys.num_rows, chunk.due
        if not entry.keys:
            self._drop(label, entry, store)
            return
        halves = chunk.split() if len(value) > LARGE else None
        if halves is None:
            entry.pieces, entry.bytes = store.put(self.name(label, entry), value, entry.pieces)
            return
        middle, lower, upper = halves
        other = Entry(middle, self.next)
        self.next += 1
        self.entries.insert(self.entries.index(entry) + 1, other)
        self.keep(label, entry, lower, store)
        self.keep(label, other, upper, store)

    def clear(self, label: str, store: Store) -> None:
        """Keep nothing."""
        for entry in self.entries:
            store.delete(self.name(label, entry), entry.pieces)

    def _drop(self, label: str, entry: Entry, store: Store) -> None:
        """Keep nothing of a chunk; the one below has its range then."""
        store.delete(self.name(label, entry), entry.pieces)
        entry.pieces = entry.bytes = 0
        if entry.low != LEAST:
            self.entries.remove(entry)
