"""A table's rows through its shuffle: packed before it by bucket, and together again after it.

A packet costs Spark about as much as a row does, and holds thousands of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tocsin.spark.packets import BYTES, gathered, narrow, parted, to_bytes

PACKED = "label bigint, packet binary"
BUCKET = "bucket"
"""The column that says into which bucket a row goes."""

ROWS = 1 << 20
"""So many rows are packed together: a key had better occur in them more than once."""


@dataclass(frozen=True)
class Packing:
    """Packs the rows of a task. They have the columns of the key, others, words of bits, and last
    the number of their bucket."""

    labels: tuple[int, ...]
    """What the buckets are called."""
    keys: int
    primitives: int
    """How many there are."""
    records: int
    """How many rows Spark hands to Python at once; none means that it counts none."""

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The packets of a task."""
        for table in gathered(batches, ROWS):
            whose = table.column(BUCKET).to_numpy()
            rows = narrow(table.drop_columns([BUCKET]), self.primitives)
            labels: list[int] = []
            packets: list[bytes | None] = []
            for bucket, some in parted(rows, whose, len(self.labels)):
                packet = to_bytes(self._numbered(some))
                # Spark limits the rows of an Arrow batch, and would gather gigabytes of packets:
                # rows without one keep it from that.
                blank = packet.size * max(self.records, 0) // BYTES
                labels += [self.labels[bucket]] * (1 + blank)
                packets += [packet.to_pybytes()] + [None] * blank
            yield pa.record_batch(
                {"label": pa.array(labels, pa.int64()), "packet": pa.array(packets, pa.binary())}
            )

    def _numbered(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """The rows with their keys as numbers into a list of those that there are, where that is
        shorter: less moves, and who groups the rows has only the list to look at."""
        for place in range(self.keys):
            column = rows.column(place)
            if pa.types.is_nested(column.type):
                continue
            coded = column.dictionary_encode()
            if 2 * len(coded.dictionary) <= len(column):
                small = len(coded.dictionary) <= np.iinfo(np.int16).max
                indices = coded.indices.cast(pa.int16()) if small else coded.indices
                coded = pa.DictionaryArray.from_arrays(indices, coded.dictionary)
                rows = rows.set_column(place, rows.schema.field(place).name, coded)
        return rows


def opened(packets: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows that were packed."""
    for batch in packets:
        for packet in batch.column("packet"):
            if packet.is_valid:
                yield from pa.ipc.open_stream(packet.as_buffer())


def together(several: Sequence[pa.RecordBatch]) -> pa.Table:
    """The rows of several packets as one table. A column that has numbers in one of them has
    numbers into a single list.

    >>> few = pa.record_batch({"key": pa.array(["b", "b", "a"]).dictionary_encode()})
    >>> table = together([few, pa.record_batch({"key": pa.array(["c", "a"])})])
    >>> table.column("key").chunk(0).indices.to_pylist(), plain(table).column("key").to_pylist()
    ([0, 0, 1, 2, 1], ['b', 'b', 'a', 'c', 'a'])
    """
    columns = zip(*(rows.columns for rows in several), strict=True)
    named = zip(several[0].schema.names, columns, strict=True)
    return pa.table({name: _one(column) for name, column in named})


def plain(table: pa.Table) -> pa.Table:
    """The table with values in place of numbers."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            values = table.column(place).cast(field.type.value_type)
            table = table.set_column(place, field.name, values)
    return table


def _one(column: Sequence[pa.Array]) -> pa.ChunkedArray | pa.Array:
    coded = [isinstance(part, pa.DictionaryArray) for part in column]
    if not any(coded):
        return pa.chunked_array(column)
    lists = [part.dictionary if own else part for part, own in zip(column, coded, strict=True)]
    every = pa.concat_arrays(lists).dictionary_encode()
    place = every.indices.to_numpy()
    begins = np.cumsum([0, *map(len, lists)])
    numbers = [
        place[begin:][part.indices.to_numpy()] if own else place[begin : begin + len(part)]
        for begin, part, own in zip(begins[:-1], column, coded, strict=True)
    ]
    return pa.DictionaryArray.from_arrays(pa.array(np.concatenate(numbers)), every.dictionary)
