"""A source made ready for detection: times, order, keys, and which rows are which events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.errors import DefinitionError
from tocsin.language.nodes import Primitive
from tocsin.tables.predicates import Matches, matches
from tocsin.tables.ranks import groups, has_order, ranks
from tocsin.tables.source import Source
from tocsin.tables.times import Axis, time_columns
from tocsin.tables.warn import warn


@dataclass(frozen=True)
class Observed:
    """What was observed. Rows are counted in `source`, not in the input."""

    source: Source
    axis: Axis
    starts: pa.Int64Array
    ends: pa.Int64Array
    ranks: list[int]
    """The order among equals (SPEC §1)."""
    groups: list[list[int]]
    """The rows of each key, keys in the order of their values."""
    began: int | None
    """The first row known, so the least end (see `History`)."""
    until: int | None
    matches: Matches


def observe(
    source: Source,
    primitives: Iterable[Primitive],
    *,
    keys: Sequence[str] = (),
    order_by: Sequence[str] = (),
    carry: Sequence[str] = (),
    type: str = "type",
    unit: str | None = None,
    until: Any = None,
    zone: ZoneInfo,
) -> Observed:
    """Read everything that detection needs off a source.

    >>> from tocsin.tables.source import read
    >>> seen = observe(read([("A", 4), ("A", 1)]), [Primitive("A")], zone=ZoneInfo("UTC"))
    >>> seen.ranks, seen.began, seen.until
    ([1, 0], 1, 4)
    """
    key_columns = [ordered(source, name, "key") for name in keys]
    for name in order_by:
        ordered(source, name, "order_by")
    ties = [*order_by, *carry]
    source = _without_null_keys(source, keys, key_columns)
    starts, ends, axis = time_columns(source, unit=unit, zone=zone)
    bounds = pc.min(ends).as_py(), pc.max(ends).as_py()
    return Observed(
        source,
        axis,
        starts,
        ends,
        ranks(starts, ends, [source.column(name, "carry") for name in ties]),
        groups([source.column(name) for name in keys], len(source)),
        bounds[0],
        bounds[1] if until is None else axis.until(until),
        matches(source, primitives, type=type, zone=str(zone)),
    )


def ordered(source: Source, name: str, use: str) -> pa.ChunkedArray:
    """A column whose values can be compared."""
    column = source.column(name, use)
    if not has_order(column.type):
        raise DefinitionError(
            f"{use} is {name!r}, a column of {column.type}, whose values cannot be compared",
            hint="use another column, or one of its fields",
        )
    return column


def _without_null_keys(
    source: Source, keys: Sequence[str], columns: Sequence[pa.ChunkedArray]
) -> Source:
    kept = None
    for column in columns:
        valid = pc.is_valid(column)
        kept = valid if kept is None else pc.and_(kept, valid)
    if kept is None or pc.all(kept).as_py() is not False:
        return source
    dropped = len(source) - pc.sum(kept).as_py()
    warn(f"rows left out because {' or '.join(keys)} is null: {dropped:,}; fill it in to keep them")
    return source.filter(kept.combine_chunks())
