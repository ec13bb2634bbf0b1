"""Rows whose key or time is null: left out, counted, and warned of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.tables.source import Source
from tocsin.tables.warn import warn


def without_nulls(source: Source, keys: Sequence[str]) -> tuple[Source, int, int]:
    """The rows that have a key and a time, and how many have no key, and of the rest no time.

    >>> from tocsin.tables.source import read
    >>> without_nulls(read([("A", 1), ("B", 2)]), [])[1:]
    (0, 0)
    """
    source, null_keys = _kept(source, [pc.is_valid(source.column(name, "key")) for name in keys])
    one = source.start == source.end
    times = {source.start: "time"} if one else {source.start: "start", source.end: "end"}
    known = [is_time(source.column(name, use)) for name, use in times.items()]
    source, null_times = _kept(source, known)
    warn_of_nulls(keys, null_keys)
    warn_of_nulls(times, null_times)
    return source, null_keys, null_times


def warn_of_nulls(columns: Iterable[str], rows: int) -> None:
    """Say how many rows were left out, if any were."""
    if rows:
        what = " or ".join(columns)
        warn(f"rows left out because {what} is null: {rows:,}; fill it in to keep them")


def _kept(source: Source, known: Sequence[pa.ChunkedArray]) -> tuple[Source, int]:
    if not known:
        return source, 0
    kept = reduce(pc.and_, known)
    dropped = len(source) - (pc.sum(kept).as_py() or 0)
    return (source.filter(kept.combine_chunks()) if dropped else source), dropped


def is_time(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whether there is a value; NaN is how numbers say that there is none."""
    if pa.types.is_floating(column.type):
        return pc.invert(pc.is_null(column, nan_is_null=True))
    return pc.is_valid(column)
