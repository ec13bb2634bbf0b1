"""What runs on the executors: a partition's rows in, its occurrences out, as Arrow batches.

All keys of a partition go through the kernels together. Nothing here knows Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa

from tocsin.language.nodes import Expression
from tocsin.spark.packing import opened, plain, together
from tocsin.spark.pieces import Piece, Rows
from tocsin.spark.spilling import Runs, need
from tocsin.tables.hits import Reading
from tocsin.tables.planning import plans
from tocsin.tables.ranks import groups, sort
from tocsin.tables.source import Source
from tocsin.tables.times import Axis, time_columns

MEMORY = 1 << 30
"""About so much memory is taken for a partition before its rows go to disk."""

MOST = 3 << 30
"""More is never taken: a column of text holds 2 GB."""


@dataclass(frozen=True)
class Task:
    """What to look for, and what the columns of the rows are.

    Rows have the columns `names`, then their words of bits. They come in packets, beside which, if
    `bounded`, stand the first and the last time in the whole table.
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
    axis: Axis
    bounded: bool
    until: int | None
    memory: int = MEMORY

    def run(self, packets: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The occurrences in a partition."""
        from tocsin.spark.answers import Answers
        from tocsin.spark.feeding import Feed  # Numba takes a while, and only workers need it

        given = (batch for batch in packets if batch.num_rows)
        first = next(given, None)
        if first is None:
            return
        began, until = self._watched(first)
        feed = Feed(
            plans(
                self.patterns,
                self.reading,
                tick=self.axis.tick,
                durative=self.start != self.end,
            ),
            self.patterns,
            self.carry,
            zone=self.axis.zone,
            began=began,
            until=until,
        )
        for piece in self._pieces(opened(chain([first], given))):
            answers = Answers(self._key_values(piece), feed.carried(piece), self.axis.type)
            for plan, name, found in feed.take(piece):
                yield from answers.batches(self.labels[int(name)], plan.primitives, found)

    def _pieces(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Piece]:
        """The rows in order: all at once, or by way of the disk if they are too many."""
        memory = min(self.memory, MOST)
        held, size = [], 0
        with Runs(memory, self._arrange) as runs:
            for batch in batches:
                held.append(batch)
                size += need(batch)
                if size > memory:
                    runs.write(plain(_emptied(held)))
                    size = 0
            if held and runs:
                runs.write(plain(_emptied(held)))
            if runs:
                yield from runs.merged()
            else:
                rows = self._arrange(_emptied(held).combine_chunks())
                yield Piece(rows, rows.table.num_rows)

    def _arrange(self, table: pa.Table) -> Rows:
        """Find the order of rows."""
        count = len(self.names)
        words = np.stack([word.to_numpy() for word in table.columns[count:]])
        rows = table.select(range(count)).rename_columns(self.names)
        source = Source(rows, self.start, self.end, place=_place(rows, self), as_is=True)
        first, last, _ = time_columns(source)
        ends = last.to_numpy()
        starts = ends if first is last else first.to_numpy()
        numbers = groups([source.column(name) for name in self.keys], len(source))
        ties = [source.column(name) for name in (*self.order_by, *self.carry)]
        # Rows come in whatever order the shuffle gave them. What is the same in all that SPEC §1
        # goes by can still be different events: the bits decide, so that answers are repeatable.
        ties += [pa.chunked_array([word]) for word in words]
        return Rows(rows, words, sort(numbers, starts, ends, ties))

    def _watched(self, batch: pa.RecordBatch) -> tuple[int | None, int | None]:
        """The first and last time there is, where it matters."""
        if not self.bounded:
            return None, self.until
        table = pa.Table.from_batches([batch.slice(0, 1)])
        first, last, _ = time_columns(Source(table, "first", "last", as_is=True))
        until = int(last[0].as_py()) if self.until is None else self.until
        return int(first[0].as_py()), until

    def _key_values(self, piece: Piece) -> pa.Table:
        """The key columns, a row for each key of a piece."""
        ordered = piece.rows.sorted.some(slice(piece.size))
        begins = np.flatnonzero(np.diff(ordered.groups, prepend=-1))
        return plain(piece.rows.table.select(self.keys).take(pa.array(ordered.order[begins])))


def _emptied(held: list[pa.RecordBatch]) -> pa.Table:
    """The batches as a table; they go with it."""
    table = together(held)
    held.clear()
    return table


def _place(rows: pa.Table, task: Task) -> Callable[[int], str]:
    """What a person calls a row of a distributed table: its key and times."""
    names = dict.fromkeys((*task.keys, task.start, task.end))

    def place(row: int) -> str:
        return "the row with " + ", ".join(f"{name} {rows.column(name)[row]}" for name in names)

    return place
