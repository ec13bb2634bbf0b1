"""What a call has found, as columns, and the rows that parts name."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from tocsin.engine.kernels.lineage import expand, look_up
from tocsin.engine.kernels.streams import Integers, Stream

_NOTHING = np.empty(0, np.int64)


@dataclass
class Found:
    """The occurrences of one pattern; the parts of the i-th stand from offsets[i] to [i + 1]."""

    key: Integers
    start: Integers
    end: Integers
    detected: Integers
    offsets: Integers
    part_primitive: Integers
    part_row: Integers
    part_start: Integers
    part_end: Integers


@dataclass
class Rows:
    """The rows that parts may name, by number: those of the call, and those that states keep."""

    first: int = 0
    """The number of the call's first row."""
    number: Integers = field(default_factory=lambda: _NOTHING)
    """What the caller calls the call's rows."""
    start: Integers = field(default_factory=lambda: _NOTHING)
    end: Integers = field(default_factory=lambda: _NOTHING)
    kept: Integers = field(default_factory=lambda: np.empty((4, 64), np.int64))
    """Earlier rows: the number, what the caller calls it, start, end; sorted by number."""
    used: int = 0

    @property
    def next(self) -> int:
        """The number that the next row will get."""
        return self.first + self.number.size

    def open(self, number: Integers, start: Integers, end: Integers) -> None:
        """Begin a call with its rows."""
        self.number, self.start, self.end = number, start, end

    def close(self) -> None:
        """End a call: its rows join the earlier ones."""
        used, more = self.used, self.number.size
        if used + more > self.kept.shape[1]:
            larger = np.empty((4, max(2 * self.kept.shape[1], used + more)), np.int64)
            larger[:, :used] = self.kept[:, :used]
            self.kept = larger
        new = slice(used, used + more)
        self.kept[0, new] = np.arange(self.first, self.next)
        self.kept[1, new], self.kept[2, new], self.kept[3, new] = self.number, self.start, self.end
        self.used, self.first = used + more, self.next
        self.number = self.start = self.end = _NOTHING

    def keep(self, numbers: Integers) -> None:
        """End a call, and forget all rows but some, given by their numbers, sorted."""
        earlier = numbers[numbers < self.first]
        now = numbers[numbers >= self.first] - self.first
        at = np.searchsorted(self.kept[0, : self.used], earlier)
        columns = (self.number, self.start, self.end)
        fresh = np.stack((now + self.first, *(column[now] for column in columns)))
        self.kept = np.concatenate((self.kept[:, at], fresh), axis=1)
        self.used, self.first = self.kept.shape[1], self.next
        self.number = self.start = self.end = _NOTHING


def concatenate(several: list[Found]) -> Found:
    """Several findings as one, sorted by key; those of one key keep their order."""
    if len(several) == 1:
        return several[0]
    names = [f.name for f in fields(Found)]
    columns = {n: np.concatenate([_NOTHING, *(getattr(f, n) for f in several)]) for n in names}
    sizes = np.concatenate([_NOTHING, *(np.diff(f.offsets) for f in several)])
    order = np.argsort(columns["key"], kind="stable")
    begins = np.cumsum(sizes) - sizes
    offsets = np.concatenate(([0], np.cumsum(sizes[order])))
    parts = np.repeat(begins[order] - offsets[:-1], sizes[order]) + np.arange(offsets[-1])
    sorted_ = {
        n: column[parts] if n.startswith("part_") else column[order]
        for n, column in columns.items()
        if n != "offsets"
    }
    return Found(offsets=offsets, **sorted_)


def find(stream: Stream, keys: Integers, cells: Integers, rows: Rows, shift: int) -> Found:
    """Read a stream's keys and parts."""
    offsets, parts = expand(stream.ref, cells)
    kept = rows.kept if rows.used == rows.kept.shape[1] else rows.kept[:, : rows.used].copy()
    columns = look_up(parts, shift, rows.first, rows.number, rows.start, rows.end, kept)
    return Found(keys[stream.key], stream.start, stream.end, stream.detected, offsets, *columns)
