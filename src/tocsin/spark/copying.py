"""Files piece by piece, in types that Spark has; and so copied to Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tocsin.errors import DataError
from tocsin.spark.wanted import INSTEAD, Wanted
from tocsin.tables.files import Files
from tocsin.tables.nulls import is_time
from tocsin.tables.source import Source
from tocsin.tables.times import time_columns


def copy(files: Files, wanted: Wanted, path: Path) -> pa.Schema:
    """Copy what is wanted of some files to a Parquet file; returns its schema."""
    written = time_type(files, wanted)
    schema: pa.Schema = piece(files.schema.empty_table(), wanted, written).schema
    with pq.ParquetWriter(path, schema) as writer:
        for table in pieces(files, wanted, written):
            writer.write_table(table)
    return schema


def pieces(files: Files, wanted: Wanted, written: pa.DataType | None) -> Iterator[pa.Table]:
    """What is wanted of some files; `written` is their `time_type`."""
    before = 0
    for table in files.tables():
        yield piece(table, wanted, written, before, files.place)
        before += len(table)


def piece(
    table: pa.Table,
    wanted: Wanted,
    written: pa.DataType | None,
    before: int = 0,
    place: Callable[[int], str] = str,
) -> pa.Table:
    """What is wanted of a piece of files, of which so many rows come before."""
    source = _source(table, wanted, before, place)
    columns = {name: _column(source, name) for name in wanted.columns}
    columns |= _times(source, wanted, written)
    columns[wanted.position] = pa.array(np.arange(before, before + len(table)))
    return pa.table(columns)


def time_type(files: Files, wanted: Wanted) -> pa.DataType | None:
    """The type of times that are written as text, say, found by the first of them."""
    if all(name == given for name, given in wanted.times.items()):
        return None
    before = 0
    for table in files.tables():
        known = _known(_source(table, wanted, before, files.place))
        row = int(pc.index(known, True).as_py())
        if row >= 0:
            first = _source(table.slice(row, 1), wanted, before + row, files.place)
            return time_columns(first)[2].type
        before += len(table)
    return pa.int64()


def _times(
    source: Source, wanted: Wanted, written: pa.DataType | None
) -> dict[str, pa.ChunkedArray]:
    """The columns of times that have to be read; what is wrong with any time is said."""
    known = _known(source)
    starts, ends, axis = time_columns(source.filter(known))
    if written is None:
        return {}
    if len(starts) and axis.type != written:
        row = int(pc.index(known, True).as_py())
        raise DataError(
            f"the time {source.column(source.start)[row]} is not like those of the rows before",
            where=source.where(row),
            hint="write all times in one way",
        )
    ticks = {source.start: starts, source.end: ends}
    nulls = pa.nulls(len(source), pa.int64())
    return {
        given: pc.replace_with_mask(nulls, known, ticks[name]).cast(written)
        for name, given in wanted.times.items()
        if given != name
    }


def _column(source: Source, name: str) -> pa.ChunkedArray:
    column = source.column(name)
    try:
        return column.cast(INSTEAD.get(column.type, column.type))
    except pa.ArrowInvalid:
        row = int(pc.index(pc.greater(column, 2**63 - 1), True).as_py())
        raise DataError(
            f"the column {name!r} holds {column[row]}, which is beyond what Spark's integers hold",
            where=source.where(row),
            hint="write --engine local",
        ) from None


def _known(source: Source) -> pa.BooleanArray:
    """Which rows have a time."""
    names = dict.fromkeys((source.start, source.end))
    return reduce(pc.and_, [is_time(source.column(name)) for name in names]).combine_chunks()


def _source(table: pa.Table, wanted: Wanted, before: int, place: Callable[[int], str]) -> Source:
    return Source(
        table, wanted.start, wanted.end, texts=True, place=lambda row: place(before + row)
    )
