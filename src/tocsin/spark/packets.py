"""Rows as packets: the Arrow IPC bytes of a bucket of keys, which Spark moves faster than rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa

from tocsin.engine.plan import WORD
from tocsin.tables.ranks import Integers

BYTES = 1 << 26
"""So many bytes are packed together at most, and go to Python together."""

_WORDS = ((8, pa.uint8()), (16, pa.uint16()), (32, pa.uint32()))
"""How many bits fit into what."""


def to_bytes(rows: pa.Table | pa.RecordBatch) -> pa.Buffer:
    """Rows as an Arrow IPC stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write(rows)
    return sink.getvalue()


def to_table(value: bytes | pa.Buffer) -> pa.Table:
    """Rows from an Arrow IPC stream."""
    return pa.ipc.open_stream(value).read_all()


def gathered(batches: Iterable[pa.RecordBatch], most: int) -> Iterator[pa.Table]:
    """Spark's small batches, about so many rows together.

    >>> batch = pa.record_batch({"n": [1, 2]})
    >>> [table.num_rows for table in gathered([batch] * 5, most=4)]
    [4, 4, 2]
    """
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        waiting.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= most or size >= BYTES:
            yield pa.Table.from_batches(waiting).combine_chunks()
            waiting, rows, size = [], 0, 0
    if waiting:
        yield pa.Table.from_batches(waiting).combine_chunks()


def parted(table: pa.Table, whose: Integers, buckets: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of each bucket that has some, in the order in which they came.

    >>> table, whose = pa.table({"n": [7, 8, 9]}), np.array([2, 0, 2])
    >>> [(bucket, rows.column("n").to_pylist()) for bucket, rows in parted(table, whose, 3)]
    [(0, [8]), (2, [7, 9])]
    """
    whose = whose.astype(np.min_scalar_type(buckets))  # small numbers are sorted by counting
    order = np.argsort(whose, kind="stable")
    stops = np.searchsorted(whose[order], np.arange(buckets + 1))
    if buckets > 1:
        table = table.take(pa.array(order)).combine_chunks()
    for batch in table.to_batches():
        for bucket, (low, high) in enumerate(pairwise(stops)):
            if low < high:
                yield bucket, batch.slice(low, high - low)


def narrow(table: pa.Table, primitives: int) -> pa.Table:
    """The table with words of bits, word_0 and so on, that are no wider than so many primitives
    need, mostly a byte.

    >>> narrow(pa.table({"word_0": [1, 2]}), 8).schema.field("word_0").type
    DataType(uint8)
    """
    for number, first in enumerate(range(0, primitives + 1, WORD)):
        used = min(primitives - first, WORD)
        kind = next((kind for width, kind in _WORDS if used <= width), pa.int64())
        place = table.schema.get_field_index(f"word_{number}")
        if table.schema.field(place).type != kind:
            name = table.schema.field(place).name
            table = table.set_column(place, name, table.column(place).cast(kind))
    return table
