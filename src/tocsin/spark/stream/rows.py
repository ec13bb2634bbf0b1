"""Packed rows made ready: times as integers, bits in the order that the patterns now have."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tocsin.engine.plan import WORD
from tocsin.spark.packets import narrow
from tocsin.spark.stream.setup import HASH, Setup
from tocsin.tables.packed import words_for
from tocsin.tables.ranks import Integers, alike, in_order
from tocsin.tables.source import Source
from tocsin.tables.times import time_columns

_PRIMITIVES = b"tocsin.primitives"


@dataclass
class Rows:
    """Some rows, and since when they have been here."""

    table: pa.Table
    starts: Integers
    ends: Integers
    """The same array as `starts` where events have one time."""
    since: Integers
    """For each row the era that brought it."""

    def take(self, which: Integers) -> Rows:
        """Some of them."""
        ends = self.ends[which]
        starts = ends if self.starts is self.ends else self.starts[which]
        return Rows(self.table.take(pa.array(which)), starts, ends, self.since[which])

    def between(self, low: int, high: int) -> Rows:
        """Those from one place to another."""
        ends = self.ends[low:high]
        starts = ends if self.starts is self.ends else self.starts[low:high]
        return Rows(self.table.slice(low, high - low), starts, ends, self.since[low:high])

    def __len__(self) -> int:
        return int(self.ends.size)


def read_rows(table: pa.Table, setup: Setup, since: int) -> Rows:
    """Rows from a packed table that came in one era."""
    table = narrow(table, len(setup.primitives))
    source = Source(
        table, setup.column(setup.start), setup.column(setup.end),
        place=_place(table, setup), as_is=True,
    )  # fmt: skip
    first, last, _ = time_columns(source, unit=setup.unit, zone=setup.zone)
    ends = last.to_numpy()
    starts = ends if first is last else first.to_numpy()
    return Rows(table, starts, ends, np.full(ends.size, since, np.int64))


def together(several: Sequence[Rows]) -> Rows:
    """Several rows as one."""
    if len(several) == 1:
        return several[0]
    ends = np.concatenate([rows.ends for rows in several])
    alike = all(rows.starts is rows.ends for rows in several)
    starts = ends if alike else np.concatenate([rows.starts for rows in several])
    table = pa.concat_tables([rows.table for rows in several]).combine_chunks()
    return Rows(table, starts, ends, np.concatenate([rows.since for rows in several]))


def with_bits_named(table: pa.Table, setup: Setup) -> pa.Table:
    """The table, with what its bits stand for."""
    named = json.dumps([[p.name, p.predicate] for p in setup.primitives])
    return table.replace_schema_metadata({_PRIMITIVES: named})


def with_bits_in_order(table: pa.Table, setup: Setup) -> pa.Table:
    """The table with its bits where the patterns expect them now; unknown ones are not set."""
    named = json.loads((table.schema.metadata or {})[_PRIMITIVES])
    table = table.replace_schema_metadata(None)
    wanted = [[p.name, p.predicate] for p in setup.primitives]
    if named == wanted:
        return table
    words = words_of(table, words_for(named))
    moved = np.zeros((words_for(wanted), table.num_rows), np.int64)
    place = {tuple(primitive): bit for bit, primitive in enumerate(named)}
    for number, primitive in enumerate(map(tuple, wanted)):
        if primitive in place:
            word, bit = divmod(place[primitive], WORD)
            moved[number // WORD] |= (words[word] >> bit & 1) << (number % WORD)
    columns = [name for name in table.column_names if not name.startswith("word_")]
    rows = {name: table.column(name) for name in columns if name != HASH}
    rows |= {f"word_{n}": pa.array(word) for n, word in enumerate(moved)}
    return pa.table(rows | {HASH: table.column(HASH)})


def words_of(table: pa.Table, count: int) -> Integers:
    """The words of bits, one a line."""
    words = [table.column(f"word_{n}").to_numpy() for n in range(count)]
    return np.stack([word.astype(np.int64, copy=False) for word in words])


class Release:
    """The rows that a visit decides, sorted by key and then in the order among equals (SPEC §1)."""

    def __init__(self, rows: Rows, setup: Setup) -> None:
        self.table = table = rows.table
        """The rows as they came; `order` says which is the first, and so on."""
        words = words_of(table, len(setup.words))
        codes = alike([table.column(name) for name in setup.key_columns], len(rows))
        names = dict.fromkeys((*setup.order_by, *setup.carry))
        ties = [table.column(setup.column(name)) for name in names]
        # As in a table: what is the same in all that SPEC §1 goes by can still be other events.
        ties += [pa.chunked_array([word]) for word in words]
        self.order = order = in_order(codes, rows.starts, rows.ends, ties)
        self.ends = rows.ends[order]
        self.starts = self.ends if rows.starts is rows.ends else rows.starts[order]
        self.since = rows.since[order]
        self.words = np.ascontiguousarray(words[:, order])
        self.codes = codes[order]
        """Which key each row has, by number: those of a key stand together."""
        self.hashes: Integers = table.column(HASH).to_numpy()[order]
        self.arrival: Integers | None = None

    def arrive(self, before: int) -> int:
        """Let the rows arrive after those before, in order of time, all of one instant together;
        returns the number of the last arrival."""
        instants, place = np.unique(self.ends, return_inverse=True)
        self.arrival = before + 1 + place
        return before + int(instants.size)

    def columns(self, names: list[str], which: Integers) -> pa.Table:
        """Some columns of some rows, which go by their places in the order."""
        return self.table.select(names).take(pa.array(self.order[which]))


def _place(table: pa.Table, setup: Setup) -> Callable[[int], str]:
    """What a person calls a row of a stream: its key and times."""
    names = dict.fromkeys((*setup.keys, setup.start, setup.end))

    def place(row: int) -> str:
        values = (f"{name} {table.column(setup.column(name))[row]}" for name in names)
        return "the row with " + ", ".join(values)

    return place
