"""Rows that do not fit into memory: sorted runs of them in a file, and these merged.

The file has no name, so that nothing is left of it whatever happens to the process.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Self

import numpy as np
import pyarrow as pa

from tocsin.errors import StorageError
from tocsin.spark.pieces import Piece, Rows
from tocsin.tables.ranks import Integers

CHUNKS = 256
"""A run is written in chunks of this part of the memory: so many runs can be merged in it."""

Arrange = Callable[[pa.Table], Rows]
"""Finds the order of rows."""


class Runs:
    """Sorted runs of rows on disk, to be merged when all are there."""

    def __init__(self, memory: int, arrange: Arrange) -> None:
        self._memory, self._arrange = memory, arrange
        self._file: IO[bytes] | None = None
        self._writer: pa.ipc.RecordBatchFileWriter | None = None
        self._chunks: list[range] = []
        """Which chunks of the file each run has."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            with suppress(OSError):  # what could not be written before cannot be written now
                self._file.close()

    def __len__(self) -> int:
        return len(self._chunks)

    def write(self, table: pa.Table) -> None:
        """Sort some rows and write them down."""
        table = table.combine_chunks()
        ordered = table.take(pa.array(self._arrange(table).sorted.order))
        del table
        size = max(1, ordered.num_rows * self._memory // (CHUNKS * need(ordered)))
        chunks = ordered.to_batches(max_chunksize=size)
        with _in_words():
            if self._writer is None:
                self._file = tempfile.TemporaryFile(dir=folder())  # noqa: SIM115  # see __exit__
                options = pa.ipc.IpcWriteOptions(compression="lz4")
                self._writer = pa.ipc.new_file(self._file, ordered.schema, options=options)
            for chunk in chunks:
                self._writer.write_batch(chunk)
        first = self._chunks[-1].stop if self._chunks else 0
        self._chunks.append(range(first, first + len(chunks)))

    def merged(self) -> Iterator[Piece]:
        """All rows in order, in pieces that fit into memory."""
        assert self._writer is not None
        assert self._file is not None
        with _in_words():
            self._writer.close()
            self._file.flush()
            self._file.seek(0)
            reader = pa.ipc.open_file(self._file)
        runs = [_Run(reader, chunks) for chunks in self._chunks]
        share, opened = max(1, self._memory // len(runs)), False
        while runs:
            with _in_words():
                for run in runs:
                    run.fill(share)
            table = pa.concat_tables([run.rows for run in runs]).combine_chunks()
            rows = self._arrange(table)
            size, opened_next = _decided(rows, runs)
            if size:
                yield Piece(rows, size, opened, opened_next)
                opened = opened_next
                _drop(rows.sorted.order[:size], runs)
            else:  # one instant fills the memory
                share *= 2
            runs = [run for run in runs if run.rows.num_rows or not run.finished]


class _Run:
    """A run, of which some rows are in memory."""

    def __init__(self, reader: pa.ipc.RecordBatchFileReader, chunks: range) -> None:
        self._reader, self._left = reader, chunks
        self.rows = reader.schema.empty_table()

    @property
    def finished(self) -> bool:
        """Whether all of its rows have been read."""
        return not self._left

    def fill(self, share: int) -> None:
        """Read on until the rows in memory take their share of it."""
        held = self.rows.to_batches()
        size = sum(map(need, held))
        while size < share and self._left:
            held.append(self._reader.get_batch(self._left[0]))
            self._left = self._left[1:]
            size += need(held[-1])
        self.rows = pa.Table.from_batches(held, self._reader.schema)


def need(rows: pa.RecordBatch | pa.Table) -> int:
    """About how much memory it takes to work on some rows: they, a copy, and integers for each."""
    return int(2 * rows.nbytes + 96 * rows.num_rows)


def _decided(rows: Rows, runs: list[_Run]) -> tuple[int, bool]:
    """How many rows come before all that have not been read yet, and whether the key of the last
    of them may have more."""
    order, key, end = rows.sorted.order, rows.sorted.groups, rows.sorted.ends
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    last = np.cumsum([run.rows.num_rows for run in runs]) - 1
    ends = [place[row] for row, run in zip(last, runs, strict=True) if not run.finished]
    if not ends:
        return order.size, False
    # The instant of that row may go on in what has not been read.
    first = min(ends)
    low, high = np.searchsorted(key, key[first]), first + 1
    size = int(low + np.searchsorted(end[low:high], end[first]))
    return size, bool(size > low)


def _drop(taken: Integers, runs: list[_Run]) -> None:
    """Let go of rows that have been given out."""
    begins = np.cumsum([0, *(run.rows.num_rows for run in runs)])
    counts = np.diff(np.searchsorted(np.sort(taken), begins))
    for run, count in zip(runs, counts, strict=True):
        run.rows = run.rows.slice(count)


def folder() -> str | None:
    """Where temporary files go: one of the folders that Spark gives its workers."""
    folders = [f for f in os.environ.get("SPARK_LOCAL_DIRS", "").split(",") if os.path.isdir(f)]
    return random.choice(folders) if folders else None


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        place = folder() or tempfile.gettempdir()
        raise StorageError(
            "a partition is larger than the memory for it, and its rows cannot be kept on disk "
            f"({error.strerror or error})",
            where=place,
            hint="make room there, name another folder by spark.local.dir, raise "
            "spark.tocsin.memory, or use more partitions",
        ) from None
