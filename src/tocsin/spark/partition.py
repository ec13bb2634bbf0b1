"""What runs on the executors: a partition's rows in, its occurrences out, as Arrow batches.

All keys of a partition go through the kernels in one call. Nothing here knows Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import tzinfo

import numpy as np
import pyarrow as pa

from tocsin.language.nodes import Expression
from tocsin.tables.answer import answer
from tocsin.tables.ask_local import ask
from tocsin.tables.hits import Reading
from tocsin.tables.observed import Observed
from tocsin.tables.packed import Packed, bit_order, words_for
from tocsin.tables.ranks import Integers, groups, in_order
from tocsin.tables.results import Occurrences, Shape
from tocsin.tables.source import Source
from tocsin.tables.times import time_columns

PARTS = 1 << 16
"""About so many events go into a batch of the result."""


@dataclass(frozen=True)
class Task:
    """What to look for, and what the columns of the rows are.

    Rows have the columns `names`, then their words of bits, then, if `bounded`, the first and the
    last time in the whole table.
    """

    labels: tuple[str, ...]
    patterns: tuple[Expression, ...]
    reading: Reading
    names: tuple[str, ...]
    keys: tuple[str, ...]
    carry: tuple[str, ...]
    order_by: tuple[str, ...]
    start: str
    end: str
    unit: str | None
    zone: tzinfo
    bounded: bool
    until: int | None

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The occurrences in a partition."""
        given = [batch for batch in batches if batch.num_rows]
        if not given:
            return
        observed = self._observe(pa.Table.from_batches(given).combine_chunks())
        hits = ask(observed, self.patterns, self.reading)
        low, size = 0, hits.pattern.size
        while low < size:
            reach = np.searchsorted(hits.offsets, hits.offsets[low] + PARTS, side="right") - 1
            high = min(max(int(reach), low + 1), low + PARTS, size)
            some = hits.between(low, high)
            table = answer(observed, some, self.labels, keys=self.keys, carry=self.carry)
            yield from Occurrences(table, Shape(axis=observed.axis)).to_arrow().to_batches()
            low = high

    def _observe(self, table: pa.Table) -> Observed:
        count, primitives = len(self.names), bit_order(self.patterns)
        after = count + words_for(primitives)
        words = np.stack([column.to_numpy() for column in table.columns[count:after]])
        rows = table.select(range(count)).rename_columns(self.names)
        source = Source(rows, self.start, self.end, place=_place(rows, self), as_is=True)
        first, last, axis = time_columns(source, unit=self.unit, zone=self.zone)
        ends = last.to_numpy()
        starts = ends if first is last else first.to_numpy()
        numbers = groups([source.column(name) for name in self.keys], len(source))
        ties = [source.column(name) for name in (*self.order_by, *self.carry)]
        # Rows come in whatever order the shuffle gave them. What is the same in all that SPEC §1
        # goes by can still be different events: the bits decide, so that answers are repeatable.
        ties += [pa.chunked_array([word]) for word in words]
        least, largest = self._bounds(table.slice(0, 1).columns[after:], ends)
        return Observed(
            source,
            axis,
            starts,
            ends,
            numbers,
            in_order(numbers, starts, ends, ties),
            least,
            largest if self.until is None else self.until,
            Packed(primitives, words),
        )

    def _bounds(self, columns: list[pa.ChunkedArray], ends: Integers) -> tuple[int, int]:
        """The first and last time there is; without timers it does not matter whose."""
        if not self.bounded:
            return int(ends.min()), int(ends.max())
        table = pa.table(dict(zip(("first", "last"), columns, strict=True)))
        first, last, _ = time_columns(Source(table, "first", "last", as_is=True))
        return int(first[0].as_py()), int(last[0].as_py())


def _place(rows: pa.Table, task: Task) -> Callable[[int], str]:
    """What a person calls a row of a distributed table: its key and times."""
    names = dict.fromkeys((*task.keys, task.start, task.end))

    def place(row: int) -> str:
        return "the row with " + ", ".join(f"{name} {rows.column(name)[row]}" for name in names)

    return place
