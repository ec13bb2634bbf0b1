"""The detector: a plan, the states of all keys, and the rows that those states still refer to.

`advance` takes the rows up to an instant and gives what they complete. However the rows are cut,
the answer is the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tocsin.engine import reporting
from tocsin.engine.found import Found, Rows, find
from tocsin.engine.kernels.lineage import distinct, places, rows_in
from tocsin.engine.kernels.stores import mark, renumber, sweep
from tocsin.engine.kernels.streams import BEFORE, Call, Integers, Stream, empty_state
from tocsin.engine.plan import Plan
from tocsin.engine.running import Events, Lineage, Runner
from tocsin.engine.state import Store
from tocsin.errors import DataError
from tocsin.language import nodes

UTC = ZoneInfo("UTC")
LAST = 2**63 - 1


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


def _none() -> Integers:
    return np.empty(0, np.int64)


@dataclass
class Keys:
    """The keys that have state, each with a slot in every store."""

    known: Integers = field(default_factory=_none)
    slot: Integers = field(default_factory=_none)
    afresh: Integers = field(default_factory=_none)
    """By slot: after which instant the key was started afresh, `BEFORE` if it was not."""
    finished: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    """By slot: has reported all it will."""
    free: list[int] = field(default_factory=list)
    size: int = 0

    def slots(self, wanted: Integers) -> Integers:
        """The slots of sorted keys; new keys get one."""
        at = np.searchsorted(self.known, wanted)
        if self.known.size:
            here = self.known[np.minimum(at, self.known.size - 1)] == wanted
        else:
            here = np.zeros(wanted.size, np.bool_)
        if not here.all():
            fresh = wanted[~here]
            reused = [self.free.pop() for _ in range(min(fresh.size, len(self.free)))]
            added = np.arange(self.size, self.size + fresh.size - len(reused))
            self.size += added.size
            if self.size > self.afresh.size:
                more = max(self.size, 2 * self.afresh.size) - self.afresh.size
                self.afresh = np.concatenate((self.afresh, np.full(more, BEFORE)))
                self.finished = np.concatenate((self.finished, np.zeros(more, np.bool_)))
            self.known = np.insert(self.known, at[~here], fresh)
            self.slot = np.insert(self.slot, at[~here], np.concatenate((reused, added)))
            at = np.searchsorted(self.known, wanted)
        return self.slot[at].astype(np.int64)

    def observed_since(self, slots: Integers, began: int) -> tuple[Integers, Integers]:
        """Since when each is observed, and the first instant that a clock may show it."""
        afresh = self.afresh[slots]
        resumed = afresh != BEFORE
        return np.where(resumed, afresh, began), np.where(resumed, afresh + 1, began)


class Detector:
    """Detects a plan's patterns, call by call.

    >>> from tocsin.engine.plan import make_plan
    >>> from tocsin.language.parser import parse
    >>> detector = Detector(make_plan({"p": parse("A ; B")}))
    >>> def rows(names, *times):  # all of one key
    ...     time = np.array(times)
    ...     bits = np.array([["AB".index(name) + 1 for name in names]])
    ...     return Batch(np.zeros_like(time), time, time, bits, np.arange(time.size))
    >>> detector.advance(rows("AA", 1, 2), upto=2)["p"].end.tolist()
    []
    >>> found = detector.advance(rows("B", 5), upto=5)["p"]
    >>> found.start.tolist(), found.part_start.tolist()
    ([2], [2, 5])
    """

    def __init__(self, plan: Plan, *, zone: ZoneInfo = UTC, until: int | None = None) -> None:
        self.plan, self.until = plan, LAST if until is None else until
        self.runner = Runner(plan, zone)
        self.lineage = Lineage(np.empty((2, 64), np.int64))
        self.rows = Rows()
        self.keys = Keys()
        self.stores = [
            None if isinstance(node.expression, nodes.Primitive) else Store() for node in plan.nodes
        ]
        self.began: int | None = None
        self.upto: int | None = None
        self.live = 4096
        """How many rows and cells were in use at the last look; twice that calls for another."""

    def advance(self, batch: Batch, upto: int) -> dict[str, Found]:
        """Take in all rows up to an instant; what they and the timers up to then complete."""
        if self.upto is not None and batch.end.size and int(batch.end.min()) <= self.upto:
            raise DataError(
                f"a row ends at {int(batch.end.min())}, but all up to {self.upto} has been decided",
                hint="hand rows over in order of their ends",
            )
        if self.began is None and batch.end.size:
            self.began = int(batch.end.min())
        wanted = distinct(batch.key)
        if self.plan.has_timers:
            wanted = np.union1d(wanted, self.keys.known)
        dense = wanted.size and wanted[0] == 0 and wanted[-1] == wanted.size - 1
        local = batch.key if dense else places(batch.key, wanted)
        self.upto = upto
        self.rows.open(batch.number, batch.start, batch.end)
        if self.plan.report == "overlapping":
            found = self._overlapping(batch, wanted, local, upto)
        else:
            (name,) = self.plan.results
            found = {name: reporting.advance(self, batch, wanted, local, upto)}
        if self.lineage.filled + self.rows.used + batch.key.size > 2 * self.live:
            self.forget()
        else:
            self.rows.close()
        return found

    def _overlapping(
        self, batch: Batch, wanted: Integers, local: Integers, upto: int
    ) -> dict[str, Found]:
        """Everything that a call's rows complete; `local` is each row's place among the keys."""
        slots = self.keys.slots(wanted)
        events = Events(local, batch.start, batch.end, batch.bits, self.rows.first)
        whole = np.full(wanted.size, upto, np.int64)
        began = np.full(wanted.size, self.began or 0, np.int64)
        call = Call(began, began, whole, np.minimum(whole, self.until))
        streams = self.run(call, events, slots)
        cells, shift = self.lineage.cells, self.plan.shift
        return {
            name: find(streams[place], wanted, cells, self.rows, shift)
            for name, place in self.plan.results.items()
        }

    def clear(self, slots: Integers) -> None:
        """Let some slots begin again from nothing."""
        for store in self.stores:
            if store is not None:
                store.put(slots, empty_state())

    def run(self, call: Call, events: Events, slots: Integers) -> list[Stream]:
        """Run all nodes over some slots, and keep their new states."""
        states = []
        for store in self.stores:
            if store is not None:
                store.make_room(self.keys.size)
                states.append(store.take(slots))
            else:
                states.append(np.empty((6, 0), np.int64))
        streams, after = self.runner.run(call, events, states, self.lineage)
        for store, state in zip(self.stores, after, strict=True):
            if store is not None:
                store.put(slots, state)
        return streams

    def forget(self) -> None:
        """Let go of keys without state, and of cells and rows that no state refers to."""
        kept = [store for store in self.stores if store is not None]
        for store in kept:
            store.tidy()
        refs = np.concatenate([store.refs for store in kept] or [np.empty(0, np.int64)])
        marked = np.zeros(self.lineage.filled, np.bool_)
        mark(self.lineage.cells, self.lineage.filled, refs, marked)
        cells, filled, moved = sweep(self.lineage.cells, self.lineage.filled, marked)
        for store in kept:
            renumber(store.refs, moved)
        self.lineage.cells, self.lineage.filled = cells, filled
        self.rows.keep(np.unique(rows_in(refs[refs >= 0], cells, filled, self.plan.shift)))
        idle = np.ones(self.keys.size, np.bool_)
        for store in kept:
            idle &= store.count[: self.keys.size] == 0
        idle &= self.keys.afresh[: self.keys.size] == BEFORE
        idle &= ~self.keys.finished[: self.keys.size]
        gone = idle[self.keys.slot]
        self.keys.free += self.keys.slot[gone].tolist()
        self.keys.known, self.keys.slot = self.keys.known[~gone], self.keys.slot[~gone]
        self.live = max(4096, filled + self.rows.used)

    def save(self) -> bytes:
        """Everything needed to continue later, as Arrow IPC bytes."""
        from tocsin.engine.saving import save

        return save(self)

    @classmethod
    def load(
        cls, plan: Plan, saved: bytes, *, zone: ZoneInfo = UTC, until: int | None = None
    ) -> Detector:
        """A detector that continues where a saved one stopped; refuses what does not fit."""
        from tocsin.engine.saving import load

        detector = cls(plan, zone=zone, until=until)
        load(detector, saved)
        return detector
