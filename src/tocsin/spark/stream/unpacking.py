"""After the state: packets become rows. Little is imported: a worker of its own does only this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa


def unpacked(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of the result, from packets."""
    for batch in batches:
        for packet in batch.column(0):
            yield from pa.ipc.open_stream(packet.as_buffer())
