"""A bucket of keys: everything that the stream knows of them, visited once per micro-batch.

A visit brings rows and the instant up to which all can be decided. Rows at or before what has been
decided are late; rows after the instant wait; the others, and those that have waited, go through
the kernels, chunk by chunk. On arrival none waits, and the instant only says that no row comes any
more from before it. Nothing here knows Spark.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from tocsin.spark.stream.chunks import Chunk, bits_for
from tocsin.spark.stream.directory import Directory
from tocsin.spark.stream.header import check
from tocsin.spark.stream.memory import Memory, Name, Store
from tocsin.spark.stream.rows import Release, Rows, read_rows, together
from tocsin.spark.stream.setup import Setup, plan_for
from tocsin.spark.stream.waiting import Waiting

HEAD = Name("head")


@dataclass
class Visit:
    """What came of a visit."""

    found: list[tuple[str, pa.Table]] = field(default_factory=list)
    """For each pattern its occurrences: key columns, start, end, detected, events."""
    late: Rows | None = None
    rows: int = 0
    """How many rows were decided."""
    waiting: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    """How many bytes of state each pattern has."""


class Bucket:
    """The keys of one bucket."""

    def __init__(self, setup: Setup, memory: Memory) -> None:
        self.setup, self.store = setup, Store(memory)
        self.era = 0
        """How often patterns have been added: those see the rows of later eras only."""
        self.mark: int | None = None
        """Up to when all is decided."""
        self.began: int | None = None
        """The least end of all rows in all buckets, which is final once it is decided."""
        self.arrived = 0
        """On arrival: the number of the last arrival."""
        self.wakes: int | None = None
        self.waiting = Waiting()
        self.patterns: dict[str, Directory] = {}
        self.pieces = 0
        if self.store.has(HEAD):
            self._load(json.loads(self.store.get(HEAD).to_pybytes()))
        added = [label for label in setup.labels if label not in self.patterns]
        if added and self.patterns:
            self.era += 1
        self.patterns |= {label: Directory(self.era, self.mark) for label in added}

    def visit(
        self,
        tables: Sequence[pa.Table],
        least: int | None,
        upto: int | None,
        wakes: int | None = None,
    ) -> Visit:
        """Take rows in, and decide everything up to an instant.

        `least` is the least end that this micro-batch brought to any bucket; `wakes` says when
        there will be a visit though no rows come.
        """
        visit, released = Visit(), []
        if least is not None and (self.began is None or self._undecided(self.began)):
            self.began = least if self.began is None else min(least, self.began)
        if tables:
            rows = read_rows(pa.concat_tables(tables).combine_chunks(), self.setup, self.era)
            released.append(self._sort_out(rows, upto, visit))
        moved = upto is not None and self._undecided(upto)
        if upto is not None and moved:
            released += self.waiting.release(upto, self.setup, self.store)
            self.mark = upto
        if moved or (self.setup.reading.on_arrival and any(map(len, released))):
            self._use(released, visit)
        self.wakes = wakes
        visit.waiting = self.waiting.rows
        visit.sizes = {label: directory.bytes for label, directory in self.patterns.items()}
        self._save()
        return visit

    def _use(self, released: list[Rows], visit: Visit) -> None:
        """Let the kernels have some rows, and decide as far as they can."""
        visit.rows = sum(map(len, released))
        release = Release(together(released), self.setup) if visit.rows else None
        upto = self.mark
        if self.setup.reading.on_arrival:
            self.arrived = upto = release.arrive(self.arrived) if release else self.arrived
        assert upto is not None  # else nobody would have asked
        for number, label in enumerate(self.setup.labels):
            visit.found += [(label, f) for f in self._detect(number, label, release, upto)]

    def _undecided(self, instant: int) -> bool:
        return self.mark is None or instant > self.mark

    def _sort_out(self, rows: Rows, upto: int | None, visit: Visit) -> Rows:
        """Rows that can be decided at once; others wait, or are late."""
        late = np.zeros(len(rows), np.bool_) if self.mark is None else rows.ends <= self.mark
        if late.any():
            visit.late = rows.take(np.flatnonzero(late))
        now = np.zeros(len(rows), np.bool_) if upto is None else rows.ends <= upto
        if self.setup.reading.on_arrival:
            now[:] = True
        after = ~(now | late)
        waits = rows if after.all() else rows.take(np.flatnonzero(after))
        self.waiting.add(waits, self.era, self.setup, self.store)
        return rows.take(np.flatnonzero(now & ~late))

    def _detect(
        self, number: int, label: str, release: Release | None, upto: int
    ) -> list[pa.Table]:
        """What one pattern finds in the rows of a release, and in what it has kept."""
        setup, directory = self.setup, self.patterns[label]
        durative = setup.start != setup.end
        plan = plan_for(setup.patterns[number], setup.reading, setup.tick, durative)
        which = hashes = np.empty(0, np.int64)
        if release is not None:
            bits = bits_for(plan, setup, number, release)
            used = release.since >= directory.since
            if not plan.has_clocks:  # a clock shows every key that has a row, whatever it is
                used &= bits.any(axis=0)
            which = np.flatnonzero(used)
            hashes = release.hashes[which]
        found = []
        for entry, some in directory.visited(hashes, upto):
            if entry.pieces:
                value = self.store.get(directory.name(label, entry))
                chunk = Chunk.read(setup, plan, value)
            else:
                assert release is not None  # only rows ask for a chunk that is not there yet
                chunk = Chunk.fresh(setup, plan, release.table, directory.began(self.began))
            chunk.detector.past = self.mark
            if release is not None and some.size:
                found.append(chunk.take(release, which[some], bits, upto))
            else:
                found.append(chunk.wait(upto))
            directory.keep(label, entry, chunk, self.store)
        return [table for table in found if table.num_rows]

    def _load(self, facts: dict[str, Any]) -> None:
        self.era, self.mark, self.began = facts["era"], facts["mark"], facts["began"]
        self.arrived = facts["arrived"]
        self.wakes, self.pieces = facts["wakes"], facts["pieces"]
        self.waiting = Waiting.load(facts["waiting"])
        known = {name: Directory.load(own) for name, own in facts["patterns"].items()}
        check(facts["header"], self.setup.header)
        for label in known.keys() - set(self.setup.labels):
            known.pop(label).clear(label, self.store)
        self.patterns = known

    def _save(self) -> None:
        facts = {
            "header": self.setup.header,
            "era": self.era,
            "mark": self.mark,
            "began": self.began,
            "arrived": self.arrived,
            "wakes": self.wakes,
            "pieces": self.pieces,
            "waiting": self.waiting.facts(),
            "patterns": {label: own.facts() for label, own in self.patterns.items()},
        }
        self.pieces, _ = self.store.put(HEAD, json.dumps(facts).encode(), self.pieces)
