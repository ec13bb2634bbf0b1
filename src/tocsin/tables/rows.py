"""Rows of Python values as Arrow tables: tuples `(name, time)`, `(name, start, end)`, and dicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from numbers import Real
from typing import Any

import pyarrow as pa

from tocsin.errors import DataError

Place = Callable[[int], str]
"""What a person calls the row at a position."""

_REFUSALS = (ValueError, TypeError, NotImplementedError, OverflowError)
"""What Arrow raises for values that are no array."""


def table_of_tuples(rows: Sequence[Any], type: str, start: str, end: str) -> pa.Table:
    """A table with the columns of name and time, or of name, start and end.

    >>> table_of_tuples([("A", 1), ("B", 2, 5)], "type", "start", "end").to_pylist()[0]
    {'type': 'A', 'start': 1, 'end': 1}
    """
    for position, row in enumerate(rows):
        if not isinstance(row, tuple | list) or len(row) not in (2, 3) or not _is_name(row[0]):
            raise DataError(
                f"{row!r} is no event",
                where=f"row {position}",
                hint="write (name, time) or (name, start, end), or use dicts",
            )
    columns = {type: [row[0] for row in rows], start: [row[1] for row in rows]}
    if end != start:
        columns[end] = [row[-1] for row in rows]
    return pa.table({name: array_of(values, name) for name, values in columns.items()})


def table_of_dicts(rows: Sequence[Any], place: Place = "row {}".format) -> pa.Table:
    """A table with every key of every dict as a column; what a dict leaves out is null.

    >>> table_of_dicts([{"a": 1}, {"b": "x"}]).to_pylist()
    [{'a': 1, 'b': None}, {'a': None, 'b': 'x'}]
    """
    columns: dict[str, None] = {}
    for position, row in enumerate(rows):
        if not isinstance(row, Mapping) or not all(isinstance(name, str) for name in row):
            raise DataError(
                f"{row!r} is no event", where=place(position), hint="write a dict with text as keys"
            )
        columns.update(dict.fromkeys(row))
    return pa.table(
        {name: array_of([row.get(name) for row in rows], name, place) for name in columns}
    )


def array_of(values: list[Any], name: str, place: Place = "row {}".format) -> pa.Array:
    """The values as one array, or an error that names the first that does not fit those before.

    >>> array_of([1, "noon"], "time")
    Traceback (most recent call last):
    tocsin.errors.DataError: row 1: the column 'time' holds 'noon', text, where the rows before \
hold numbers; give the column values of one kind
    """
    expected = None
    for position, value in enumerate(values):
        kind = _kind(value)
        expected = expected or kind
        if kind not in (None, expected):
            raise DataError(
                f"the column {name!r} holds {value!r}, {kind}, where the rows before hold "
                f"{expected}",
                where=place(position),
                hint="give the column values of one kind",
            )
    try:
        return pa.array(values)
    except _REFUSALS:
        pass
    raise _misfit(values, name, place)


def _misfit(values: list[Any], name: str, place: Place) -> DataError:
    """Find the first row at which the values stop being one array."""
    low, high = 0, len(values)  # values[:low] is fine, values[:high] is not
    while high - low > 1:
        middle = (low + high) // 2
        try:
            pa.array(values[:middle])
            low = middle
        except _REFUSALS:
            high = middle
    value = values[high - 1]
    if isinstance(value, int):
        what, hint = f"{value}, which 64 bits do not hold", "leave the row out or mend the number"
    else:
        what, hint = f"{value!r}, which does not fit the rows before", "give it values of one kind"
    return DataError(f"the column {name!r} holds {what}", where=place(high - 1), hint=hint)


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "truth values"),
    (Real, "numbers"),
    (str, "text"),
    (bytes, "bytes"),
    (Decimal, "decimals"),
    (Mapping, "dicts"),
    ((list, tuple), "lists"),
)


def _kind(value: object) -> str | None:
    """What a person calls values of this kind; None for a null."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return "timestamps with a zone" if value.tzinfo else "timestamps without a zone"
    if isinstance(value, date):
        return "dates"
    for types, kind in _KINDS:
        if isinstance(value, types):
            return kind
    return f"values of type {type(value).__name__}"


def _is_name(value: object) -> bool:
    return value is None or isinstance(value, str)
