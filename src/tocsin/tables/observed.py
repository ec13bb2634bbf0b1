"""A source made ready for detection: times, order, keys, and which rows are which events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tocsin.errors import DefinitionError
from tocsin.language.nodes import Primitive
from tocsin.tables.nulls import without_nulls
from tocsin.tables.packed import used
from tocsin.tables.predicates import matches
from tocsin.tables.ranks import Integers, Sorted, arrivals, groups, has_order, sort
from tocsin.tables.source import Source
from tocsin.tables.times import Axis, time_columns


@dataclass(frozen=True)
class Observed:
    """What was observed. Rows are counted in `source`, not in the input."""

    source: Source
    axis: Axis
    starts: Integers
    ends: Integers
    """The same array as `starts` where events have one time."""
    groups: Integers
    """Which key each row has, by number; keys go by their values."""
    sorted: Sorted
    """The rows by key and then in the order among equals (SPEC §1)."""
    began: int | None
    """The first row known, so the least end (see `History`)."""
    until: int | None
    matches: Mapping[Primitive, pa.BooleanArray]
    """For each primitive, whether each row is an occurrence of it."""
    null_keys: int = 0
    null_times: int = 0
    """How many rows were left out because they have no key or, having one, no time."""
    arrival: Integers | None = None
    """Where rows are used on arrival: when each did. `sorted` then has it in place of ends."""

    @cached_property
    def used(self) -> NDArray[np.bool_]:
        """Which rows are an occurrence of some primitive."""
        return used(self.matches, len(self.source))

    @cached_property
    def first_rows(self) -> Integers:
        """For each key its first row."""
        return self.sorted.order[np.flatnonzero(np.diff(self.sorted.groups, prepend=-1))]


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
    zone: tzinfo,
    on_arrival: bool = False,
) -> Observed:
    """Read everything that detection needs off a source.

    >>> from datetime import UTC
    >>> from tocsin.tables.source import read
    >>> seen = observe(read([("A", 4), ("A", 1)]), [Primitive("A")], zone=UTC)
    >>> seen.sorted.order.tolist(), seen.began, seen.until
    ([1, 0], 1, 4)
    """
    for name in keys:
        ordered(source, name, "key")
    for name in order_by:
        ordered(source, name, "order_by")
    ties = [*order_by, *carry]
    source, null_keys, null_times = without_nulls(source, keys)
    first, last, axis = time_columns(source, unit=unit, zone=zone)
    ends = last.to_numpy()
    starts = ends if first is last else first.to_numpy()
    numbers = groups([source.column(name) for name in keys], len(source))
    latest = int(ends.max()) if ends.size else None
    arrival = arrivals(numbers, ends) if on_arrival else None
    known = ends if arrival is None else arrival
    return Observed(
        source,
        axis,
        starts,
        ends,
        numbers,
        sort(numbers, starts, known, [source.column(name, "carry") for name in ties]),
        int(ends.min()) if ends.size else None,
        latest if until is None else axis.until(until),
        matches(source, primitives, type=type, zone=str(zone)),
        null_keys,
        null_times,
        arrival,
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
