"""What detection gives back: a sequence of occurrences, which is a table underneath."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, overload

import pyarrow as pa

from tocsin.errors import did_you_mean
from tocsin.tables.times import Axis

Time = int | datetime

TIMES = ("start", "end", "detected")
"""The columns of times, which are integers inside and have the axis's type outside."""

SHOWN = 10
"""How many occurrences are printed of a result."""


@dataclass(frozen=True)
class Event:
    """A row that is part of an occurrence; its carried columns are attributes and items.

    >>> event = Event("A", 1, 1, 0, {"ip": "10.0.0.7"})
    >>> event, event.ip, event["ip"]
    (A@1, '10.0.0.7', '10.0.0.7')
    """

    name: str
    start: Time
    end: Time
    row: int
    """The position of the row in the input, from 0 on."""
    carried: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __getitem__(self, column: str) -> Any:
        if column in ("name", "start", "end", "row"):
            return getattr(self, column)
        return self.carried[column]

    def __getattr__(self, column: str) -> Any:
        # Only asked for what is not a field.
        return _found(self, "carried", column)

    def __repr__(self) -> str:
        return f"{self.name}@{_span(self.start, self.end)}"


@dataclass(frozen=True)
class Occurrence:
    """One time that a pattern happened; its measures are attributes.

    >>> a = Event("A", 1, 1, 0)
    >>> Occurrence("A ; B", 1, 3, 3, "ann", (a, Event("B", 3, 3, 1)))
    1..3 A@1 B@3 of 'ann'
    """

    pattern: str
    start: Time
    end: Time
    detected: Time
    key: Any = field(hash=False)
    """The value of the key column; of several columns, a tuple; without any, None."""
    events: tuple[Event, ...]
    measures: Mapping[str, Any] = field(default_factory=dict, hash=False)
    policy: str = "synchronous"
    """Whether it was found in order of time, or on arrival, and then how (SPEC §8)."""

    def __getattr__(self, measure: str) -> Any:
        return _found(self, "measures", measure)

    def __repr__(self) -> str:
        late = f"!{_text(self.detected)}" if self.detected != self.end else ""
        parts = [f"{_span(self.start, self.end)}{late}", *map(repr, self.events)]
        parts += [f"{name}={value!r}" for name, value in self.measures.items()]
        return " ".join(parts) + ("" if self.key is None else f" of {self.key!r}")


@dataclass(frozen=True)
class Shape:
    """Which columns a result has, besides pattern, start, end, detected and events."""

    key: str | tuple[str, ...] | None = None
    carry: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    policy: str = "synchronous"
    """If it is another, the column `policy` says so."""
    axis: Axis | None = None
    """None where there was nothing to read it off: an empty list or file."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the key columns."""
        if self.key is None:
            return ()
        return (self.key,) if isinstance(self.key, str) else self.key


@dataclass(frozen=True)
class Counts:
    """How many rows went into a result."""

    rows: int
    """All that were read."""
    used: int
    """Those that are an occurrence of some primitive."""
    null_keys: int = 0
    """Those left out because a key is null."""
    null_times: int = 0
    """Those left out because, with a key, they have no time."""


