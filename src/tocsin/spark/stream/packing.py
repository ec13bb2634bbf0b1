"""Before the shuffle: a task's rows, packed as Arrow IPC bytes, one packet per bucket."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tocsin.spark.labels import CONTROL
from tocsin.spark.packets import gathered, parted, to_bytes
from tocsin.spark.stream.rows import read_rows
from tocsin.spark.stream.setup import HASH, Setup

PACKED = "label bigint, packet binary, least bigint"
NO_END = 2**63 - 1
"""Stands for the least end of no rows: pandas would make numbers with nulls inexact."""

ROWS = 1 << 19
"""So many rows are packed together."""


@dataclass(frozen=True)
class Packing:
    """Packs the rows of a task. Each task also tells every bucket that there is a micro-batch, and
    the least end that it saw."""

    setup: Setup
    labels: tuple[int, ...]

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The packets of a task."""
        least = NO_END
        for table in gathered(batches, ROWS):
            rows = read_rows(table, self.setup, 0)
            least = min(least, int(rows.ends.min()))
            yield self._packets(rows.table)
        every = [CONTROL, *self.labels]
        yield _batch(every, [b""] * len(every), least)

    def _packets(self, table: pa.Table) -> pa.RecordBatch:
        hashes = table.column(HASH).to_numpy()
        upper = pa.array((hashes >> 16).astype(np.int16))  # enough to find a chunk of the bucket
        table = table.set_column(table.schema.get_field_index(HASH), HASH, upper)
        used, packets = [], []
        for bucket, rows in parted(table, hashes % len(self.labels), len(self.labels)):
            used.append(self.labels[bucket])
            packets.append(to_bytes(rows).to_pybytes())
        return _batch(used, packets, NO_END)


def _batch(labels: list[int], packets: list[bytes], least: int) -> pa.RecordBatch:
    return pa.record_batch(
        {
            "label": pa.array(labels, pa.int64()),
            "packet": pa.array(packets, pa.binary()),
            "least": pa.array([least] * len(labels), pa.int64()),
        }
    )
