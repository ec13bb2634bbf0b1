"""The detector: a plan, the states of all keys, and the rows that those states still refer to.

`advance` takes the rows up to an instant and gives what they complete. However the rows are cut,
the answer is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import partial
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tocsin.engine import reporting
from tocsin.engine.blocks import Batch, Block, blocks
from tocsin.engine.expiring import expire
from tocsin.engine.found import Found, Rows, Table, by_key, in_time
from tocsin.engine.guarding import guarded, let_guards_go
from tocsin.engine.kernels.lineage import distinct, extent, places, rows_in
from tocsin.engine.kernels.stores import mark, renumber, sweep
from tocsin.engine.kernels.streams import BEFORE, REF, Call, Integers, Stream, empty_state
from tocsin.engine.plan import WORD, Plan
from tocsin.engine.running import Events, Lineage, Runner
from tocsin.engine.state import Store
from tocsin.errors import DataError
from tocsin.language import nodes

UTC = ZoneInfo("UTC")
LAST = 2**63 - 1

STATELESS = (nodes.Primitive, nodes.Nothing, nodes.Disjunction, nodes.Within)

MANY = 4096
"""So many cells may be left for the next `forget`."""


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

    def __init__(self, plan: Plan, *, zone: tzinfo = UTC, until: int | None = None) -> None:
        self.plan, self.until = plan, LAST if until is None else until
        self.runner = Runner(plan, zone)
        self.lineage = Lineage(np.empty((2, 64), np.int64))
        self.rows = Rows()
        self.keys = Keys()
        self.stores = [
            None if isinstance(node.expression, STATELESS) else Store() for node in plan.nodes
        ]
        self.guarded = guarded(plan)
        self.began: int | None = None
        self.upto: int | None = None
        self.past: int | None = None
        """For rows on arrival: up to which time none comes any more, if somebody knows."""
        self.live = 4096
        """How many rows and cells the last look left; four times as many call for another."""

    def advance(
        self, batch: Batch, upto: int, progress: Callable[[int], None] = lambda rows: None
    ) -> dict[str, Found]:
        """Take in all rows up to an instant; what they and the timers up to then complete.

        `progress` is told now and then how many rows are done.
        """
        self._check(batch, upto)
        wanted = distinct(batch.key)
        if self.plan.has_timers:
            wanted = np.union1d(wanted, self.keys.known)
        self.upto = upto
        self.rows.open(batch.number, batch.start, batch.end)
        slots = self.keys.slots(wanted)
        tables = {name: Table(batch.key.size) for name in self.plan.results}
        take = self._take if self.plan.report == "overlapping" else partial(reporting.take, self)
        for block in blocks(batch, wanted, upto):
            take(block, wanted[block.keys], slots[block.keys], tables)
            progress(block.low + block.rows.key.size)
        if self.lineage.filled + self.rows.used + batch.key.size > 4 * self.live:
            self.forget()
        else:
            self.rows.close()
        found = {name: table.found for name, table in tables.items()}
        if self.plan.report != "overlapping":
            found = {name: by_key(several) for name, several in found.items()}
        if self.plan.on_arrival:
            found = {name: in_time(several) for name, several in found.items()}
        return found

    def _check(self, batch: Batch, upto: int) -> None:
        """Refuse what cannot be decided any more, or not yet; note when observation began."""
        if self.upto is not None and upto < self.upto:
            raise DataError(
                f"a call goes up to {upto}, but all up to {self.upto} has been decided",
                hint="let time go forward",
            )
        if not batch.end.size:
            return
        first, last = extent(batch.known)
        ends = "arrives" if self.plan.on_arrival else "ends"
        if self.upto is not None and first <= self.upto:
            raise DataError(
                f"a row {ends} at {first}, but all up to {self.upto} has been decided",
                hint=f"hand rows over in the order in which each {ends}",
            )
        if last > upto:
            raise DataError(
                f"a row {ends} at {last}, after the {upto} up to which the call is to decide",
                hint="hand it over with a later call",
            )
        if (first if batch.start is batch.known else extent(batch.start)[0]) == BEFORE:
            raise DataError(
                "a row has the time -2^63, which stands for before every time",
                hint="let times begin at -2^63 + 1",
            )
        if self.began is None:
            self.began = first

    def _take(
        self, block: Block, keys: Integers, slots: Integers, tables: dict[str, Table]
    ) -> None:
        """Enter everything that a block's rows complete."""
        began = np.full(keys.size, self.began or 0, np.int64)
        call = Call(began, began, block.upto, np.minimum(block.upto, self.until))
        rows = block.rows
        events = Events(
            places(rows.key, keys), rows.start, rows.end, rows.known, rows.bits,
            self.rows.first + block.low,
        )  # fmt: skip
        streams, after = self.run(call, events, slots)
        for name, place in self.plan.results.items():
            tables[name].add(
                streams[place], keys, self.lineage.cells, self.rows, self.plan.shift, block.share
            )
        self.keep(slots, after)

    def clear(self, slots: Integers) -> None:
        """Let some slots begin again from nothing."""
        for store in self.stores:
            if store is not None:
                store.put(slots, empty_state())

    def run(
        self, call: Call, events: Events, slots: Integers
    ) -> tuple[list[Stream], list[Integers]]:
        """Run all nodes over some slots: their streams and new states, to be kept."""
        states = []
        for store in self.stores:
            if store is not None:
                store.make_room(self.keys.size)
                states.append(store.take(slots))
            else:
                states.append(empty_state())
        self.lineage.settled = self.lineage.filled
        return self.runner.run(call, events, states, self.lineage)

    def keep(self, slots: Integers, after: list[Integers]) -> None:
        """Keep new states, and none of the cells that only the streams needed."""
        lineage = self.lineage
        if lineage.filled > lineage.settled + MANY:
            marked = np.zeros(lineage.filled - lineage.settled, np.bool_)
            for state in after:
                mark(lineage.cells, lineage.settled, state[REF], marked)
            lineage.filled, moved = sweep(lineage.cells, lineage.settled, marked)
            for state in after:
                renumber(state[REF], lineage.settled, moved)
        for store, state in zip(self.stores, after, strict=True):
            if store is not None:
                store.put(slots, state)

    def forget(self) -> None:
        """Let go of what has become too old, of guards that have nothing to forbid, of cells and
        rows that no state refers to, and of keys without state."""
        self._let_time_pass()
        let_guards_go(self.stores, self.guarded, self.keys.size)
        if self.plan.on_arrival and self.past is not None:
            for node, store in zip(self.plan.nodes, self.stores, strict=True):
                if store is not None:
                    expire(node, store, self.past)
        self._sweep()
        self._retire()

    def referenced(self) -> Integers:
        """What the caller calls the rows of earlier calls that may still be part of something."""
        self.forget()
        return self.rows.kept[1, : self.rows.used].copy()

    def _let_time_pass(self) -> None:
        """Run the keys that had no rows lately, without any: kernels drop what is too old."""
        if self.upto is None or self.plan.has_timers:  # with timers, every call runs every key
            return
        none, words = np.empty(0, np.int64), 1 + len(self.plan.primitives) // WORD
        batch = Batch(none, none, none, np.empty((words, 0), np.int64), none)
        nothing = {name: Table(0) for name in self.plan.results}
        for block in blocks(batch, self.keys.known, self.upto):
            self._take(block, self.keys.known, self.keys.slot.astype(np.int64), nothing)

    def _sweep(self) -> None:
        """Let go of cells and rows that no state refers to."""
        kept = [store for store in self.stores if store is not None]
        for store in kept:
            store.tidy()
        refs = np.concatenate([store.refs for store in kept] or [np.empty(0, np.int64)])
        marked = np.zeros(self.lineage.filled, np.bool_)
        mark(self.lineage.cells, 0, refs, marked)
        filled, moved = sweep(self.lineage.cells, 0, marked)
        cells = self.lineage.cells[:, : max(filled, 64)].copy()
        for store in kept:
            own = store.refs
            renumber(own, 0, moved)
            store.refs = own
        self.lineage.cells, self.lineage.filled = cells, filled
        rows = np.sort(rows_in(refs, cells, filled, self.plan.shift))
        self.rows.keep(rows[np.diff(rows, prepend=-1) > 0])
        self.live = max(4096, filled + self.rows.used)

    def _retire(self) -> None:
        """Let go of keys whose state is that of a key never seen."""
        keys = self.keys
        idle = ~keys.finished[: keys.size]
        for store in self.stores:
            if store is not None:
                idle &= store.count[: keys.size] == 0
        if self.plan.has_clocks:
            idle &= keys.afresh[: keys.size] == BEFORE
        gone = idle[keys.slot]
        keys.afresh[keys.slot[gone]] = BEFORE
        keys.free += keys.slot[gone].tolist()
        keys.known, keys.slot = keys.known[~gone], keys.slot[~gone]

    def save(self) -> bytes:
        """Everything needed to continue later, as Arrow IPC bytes."""
        from tocsin.engine.saving import save

        return save(self)

    @classmethod
    def load(
        cls, plan: Plan, saved: bytes, *, zone: tzinfo = UTC, until: int | None = None
    ) -> Detector:
        """A detector that continues where a saved one stopped; refuses what does not fit."""
        from tocsin.engine.saving import load

        detector = cls(plan, zone=zone, until=until)
        load(detector, saved)
        return detector