class Occurrences(Sequence[Occurrence]):
    """Occurrences in the order of (detected, end, start), also as an Arrow table.

    >>> import tocsin as tc
    >>> found = tc.detect("A ; B", [("A", 1), ("B", 3), ("A", 4), ("B", 9)])
    >>> found
    2 occurrences
      1..3 A@1 B@3
      4..9 A@4 B@9
    >>> found[0].events[1].row, [o.start for o in found[1:]]
    (1, [4])
    >>> found.to_arrow().column_names
    ['pattern', 'start', 'end', 'detected', 'events']
    """

    def __init__(self, table: pa.Table, shape: Shape, counts: Counts | None = None) -> None:
        self._table, self._shape = table, shape
        self.counts = counts or Counts(0, 0)
        """How many rows were read, used, and left out."""

    @classmethod
    def none(cls, shape: Shape, measures: Iterable[str] = ()) -> Occurrences:
        """No occurrences in nothing at all: of most columns not even the type is known.

        >>> Occurrences.none(Shape(key="user")).to_arrow().column_names
        ['user', 'pattern', 'start', 'end', 'detected', 'events']
        """
        times = [(name, pa.int64()) for name in TIMES]
        carried = [(name, pa.null()) for name in shape.carry]
        event = pa.struct([("name", pa.string()), *times[:2], ("row", pa.int64()), *carried])
        keys = [(name, pa.null()) for name in shape.keys]
        columns = [*keys, ("pattern", pa.string()), *times, ("events", pa.list_(event))]
        empty = marked(pa.schema(columns).empty_table(), shape.policy)
        return cls(empty, shape).with_measures(
            dict.fromkeys(measures, pa.chunked_array([pa.nulls(0)]))
        )

    @classmethod
    def of_arrow(cls, table: pa.Table, shape: Shape, counts: Counts | None = None) -> Occurrences:
        """From a table as `to_arrow` gives it, which says no more in which row an event was."""
        kind = table.schema.field("events").type.value_type
        fields = [f.with_type(pa.int64()) if f.name in TIMES else f for f in kind]
        return cls(_with(table, pa.int64(), [*fields, pa.field("row", pa.int64())]), shape, counts)

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the key columns."""
        return self._shape.keys

    def with_measures(self, measures: Mapping[str, pa.ChunkedArray]) -> Occurrences:
        """The same occurrences with further columns."""
        table = self._table
        for name, values in measures.items():
            table = table.append_column(name, values)
        return Occurrences(table, replace(self._shape, measures=tuple(measures)), self.counts)

    def to_arrow(self) -> pa.Table:
        """The table: keys, pattern, start, end, detected, events, on arrival policy, measures.

        An event is a struct of name, start, end and the carried columns.
        """
        type_ = self._shape.axis.type if self._shape.axis else pa.int64()
        kind = self._table.schema.field("events").type.value_type
        fields = [f.with_type(type_) if f.name in TIMES else f for f in kind if f.name != "row"]
        return _with(self._table, type_, fields)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    @overload
    def __getitem__(self, index: int) -> Occurrence: ...
    @overload
    def __getitem__(self, index: slice) -> Occurrences: ...
    def __getitem__(self, index: int | slice) -> Occurrence | Occurrences:
        if isinstance(index, slice):
            rows = pa.array(range(len(self))[index], pa.int64())
            return Occurrences(self._table.take(rows), self._shape, self.counts)
        row = range(len(self))[index]
        return next(self._read(self._table.slice(row, 1)))

    def __iter__(self) -> Iterator[Occurrence]:
        return self._read(self._table)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Occurrences):
            return NotImplemented
        return self._shape == other._shape and bool(self._table.equals(other._table))

    def __repr__(self) -> str:
        count = f"{len(self):,} occurrence{'' if len(self) == 1 else 's'}"
        if self._shape.policy != "synchronous":
            count += f", {self._shape.policy}"
        lines = [f"  {occurrence!r}" for occurrence in self[:SHOWN]]
        if len(self) > SHOWN:
            lines.append(f"  … and {len(self) - SHOWN:,} more")
        return "\n".join([count, *lines])

    def _read(self, table: pa.Table) -> Iterator[Occurrence]:
        for batch in table.to_batches(max_chunksize=1024):
            for row in batch.to_pylist():
                key = tuple(row[name] for name in self.keys)
                yield Occurrence(
                    row["pattern"],
                    self._time(row["start"]),
                    self._time(row["end"]),
                    self._time(row["detected"]),
                    key[0] if isinstance(self._shape.key, str) else key or None,
                    tuple(self._event(event) for event in row["events"]),
                    {name: row[name] for name in self._shape.measures},
                    self._shape.policy,
                )

    def _event(self, row: dict[str, Any]) -> Event:
        carried = {name: row[name] for name in self._shape.carry}
        return Event(
            row["name"], self._time(row["start"]), self._time(row["end"]), row["row"], carried
        )

    def _time(self, ticks: int) -> Time:
        return self._shape.axis.value(ticks) if self._shape.axis else ticks


def marked(table: pa.Table, policy: str) -> pa.Table:
    """A result's table, with a column that says so if it was found on arrival."""
    if policy == "synchronous":
        return table
    return table.append_column("policy", pa.array([policy] * len(table), pa.string()))


def _with(table: pa.Table, time: pa.DataType, fields: list[pa.Field]) -> pa.Table:
    """The table with times of a type, and events of these fields only."""
    for number, name in enumerate(table.column_names):
        if name in TIMES:
            table = table.set_column(number, name, table.column(name).cast(time))
        elif name == "events":
            chunks = [_list(chunk, fields) for chunk in table.column(name).chunks]
            column = pa.chunked_array(chunks, pa.list_(pa.struct(fields)))
            table = table.set_column(number, name, column)
    return table


def _list(chunk: pa.ListArray, fields: list[pa.Field]) -> pa.ListArray:
    """A list of structs with these fields only, in these types; what there is not is null."""
    there = [f.name for f in chunk.type.value_type]
    own = [
        chunk.values.field(f.name) if f.name in there else pa.nulls(len(chunk.values), f.type)
        for f in fields
    ]
    # A cast of a list of nulls to the type that it has gives an invalid array (Arrow 26).
    values = [v if v.type == f.type else v.cast(f.type) for v, f in zip(own, fields, strict=True)]
    return pa.ListArray.from_arrays(
        chunk.offsets, pa.StructArray.from_arrays(values, fields=fields)
    )


def _found(thing: Event | Occurrence, place: str, name: str) -> Any:
    # What Python itself asks for, it may ask before the fields are there.
    values = {} if name.startswith("_") else getattr(thing, place)
    if name in values:
        return values[name]
    known = [f.name for f in fields(thing)] + list(values)
    near = did_you_mean(name, known)
    raise AttributeError(f"there is no {name!r}; {near or 'there are ' + ', '.join(known)}")


def _span(start: Time, end: Time) -> str:
    return _text(start) if start == end else f"{_text(start)}..{_text(end)}"


def _text(time: Time) -> str:
    return time.isoformat() if isinstance(time, datetime) else str(time)
