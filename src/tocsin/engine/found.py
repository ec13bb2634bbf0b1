"""What a call has found, as columns, and the rows that parts name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tocsin.engine.kernels.lineage import expand, look_up
from tocsin.engine.kernels.streams import Integers, Stream, room

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


def by_key(found: Found) -> Found:
    """The same, sorted by key; those of one key keep their order."""
    order = np.argsort(found.key, kind="stable")
    sizes = np.diff(found.offsets)[order]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    parts = np.repeat(found.offsets[order] - offsets[:-1], sizes) + np.arange(offsets[-1])
    return Found(
        found.key[order], found.start[order], found.end[order], found.detected[order], offsets,
        found.part_primitive[parts], found.part_row[parts],
        found.part_start[parts], found.part_end[parts],
    )  # fmt: skip


def in_time(found: Found) -> Found:
    """The same, the parts of each occurrence by time rather than in the order of arrival."""
    whose = np.repeat(np.arange(found.key.size), np.diff(found.offsets))
    order = np.lexsort((found.part_end, whose))
    return replace(
        found,
        part_primitive=found.part_primitive[order],
        part_row=found.part_row[order],
        part_start=found.part_start[order],
        part_end=found.part_end[order],
    )


class Table:
    """The occurrences of one pattern as they are found, with room for more."""

    def __init__(self, rows: int) -> None:
        # Room that nobody writes to costs nothing, and most patterns find less than they read.
        self.columns, self.parts = room(5, rows + 1), room(4, 2 * rows)
        self.columns[4, 0] = 0
        self.used = 0

    def add(
        self, stream: Stream, keys: Integers, cells: Integers, rows: Rows, shift: int, share: float
    ) -> None:
        """Enter a stream, its keys and parts read; `share` of the call's rows is then done."""
        if not stream.key.size:
            return
        old, new = self.used, self.used + stream.key.size
        offsets, parts = expand(stream.ref, cells)
        offsets += self.columns[4, old]
        self.columns = _with_room(self.columns, old + 1, new + 1, share)
        self.parts = _with_room(self.parts, offsets[0], offsets[-1], share)
        found = (keys[stream.key], stream.start, stream.end, stream.detected)
        for line, column in enumerate(found):
            self.columns[line, old:new] = column
        self.columns[4, old : new + 1] = offsets
        look_up(
            self.parts[:, offsets[0] : offsets[-1]], parts, shift,
            rows.first, rows.number, rows.start, rows.end, rows.kept[:, : rows.used],
        )  # fmt: skip
        self.used = new

    @property
    def found(self) -> Found:
        """What has been entered."""
        key, start, end, detected = self.columns[:4, : self.used]
        offsets = self.columns[4, : self.used + 1]
        primitive, row, first, last = self.parts[:, : offsets[-1]]
        return Found(key, start, end, detected, offsets, primitive, row, first, last)


def _with_room(table: Integers, used: int, needed: int, share: float) -> Integers:
    """The table, or a copy with room for what the rest of the rows may bring."""
    if needed <= table.shape[1]:
        return table
    expected = max(int(1.1 * needed / share), 3 * table.shape[1] // 2)
    larger = room(table.shape[0], expected)
    larger[:, :used] = table[:, :used]
    return larger
