"""The kernels' state of some keys: a detector, its keys' values, and the rows it still needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tocsin.engine.blocks import Batch
from tocsin.engine.detector import Detector
from tocsin.engine.due import NEVER, next_due
from tocsin.engine.found import Found
from tocsin.engine.plan import WORD, Plan
from tocsin.engine.saving import load, subset, write
from tocsin.spark.packets import to_bytes, to_table
from tocsin.spark.stream.rows import Release
from tocsin.spark.stream.setup import HASH, PATTERN, Setup
from tocsin.tables.ranks import Integers, alike

NUMBER = "number"


@dataclass
class Chunk:
    """The state of one pattern for some keys of a bucket."""

    setup: Setup
    plan: Plan
    detector: Detector
    keys: pa.Table
    """A row per key: its number, its hash, the key columns; by number."""
    carried: pa.Table
    """The carried columns of the rows that the detector may still name, as it numbers them."""
    next: int = 0
    """The number of the next key."""
    due: int = NEVER
    """Up to when nothing comes of it unless rows do; known when it is written."""

    @classmethod
    def fresh(cls, setup: Setup, plan: Plan, like: pa.Table, began: int | None) -> Chunk:
        """A chunk without keys, for rows like some."""
        detector = Detector(plan, zone=setup.zone, until=setup.until)
        detector.began = began
        none = like.slice(0, 0)
        keys = none.select([HASH, *setup.key_columns])
        keys = keys.add_column(0, NUMBER, pa.array([], pa.int64()))
        return cls(setup, plan, detector, keys, none.select(setup.carried_columns))

    @classmethod
    def read(cls, setup: Setup, plan: Plan, value: pa.Buffer) -> Chunk:
        """What `to_bytes` gave."""
        table = to_table(value)
        detector = Detector(plan, zone=setup.zone, until=setup.until)
        load(detector, table.column("detector")[0].as_buffer())
        carried = pa.table({})
        if "carried" in table.column_names:
            carried = _unlisted(table.column("carried"))
        following = int(table.schema.metadata[b"tocsin.next"])
        return cls(setup, plan, detector, _unlisted(table.column("keys")), carried, following)

    def to_bytes(self) -> pa.Buffer:
        """Everything that is needed to go on later; lets go of all that is not."""
        self._forget()
        self.due = next_due(self.detector, self.setup.zone)
        columns = {
            "detector": pa.array([write(self.detector)], pa.large_binary()),
            "keys": _listed(self.keys),
        }
        if self.setup.carry:
            columns["carried"] = _listed(self.carried)
        table = pa.table(columns)
        return to_bytes(table.replace_schema_metadata({"tocsin.next": str(self.next)}))

    def take(self, release: Release, which: Integers, bits: Integers, upto: int) -> pa.Table:
        """Take in some rows of a release; what they, and the timers up to then, complete."""
        codes = release.codes[which]
        first = np.flatnonzero(np.diff(codes, prepend=-1))
        numbers = self._numbers(release.columns([HASH, *self.setup.key_columns], which[first]))
        key = np.repeat(numbers, np.diff(first, append=which.size))
        if (key[1:] < key[:-1]).any():
            order = np.argsort(key, kind="stable")
            key, which = key[order], which[order]
        ends = release.ends[which]
        starts = ends if release.starts is release.ends else release.starts[which]
        earlier = self.detector.rows.used
        number = np.arange(earlier, earlier + which.size)
        arrival = None if release.arrival is None else release.arrival[which]
        batch = Batch(key, starts, ends, np.ascontiguousarray(bits[:, which]), number, arrival)
        self.detector.live = batch.key.size + 4096  # it forgets when it is written anyway
        found = self.detector.advance(batch, upto)[PATTERN]
        if self.setup.carry:
            more = release.columns(self.setup.carried_columns, which)
            self.carried = pa.concat_tables([self.carried, more]).combine_chunks()
        return self._answer(found)

    def wait(self, upto: int) -> pa.Table:
        """Let time pass without rows; what timers complete."""
        none, words = np.empty(0, np.int64), 1 + len(self.plan.primitives) // WORD
        batch = Batch(none, none, none, np.empty((words, 0), np.int64), none)
        return self._answer(self.detector.advance(batch, upto)[PATTERN])

    def split(self) -> tuple[int, Chunk, Chunk] | None:
        """Two chunks in place of this one, and from which hash on the second has the keys."""
        hashes = self.keys.column(HASH).to_numpy()
        middle = int(np.median(hashes)) if hashes.size else 0
        above = hashes > middle
        if not above.any() or above.all():
            return None
        return middle + 1, self._part(~above), self._part(above)

    def _part(self, chosen: Any) -> Chunk:
        keys = self.keys.filter(pa.array(chosen))
        detector = subset(self.detector, keys.column(NUMBER).to_numpy())
        return Chunk(self.setup, self.plan, detector, keys, self.carried, self.next)

    def _numbers(self, keys: pa.Table) -> Integers:
        """The numbers of keys that differ; new ones get one."""
        known, size = self.keys.num_rows, keys.num_rows
        numbers = np.full(size, -1, np.int64)
        if known and size:
            both = pa.concat_tables([self.keys.drop([NUMBER]), keys])
            codes = alike([both.column(n) for n in self.setup.key_columns], known + size)
            number_of = np.full(int(codes.max()) + 1, -1, np.int64)
            number_of[codes[:known]] = self.keys.column(NUMBER).to_numpy()
            numbers = number_of[codes[known:]]
        fresh = np.flatnonzero(numbers < 0)
        numbers[fresh] = np.arange(self.next, self.next + fresh.size)
        self.next += fresh.size
        more = keys.take(pa.array(fresh)).add_column(0, NUMBER, pa.array(numbers[fresh]))
        self.keys = pa.concat_tables([self.keys, more]).combine_chunks()
        return numbers

    def _answer(self, found: Found) -> pa.Table:
        """A row per occurrence: key columns, start, end, detected, events; times as integers."""
        names = pa.array(self.plan.primitives, pa.string())
        rows = pa.array(found.part_row)
        fields = {
            "name": names.take(pa.array(found.part_primitive)),
            "start": pa.array(found.part_start),
            "end": pa.array(found.part_end),
        }
        for name, column in zip(self.setup.carry, self.carried.columns, strict=False):
            fields[name] = column.combine_chunks().take(rows)
        structs = pa.StructArray.from_arrays(list(fields.values()), names=list(fields))
        columns = {}
        if self.setup.keys:
            place = np.searchsorted(self.keys.column(NUMBER).to_numpy(), found.key)
            whose = self.keys.select(self.setup.key_columns).take(pa.array(place))
            columns = dict(zip(self.setup.keys, whose.columns, strict=True))
        times = {"start": found.start, "end": found.end, "detected": found.detected}
        if self.plan.on_arrival:  # where `detected` is the number of an arrival
            times["detected"] = found.end
        columns |= {name: pa.array(column) for name, column in times.items()}
        offsets = pa.array(found.offsets, pa.int32())
        return pa.table(columns | {"events": pa.ListArray.from_arrays(offsets, structs)})

    def _forget(self) -> None:
        """Let go of keys without state, and of rows that nothing names."""
        self.detector.forget()
        rows, keys = self.detector.rows, self.keys.column(NUMBER).to_numpy()
        named = rows.kept[1, : rows.used].copy()
        if self.setup.carry:
            self.carried = self.carried.take(pa.array(named))
        rows.kept[1, : rows.used] = np.arange(rows.used)
        here = np.isin(keys, self.detector.keys.known, assume_unique=True)
        if not here.all():
            self.keys = self.keys.filter(pa.array(here))


def bits_for(plan: Plan, setup: Setup, pattern: int, release: Release) -> Integers:
    """The words of a release's rows, with the bits where one pattern's plan has them."""
    primitives = {p.name: p for p in setup.patterns[pattern].primitives()}
    wanted = [setup.primitives.index(primitives[name]) for name in plan.primitives]
    if wanted == list(range(len(setup.primitives))):
        return release.words
    words = np.zeros((1 + len(wanted) // WORD, release.ends.size), np.int64)
    for number, place in enumerate(wanted):
        word, bit = divmod(place, WORD)
        words[number // WORD] |= (release.words[word] >> bit & 1) << (number % WORD)
    return words


def _listed(table: pa.Table) -> pa.Array:
    struct = table.combine_chunks().to_struct_array().combine_chunks()
    return pa.ListArray.from_arrays(pa.array([0, table.num_rows], pa.int32()), struct)


def _unlisted(column: pa.ChunkedArray) -> pa.Table:
    return pa.Table.from_struct_array(column[0].values)
