"""Looking into a stream's state without its query: what is kept of each key, and how much.

Everything needed to read a state is in its header. Nothing here knows Spark.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from tocsin import __version__
from tocsin.engine.contents import contents
from tocsin.engine.plan import WORD
from tocsin.engine.saving import subset
from tocsin.errors import DataError
from tocsin.language.parser import parse
from tocsin.spark.packets import to_table
from tocsin.spark.stream.bucket import HEAD, Bucket
from tocsin.spark.stream.chunks import NUMBER, Chunk
from tocsin.spark.stream.header import HEADER
from tocsin.spark.stream.memory import Memory, Name, Store
from tocsin.spark.stream.rows import Rows, read_rows, with_bits_in_order, words_of
from tocsin.spark.stream.setup import Setup, plan_for
from tocsin.tables.hits import Reading
from tocsin.tables.ranks import Integers
from tocsin.tables.times import Axis

UTC = ZoneInfo("UTC")


@dataclass
class Event:
    """An event that is kept, with its carried columns."""

    name: str | None
    """None: a row that is no event of a pattern, but that a clock shows its key by."""
    start: int
    end: int
    carried: dict[str, Any]


@dataclass
class Item:
    """Something that a node of a pattern's plan keeps."""

    pattern: str
    node: int
    what: str
    times: tuple[int, ...]
    events: list[Event]


@dataclass
class OfKey:
    """What is kept of one key."""

    key: dict[str, Any]
    bytes: int = 0
    """About: its share of the chunks that it is in."""
    items: int = 0
    """How many things its patterns keep."""
    rows: int = 0
    """How many rows wait for the watermark."""
    kept: list[Item] = field(default_factory=list)
    waiting: list[Event] = field(default_factory=list)
    """What these are; empty if nobody asked."""


@dataclass
class Total:
    """What is kept in all."""

    keys: int = 0
    bytes: dict[str, int] = field(default_factory=dict)
    """By pattern."""
    rows: int = 0
    """How many rows wait."""
    decided: int | None = None
    """Up to when all is decided."""


