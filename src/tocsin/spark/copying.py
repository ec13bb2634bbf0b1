"""Files copied to Parquet, piece by piece, in types that Spark has."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.errors import PySparkTypeError
from pyspark.sql.pandas.types import from_arrow_type

from tocsin.errors import DataError
from tocsin.tables.normal import normal_type
from tocsin.tables.nulls import is_time
from tocsin.tables.source import Source
from tocsin.tables.times import time_columns

if TYPE_CHECKING:
    from tocsin.spark.files import Events

_INSTEAD = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.int64(),
    pa.null(): pa.string(),
}
"""What Spark has in place of types that it lacks."""


def copy(events: Events, path: Path) -> pa.Schema:
    """Copy the events to a Parquet file; returns its schema."""
    tables = _tables(events)
    first = next(tables)
    with pq.ParquetWriter(path, first.schema) as writer:
        for table in tables:
            writer.write_table(table)
    schema: pa.Schema = first.schema
    return schema


def holds_times(kind: pa.DataType) -> bool:
    """Whether Spark can tell times by values of a type; others have to be read first."""
    return bool(
        pa.types.is_signed_integer(kind) or pa.types.is_timestamp(kind) or pa.types.is_date(kind)
    )


def is_known(kind: pa.DataType) -> bool:
    """Whether Spark has a type for the values.

    >>> is_known(pa.uint8()), is_known(pa.list_(pa.time64("us")))
    (True, False)
    """
    target = _target(kind)
    inner = [target.field(number).type for number in range(target.num_fields)]
    if pa.types.is_time(target) or not all(map(is_known, inner)):
        return False
    try:
        from_arrow_type(target)
    except PySparkTypeError:
        return False
    return True


def reads_the_same(kind: pa.DataType) -> bool:
    """Whether Spark reads the values of such a column off a Parquet file as they are."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_timestamp(kind):
        return kind.unit in ("ms", "us")
    return bool(_target(kind) == kind) or pa.types.is_large_string(kind)


def _target(kind: pa.DataType) -> pa.DataType:
    """The type that values of a type get on their way."""
    if isinstance(kind, pa.BaseExtensionType):
        return _target(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _target(kind.value_type)
    return _INSTEAD.get(kind, normal_type(kind))


def _tables(events: Events) -> Iterator[pa.Table]:
    """First one without rows, then the pieces."""
    written = _time_type(events) if any(n != g for n, g in events.times.items()) else None
    before = 0
    for table in chain([events.files.schema.empty_table()], events.files.tables()):
        source = _source(events, table, before)
        columns = {name: _column(source, name) for name in events.columns}
        columns |= _times(events, source, written)
        columns[events.position] = pa.array(np.arange(before, before + len(table)))
        yield pa.table(columns)
        before += len(table)


def _times(
    events: Events, source: Source, written: pa.DataType | None
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
        for name, given in events.times.items()
        if given != name
    }


def _column(source: Source, name: str) -> pa.ChunkedArray:
    column = source.column(name)
    try:
        return column.cast(_INSTEAD.get(column.type, column.type))
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


def _time_type(events: Events) -> pa.DataType:
    """The type of times that are written as text, say, found by the first of them."""
    before = 0
    for table in events.files.tables():
        source = _source(events, table, before)
        known = _known(source)
        row = int(pc.index(known, True).as_py())
        if row >= 0:
            return time_columns(_source(events, table.slice(row, 1), before + row))[2].type
        before += len(table)
    return pa.int64()


def _source(events: Events, table: pa.Table, before: int) -> Source:
    """A piece of the files, of which so many rows come before."""
    return Source(
        table,
        events.start,
        events.end,
        texts=True,
        place=lambda row: events.files.place(before + row),
    )
