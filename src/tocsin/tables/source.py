"""Whatever people have their events in, as one Arrow table that knows where its rows came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.errors import DataError, DefinitionError, did_you_mean
from tocsin.tables.normal import normal
from tocsin.tables.rows import table_of_dicts, table_of_tuples


@dataclass(frozen=True)
class Source:
    """A table of events.

    >>> source = read([("A", 1), ("B", 4, 6)])
    >>> source.start, source.end, source.column("end").to_pylist()
    ('start', 'end', [1, 6])
    """

    table: pa.Table
    start: str = "time"
    end: str = "time"
    """The columns that hold the times; the same twice where an event has one time."""
    texts: bool = False
    """Whether times may be written as text, as in files."""
    place: Callable[[int], str] = field(default="row {}".format, compare=False)
    """What a person calls the row at a position of the input."""
    rows: pa.Int64Array | None = None
    """The position in the input of each row of the table, where some were left out."""
    as_is: bool = False
    """Whether columns already have the forms that they are to have."""

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def is_blank(self) -> bool:
        """Neither rows nor columns: an empty list or file, in which nothing can be wrong."""
        return not self.table.num_rows and not self.table.num_columns

    def row(self, index: int) -> int:
        """The position in the input of a row of the table."""
        return index if self.rows is None else int(self.rows[index].as_py())

    def where(self, index: int) -> str:
        """What a person calls a row of the table, for messages."""
        return self.place(self.row(index))

    def column(self, name: str, use: str = "the column") -> pa.ChunkedArray:
        """A column by its name, in one of the forms of `normal` unless it is to stay as it is.

        >>> read([("A", 1)]).column("tme", "time")
        Traceback (most recent call last):
        tocsin.errors.DefinitionError: time is 'tme', but there is no such column; \
did you mean 'time'? (columns: type, time)
        """
        if name not in self._normal:
            column = self.table.column(self._index(name, use))
            if not self.as_is:
                column = normal(column, lambda row: f"{self.where(row)}, column {name!r}")
            self._normal[name] = column
        return self._normal[name]

    @cached_property
    def _normal(self) -> dict[str, pa.ChunkedArray]:
        return {}

    def _index(self, name: str, use: str) -> int:
        if not isinstance(name, str):
            raise DefinitionError(f"{use} is {name!r}", hint="write the name of a column")
        found = self.table.schema.get_all_field_indices(name)
        if not found:
            known = self.table.column_names
            near = did_you_mean(name, known) or "name one that there is"
            raise DefinitionError(
                f"{use} is {name!r}, but there is no such column",
                hint=f"{near} (columns: {', '.join(known)})",
            )
        if len(found) > 1:
            raise DefinitionError(
                f"{use} is {name!r}, but there are {len(found)} such columns",
                hint="rename all but one",
            )
        return int(found[0])

    def filter(self, kept: pa.BooleanArray) -> Source:
        """Only some of the rows, which keep their positions."""
        rows = pa.array(range(len(self)), pa.int64()) if self.rows is None else self.rows
        return replace(self, table=self.table.filter(kept), rows=pc.filter(rows, kept))


def read(
    events: Any,
    *,
    type: str = "type",
    time: str = "time",
    start: str | None = None,
    end: str | None = None,
) -> Source:
    """Read tuples, dicts, a pandas or Arrow table, or a file or folder by its path."""
    first, last = time_names(time, start, end)
    if isinstance(events, str | Path):
        from tocsin.tables.files import read_path

        events = read_path(Path(events), as_text=(type,))
    if isinstance(events, Source):
        return replace(events, start=first, end=last)
    if comes_from(events, "pandas") and hasattr(events, "columns"):
        return Source(_of_pandas(events), first, last)
    if hasattr(events, "__arrow_c_stream__") or hasattr(events, "__arrow_c_array__"):
        return Source(pa.table(events), first, last)
    if isinstance(events, Mapping) or not isinstance(events, Iterable):
        raise DefinitionError(
            f"events is of type {_type_name(events)}",
            hint="pass tuples (name, time), dicts, a pandas or Arrow table, or the path of a file",
        )
    rows = list(events)
    if not rows:
        return Source(pa.table({}), first, last)
    if isinstance(rows[0], Mapping):
        return Source(table_of_dicts(rows), first, last)
    if start is None and any(isinstance(row, tuple | list) and len(row) == 3 for row in rows):
        first, last = "start", "end"
    return Source(table_of_tuples(rows, type, first, last), first, last)


def time_names(time: str, start: str | None, end: str | None) -> tuple[str, str]:
    """The columns of starts and of ends; the same twice where an event has one time."""
    if start is None and end is None:
        return time, time
    if start is None or end is None:
        raise DefinitionError(
            f"{'end' if start is None else 'start'} is given alone",
            hint="give start and end, or time for events with one time",
        )
    if time != "time":
        raise DefinitionError(
            "time is given together with start and end",
            hint="give time for events with one time, start and end for events that last",
        )
    return start, end


def _of_pandas(frame: Any) -> pa.Table:
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise DataError(
            f"the pandas table cannot be read: {' '.join(map(str, error.args))}",
            hint="give each column values of one type",
        ) from None


def comes_from(thing: object, package: str) -> bool:
    """Whether the type of a thing is defined in a package, which need not be imported for it."""
    return type(thing).__module__.split(".")[0] == package


def _type_name(thing: object) -> str:
    return type(thing).__name__