class Inspector:
    """Reads the buckets of one stream, one after the other."""

    def __init__(self, header: str) -> None:
        self.facts: dict[str, Any] = json.loads(header)
        self.setup, self.axis = setup_from(header)
        lasts = self.setup.start != self.setup.end
        self.plans = {
            label: plan_for(pattern, self.setup.reading, self.setup.tick, lasts)
            for label, pattern in zip(self.setup.labels, self.setup.patterns, strict=True)
        }
        if any(plan.identity != self.facts["plans"][name] for name, plan in self.plans.items()):
            raise _other_version(self.facts)
        self.total = Total(bytes=dict.fromkeys(self.setup.labels, 0))

    def look(
        self, memory: Memory, wanted: Mapping[str, str], *, limit: int, details: bool
    ) -> list[OfKey]:
        """The keys of a bucket that have the values wanted, the largest first, and no more than
        some. What all keys keep is added to the total."""
        bucket, setup = Bucket(self.setup, memory), self.setup
        found: dict[str, OfKey] = {}
        chunks = list(self._chunks(bucket))
        for label, size, chunk in chunks:
            self.total.bytes[label] += size
            items = _items(chunk)
            shares = (items + 1) * size / (items + 1).sum()
            for key, count, share in zip(_keys(chunk.keys, setup), items, shares, strict=True):
                one = found.setdefault(repr(key), OfKey(key))
                one.items, one.bytes = one.items + int(count), one.bytes + round(share)
        slices = list(self._slices(bucket))
        for rows in slices:
            for key in _keys(rows.table, setup):
                found.setdefault(repr(key), OfKey(key)).rows += 1
            self.total.rows += len(rows)
        self.total.keys += len(found)
        if bucket.mark is not None:
            decided = self.total.decided
            self.total.decided = bucket.mark if decided is None else min(bucket.mark, decided)
        fitting = [one for one in found.values() if _fits(one.key, wanted)]
        chosen = sorted(fitting, key=lambda one: (-one.bytes, -one.rows, repr(one.key)))[:limit]
        if details:
            by_key = {repr(one.key): one for one in chosen}
            for label, _, chunk in chunks:
                self._add_items(label, chunk, by_key)
            for rows in slices:
                self._add_waiting(rows, by_key)
        return chosen

    def _chunks(self, bucket: Bucket) -> Iterator[tuple[str, int, Chunk]]:
        """All chunks of a bucket, each with its pattern and how many bytes it takes."""
        for label, plan in self.plans.items():
            directory = bucket.patterns[label]
            for entry in directory.entries:
                if entry.pieces:
                    value = bucket.store.get(directory.name(label, entry))
                    yield label, entry.bytes, Chunk.read(self.setup, plan, value)

    def _slices(self, bucket: Bucket) -> Iterator[Rows]:
        """The rows of a bucket that wait."""
        for one in bucket.waiting.slices:
            table = to_table(bucket.store.get(Name("rows", "", one.number)))
            rows = read_rows(with_bits_in_order(table, self.setup), self.setup, one.since)
            yield rows.take(np.flatnonzero(rows.ends >= one.first))

    def _add_items(self, label: str, chunk: Chunk, chosen: Mapping[str, OfKey]) -> None:
        """What a chunk keeps of some keys."""
        keys = _keys(chunk.keys, self.setup)
        numbers = chunk.keys.column(NUMBER).to_pylist()
        own = {n: chosen[repr(k)] for n, k in zip(numbers, keys, strict=True) if repr(k) in chosen}
        if not own:
            return
        for kept in contents(subset(chunk.detector, np.array(list(own)))):
            events = [
                Event(part.name, part.start, part.end, self._carried(chunk.carried, part.row))
                for part in kept.parts
            ]
            own[kept.key].kept.append(Item(label, kept.node, kept.what, kept.times, events))

    def _add_waiting(self, rows: Rows, chosen: Mapping[str, OfKey]) -> None:
        """The rows of some keys."""
        words = words_of(rows.table, len(self.setup.words))
        for row, key in enumerate(_keys(rows.table, self.setup)):
            if repr(key) in chosen:
                names = [
                    primitive.name
                    for bit, primitive in enumerate(self.setup.primitives)
                    if words[bit // WORD, row] >> bit % WORD & 1
                ]
                carried = self._carried(rows.table.select(self.setup.carried_columns), row)
                event = Event(
                    ", ".join(names) or None, int(rows.starts[row]), int(rows.ends[row]), carried
                )
                chosen[repr(key)].waiting.append(event)

    def _carried(self, table: pa.Table, row: int) -> dict[str, Any]:
        names = zip(self.setup.carry, table.columns, strict=False)
        return {name: column[row].as_py() for name, column in names}


def setup_from(header: str) -> tuple[Setup, Axis]:
    """What the workers of a stream were told, from the header of its state."""
    facts = json.loads(header)
    if "shown" not in facts:
        raise _other_version(facts)
    shown = facts["shown"]
    patterns = {label: parse(text, events) for label, (text, events) in shown["patterns"].items()}
    setup = Setup(
        labels=tuple(patterns),
        patterns=tuple(patterns.values()),
        reading=Reading(**{f.name: facts[f.name] for f in fields(Reading) if f.name in facts}),
        names=tuple(shown["names"]),
        keys=tuple(shown["keys"]),
        carry=tuple(shown["carry"]),
        order_by=tuple(shown["order_by"]),
        start=shown["start"],
        end=shown["end"],
        unit=facts["unit"],
        tick=shown["tick"],
        zone=UTC,  # nothing is going to strike
        until=facts["until"],
        keep_late=False,
        header=header,
        buckets=facts["buckets"],
    )
    return setup, Axis(shown["times"], shown["tick"], UTC)


def _other_version(facts: Mapping[str, Any]) -> DataError:
    return DataError(
        f"the checkpoint was made by Tocsin {facts['tocsin']}, which keeps other state than "
        f"Tocsin {__version__}",
        hint="look at it with the Tocsin that wrote it",
    )


def header_in(memory: Memory) -> str | None:
    """The header that a bucket keeps, or the one without keys does."""
    store = Store(memory)
    if store.has(HEAD):
        return str(json.loads(store.get(HEAD).to_pybytes())["header"])
    return store.get(HEADER).to_pybytes().decode() if store.has(HEADER) else None


def _keys(table: pa.Table, setup: Setup) -> list[dict[str, Any]]:
    """The key of each row."""
    columns = [table.column(name).to_pylist() for name in setup.key_columns]
    if not columns:
        return [{}] * table.num_rows
    return [dict(zip(setup.keys, values, strict=True)) for values in zip(*columns, strict=True)]


def _items(chunk: Chunk) -> Integers:
    """How many things are kept for each of a chunk's keys, in their order."""
    keys = chunk.detector.keys
    counts = np.zeros(keys.size, np.int64)
    for store in chunk.detector.stores:
        if store is not None:
            store.make_room(keys.size)
            counts += store.count[: keys.size]
    numbers = chunk.keys.column(NUMBER).to_numpy()
    items: Integers = counts[keys.slot[np.searchsorted(keys.known, numbers)]]
    return items


def _fits(key: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    return all(str(key[name]) == value for name, value in wanted.items())
