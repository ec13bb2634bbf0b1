"""What a visit found, as packets of the result's rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tocsin.spark.packets import to_bytes
from tocsin.spark.stream.rows import Rows
from tocsin.spark.stream.setup import Setup
from tocsin.tables.results import Occurrences, Shape
from tocsin.tables.times import Axis

if TYPE_CHECKING:
    from tocsin.spark.stream.bucket import Visit

PARTS = 1 << 16
"""About so many events go into a packet."""

LATE = "late"


def packets(visit: Visit, setup: Setup, axis: Axis) -> Iterator[pa.Buffer]:
    """The rows of the result that a visit adds."""
    waiting: list[pa.Table] = []
    parts = 0
    for table in result_tables(visit, setup):
        for piece, size in _pieces(table):
            waiting.append(piece)
            parts += size
            if parts >= PARTS:
                yield _packet(waiting, axis)
                waiting, parts = [], 0
    if waiting:
        yield _packet(waiting, axis)


def result_tables(visit: Visit, setup: Setup) -> Iterator[pa.Table]:
    """Key columns, pattern, start, end, detected, events; times as integers. Where late rows are
    kept, the last column says which these are."""
    for label, table in visit.found:
        pattern = pa.repeat(pa.scalar(label, pa.string()), table.num_rows)
        table = table.add_column(len(setup.keys), "pattern", pattern)
        yield _marked(table, False) if setup.keep_late else table
    if visit.late is not None and setup.keep_late:
        yield _marked(_late(visit.late, setup), True)


def _late(rows: Rows, setup: Setup) -> pa.Table:
    """Late rows: of no pattern, each with itself as its only event, which has no name."""
    size, table = len(rows), rows.table
    columns = {name: table.column(setup.column(name)) for name in setup.keys}
    columns["pattern"] = pa.nulls(size, pa.string())
    times = {"start": pa.array(rows.starts), "end": pa.array(rows.ends)}
    carried = {name: table.column(setup.column(name)).combine_chunks() for name in setup.carry}
    event = {"name": pa.nulls(size, pa.string())} | times | carried
    structs = pa.StructArray.from_arrays(list(event.values()), names=list(event))
    offsets = pa.array(np.arange(size + 1), pa.int32())
    columns |= times | {"detected": times["end"]}
    return pa.table(columns | {"events": pa.ListArray.from_arrays(offsets, structs)})


def _marked(table: pa.Table, late: bool) -> pa.Table:
    return table.append_column(LATE, pa.repeat(pa.scalar(late), table.num_rows))


def _pieces(table: pa.Table) -> Iterator[tuple[pa.Table, int]]:
    """A table cut into pieces of not too many events, and how many each has."""
    offsets = table.column("events").combine_chunks().offsets.to_numpy()
    low = 0
    while low < table.num_rows:
        reach = np.searchsorted(offsets, offsets[low] + PARTS, side="right") - 1
        high = min(max(int(reach), low + 1), low + PARTS, table.num_rows)
        yield table.slice(low, high - low), max(int(offsets[high] - offsets[low]), high - low)
        low = high


def _packet(tables: list[pa.Table], axis: Axis) -> pa.Buffer:
    whole = pa.concat_tables(tables).combine_chunks()
    return to_bytes(Occurrences(whole, Shape(axis=axis)).to_arrow())
