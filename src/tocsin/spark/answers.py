"""From what the engine found to batches of a result, in its types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine.found import Found
from tocsin.tables.ranks import Integers

BATCH = 1 << 24
"""About so many bytes make a batch."""

SMALL = 256
"""So many bytes an occurrence or an event counts for, without its carried columns."""

LARGE = 1024
"""Rows with less than so many bytes of text need not be weighed one by one."""


@dataclass(frozen=True)
class Answers:
    """Where occurrences find their columns."""

    keys: pa.Table
    """A row for each key."""
    carried: pa.Table
    """A row for each event."""
    time: pa.DataType

    def batches(
        self, pattern: str, primitives: Sequence[str], found: Found
    ) -> Iterator[pa.RecordBatch]:
        """The occurrences of one pattern, a batch at a time."""
        names = pa.array(primitives, pa.string())
        for low, high in self._cuts(found):
            own, offsets = slice(low, high), found.offsets[low : high + 1]
            parts = slice(offsets[0], offsets[-1])
            rows = pa.array(found.part_row[parts])
            event = {
                "name": names.take(pa.array(found.part_primitive[parts])),
                "start": self._times(found.part_start[parts]),
                "end": self._times(found.part_end[parts]),
                **{name: _flat(column.take(rows)) for name, column in _columns(self.carried)},
            }
            structs = pa.StructArray.from_arrays(list(event.values()), names=list(event))
            which = pa.array(found.key[own])
            columns = {
                **{name: _flat(column.take(which)) for name, column in _columns(self.keys)},
                "pattern": pa.repeat(pattern, high - low),
                "start": self._times(found.start[own]),
                "end": self._times(found.end[own]),
                "detected": self._times(found.detected[own]),
                "events": pa.ListArray.from_arrays(
                    pa.array((offsets - offsets[0]).astype(np.int32)), structs
                ),
            }
            yield pa.RecordBatch.from_pydict(columns)

    def _times(self, ticks: Integers) -> pa.Array:
        return pa.array(ticks).view(self.time)

    def _cuts(self, found: Found) -> Iterator[tuple[int, int]]:
        """From which occurrence to which a batch goes."""
        size = found.key.size
        bytes_before = SMALL * (found.offsets + np.arange(size + 1))
        if size and self._weights is not None:
            total = np.concatenate(([0], np.cumsum(self._weights[found.part_row])))
            bytes_before += total[found.offsets]
        low = 0
        while low < size:
            reach = np.searchsorted(bytes_before, bytes_before[low] + BATCH, side="right") - 1
            high = max(low + 1, int(reach))
            yield low, high
            low = high

    @cached_property
    def _weights(self) -> Integers | None:
        """The bytes of each event's row, where some are large: a batch of them could be too."""
        rows = self.carried.num_rows
        weights, heavy = np.zeros(rows, np.int64), False
        for _, column in _columns(self.carried):
            if _is_text(column.type):
                own = pc.fill_null(pc.binary_length(column), 0).to_numpy()
                heavy |= bool(own.max(initial=0) > LARGE)
                weights += own
            elif rows and pa.types.is_nested(column.type):
                average = column.nbytes // rows
                heavy |= average > LARGE
                weights += average
        return weights if heavy else None


def _is_text(kind: pa.DataType) -> bool:
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)
    return any(test(kind) for test in (*tests, pa.types.is_large_binary))


def _columns(table: pa.Table) -> Iterator[tuple[str, pa.ChunkedArray]]:
    return zip(table.column_names, table.columns, strict=True)


def _flat(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks()
