"""Rows that wait for the watermark: in slices of time, each written once and deleted when used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from tocsin.spark.packets import to_bytes, to_table
from tocsin.spark.stream.memory import Name, Store
from tocsin.spark.stream.rows import (
    Rows,
    read_rows,
    together,
    with_bits_in_order,
    with_bits_named,
)
from tocsin.spark.stream.setup import Setup

SLICE = 1 << 14
"""About so many rows make a slice, …"""
SLICES = 8
"""… but one visit makes no more than so many."""
MANY = 64
"""So many small slices are made into fewer."""


@dataclass
class Slice:
    """Where some rows are, and which."""

    number: int
    since: int
    """The era that brought them."""
    first: int
    last: int
    """The least and the largest end."""
    rows: int
    """How many of them still wait."""
    pieces: int


@dataclass
class Waiting:
    """All slices of a bucket."""

    slices: list[Slice] = field(default_factory=list)
    next: int = 0

    @classmethod
    def load(cls, facts: dict[str, Any]) -> Waiting:
        """What `facts` gave."""
        return cls([Slice(*values) for values in facts["slices"]], facts["next"])

    def facts(self) -> dict[str, Any]:
        """Everything to be kept, apart from the rows."""
        return {"slices": [astuple(one) for one in self.slices], "next": self.next}

    @property
    def rows(self) -> int:
        """How many rows wait."""
        return sum(one.rows for one in self.slices)

    def add(self, rows: Rows, era: int, setup: Setup, store: Store) -> None:
        """Let rows wait."""
        if not len(rows):
            return
        small = [one for one in self.slices if one.since == era and one.rows < SLICE // 4]
        if len(small) >= MANY:
            rows = together([rows, *(_read(one, setup, store) for one in small)])
            for one in small:
                self._drop(one, store)
        for part in _by_time(rows):
            table = with_bits_named(part.table, setup)
            pieces, _ = store.put(Name("rows", "", self.next), to_bytes(table))
            first, last = int(part.ends.min()), int(part.ends.max())
            self.slices.append(Slice(self.next, era, first, last, len(part), pieces))
            self.next += 1

    def release(self, upto: int, setup: Setup, store: Store) -> list[Rows]:
        """The rows that end up to an instant; they wait no longer."""
        released = []
        for one in [one for one in self.slices if one.first <= upto]:
            rows = _read(one, setup, store)
            if one.last <= upto:
                self._drop(one, store)
            else:
                rows = rows.take(np.flatnonzero(rows.ends <= upto))
                one.first, one.rows = upto + 1, one.rows - len(rows)
            released.append(rows)
        return released

    def _drop(self, one: Slice, store: Store) -> None:
        store.delete(Name("rows", "", one.number), one.pieces)
        self.slices.remove(one)


def _read(one: Slice, setup: Setup, store: Store) -> Rows:
    """The rows of a slice that still wait."""
    table = with_bits_in_order(to_table(store.get(Name("rows", "", one.number))), setup)
    rows = read_rows(table.combine_chunks(), setup, one.since)
    return rows if len(rows) == one.rows else rows.take(np.flatnonzero(rows.ends >= one.first))


def _by_time(rows: Rows) -> Iterator[Rows]:
    """Rows cut by their ends into about equal parts."""
    count = min(len(rows) // SLICE, SLICES)
    if count < 2:
        yield rows
        return
    places = [len(rows) * part // count for part in range(1, count)]
    bounds = np.unique(np.partition(rows.ends, places)[places])
    part = np.searchsorted(bounds, rows.ends, side="right").astype(np.uint8)
    order = np.argsort(part, kind="stable")  # few values, so this counts rather than compares
    stops = np.searchsorted(part[order], np.arange(bounds.size + 2))
    whole = rows.take(order)
    for low, high in pairwise(stops):
        if low < high:
            yield whole.between(int(low), int(high))
