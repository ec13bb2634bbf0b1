"""A time column as 64-bit integers, and back (SPEC §1)."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.errors import DataError, DefinitionError
from tocsin.language.durations import LARGEST, MICROSECONDS
from tocsin.language.settings import check_name
from tocsin.tables.normal import first_true
from tocsin.tables.source import Source

INTEGERS, NAIVE, AWARE = "integers", "timestamps without a zone", "timestamps with a zone"
BEFORE = -(2**63)
"""Before every time: no occurrence (SPEC §1)."""

_WRITTEN = (
    (pa.int64(), INTEGERS),
    (pa.timestamp("us"), NAIVE),
    (pa.timestamp("us", "UTC"), AWARE),
)
_EPOCH = datetime(1970, 1, 1)
_UTC = ZoneInfo("UTC")


@dataclass(frozen=True)
class Axis:
    """What the integers of time stand for: themselves, or microseconds since 1970.

    Timestamps without a zone are readings of a wall clock; `zone` is what `at` and `every` go by,
    and a wall clock needs none.
    """

    kind: str
    tick: int | None
    """How many microseconds one step lasts; None if nobody knows."""
    zone: tzinfo

    @property
    def type(self) -> pa.DataType:
        """The Arrow type of times in results."""
        if self.kind == INTEGERS:
            return pa.int64()
        return pa.timestamp("us", "UTC" if self.kind == AWARE else None)

    def value(self, ticks: int) -> int | datetime:
        """A time as people get it back.

        >>> Axis(NAIVE, 1, ZoneInfo("UTC")).value(1_500_000)
        datetime.datetime(1970, 1, 1, 0, 0, 1, 500000)
        """
        if self.kind == INTEGERS:
            return ticks
        try:
            moment = _EPOCH + timedelta(microseconds=ticks)
        except OverflowError:
            raise DataError(
                f"the time {ticks} us after 1970 is beyond the years 1 to 9999",
                hint="read it from to_arrow(), which holds it as a timestamp",
            ) from None
        return moment.replace(tzinfo=UTC) if self.kind == AWARE else moment

    def until(self, value: Any) -> int:
        """The end of observation, as a person gives it.

        >>> Axis(AWARE, 1, ZoneInfo("UTC")).until("1970-01-01T00:00:02Z")
        2000000
        """
        moment = _read_text(value) if isinstance(value, str) else value
        if self.kind == INTEGERS:
            if isinstance(moment, int) and not isinstance(moment, bool):
                if abs(moment) <= LARGEST:
                    return moment
                raise DefinitionError(f"until is {value!r}, which 64 bits do not hold")
        elif isinstance(moment, date):
            if not isinstance(moment, datetime):
                moment = datetime(moment.year, moment.month, moment.day)
            if moment.tzinfo is None and self.kind == AWARE:
                moment = moment.replace(tzinfo=self.zone)
            if (moment.tzinfo is None) == (self.kind == NAIVE):
                return _ticks(moment)
        raise DefinitionError(
            f"until is {value!r}, but the times are {self.kind}",
            hint="write an integer" if self.kind == INTEGERS else "write a time as they are",
        )


def time_columns(
    source: Source, *, unit: str | None = None, zone: tzinfo = _UTC
) -> tuple[pa.Int64Array, pa.Int64Array, Axis]:
    """The starts and ends of the rows as integers, and what these stand for; none is null.

    >>> from tocsin.tables.source import read
    >>> starts, ends, axis = time_columns(read([("A", 1), ("B", 2, 5)]))
    >>> starts.to_pylist(), ends.to_pylist(), axis.tick
    ([1, 2], [1, 5], None)
    """
    if unit is not None:
        check_name("unit", unit, tuple(MICROSECONDS))
    start = source.column(source.start, "time" if source.start == source.end else "start")
    starts, kind = _integers(start, source)
    if source.start == source.end:
        ends = starts
    else:
        ends, other = _integers(source.column(source.end, "end"), source)
        if other != kind and len(source):
            raise DefinitionError(
                f"{source.start!r} holds {kind} and {source.end!r} {other}",
                hint="give both columns times of one kind",
            )
        _check_order(source, starts, ends)
    row = first_true(pc.equal(starts, BEFORE))
    if row is not None:
        raise DataError(
            "the time -2^63 stands for before every time",
            where=source.where(row),
            hint="let times begin at -2^63 + 1",
        )
    if kind != INTEGERS and unit is not None:
        raise DefinitionError(
            f"unit is {unit!r}, but {source.start!r} holds timestamps", hint="leave unit out"
        )
    if kind == INTEGERS:
        return starts, ends, Axis(kind, MICROSECONDS[unit] if unit else None, zone)
    return starts, ends, Axis(kind, 1, zone if kind == AWARE else _UTC)


def _check_order(source: Source, starts: pa.Int64Array, ends: pa.Int64Array) -> None:
    row = first_true(pc.less(ends, starts))
    if row is not None:
        first, last = source.column(source.start)[row], source.column(source.end)[row]
        raise DataError(
            f"the event ends at {last}, before it starts at {first}",
            where=source.where(row),
            hint="mend or leave out the row",
        )


def _integers(column: pa.ChunkedArray, source: Source) -> tuple[pa.Int64Array, str]:
    """A column of times, of which none is null, as integers, and their kind."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        return _flat(column.cast(pa.int64())), AWARE if kind.tz else NAIVE
    if pa.types.is_date(kind):
        return _days(column, source), NAIVE
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _whole(column, source), INTEGERS
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _texts(column, source)
    if len(column):
        raise _no_time(column[0].as_py(), source, 0)
    return pa.array([], pa.int64()), INTEGERS


def _whole(column: pa.ChunkedArray, source: Source) -> pa.Int64Array:
    """A column of numbers as integers, if each is whole and fits 64 bits."""

    def refuse(wrong: pa.ChunkedArray, what: str, hint: str) -> None:
        row = first_true(wrong)
        if row is not None:
            value = column[row].as_py()
            raise DataError(f"the time {value} {what}", where=source.where(row), hint=hint)

    if pa.types.is_floating(column.type):
        refuse(pc.is_inf(column), "is no time", "write a number, or leave the row out")
    if not pa.types.is_integer(column.type):
        refuse(pc.not_equal(column, pc.floor(column)), "is no whole number", "use a finer unit")
    try:
        return _flat(column.cast(pa.int64()))
    except pa.ArrowInvalid:
        wrong = pa.chunked_array([[not -(2**63) <= v < 2**63 for v in column.to_pylist()]])
        refuse(wrong, "is beyond what 64 bits hold", "leave the row out or mend its time")
        raise


def _days(column: pa.ChunkedArray, source: Source) -> pa.Int64Array:
    """A column of dates as the microseconds of their midnights."""
    days = column.cast(pa.int32()).cast(pa.int64())
    day = MICROSECONDS["d"]
    row = first_true(pc.greater(pc.abs(days), LARGEST // day))
    if row is not None:
        raise DataError(
            "the date is beyond what 64 bits of microseconds hold",
            where=source.where(row),
            hint="leave the row out or mend its date",
        )
    return _flat(pc.multiply(days, day))


def _texts(column: pa.ChunkedArray, source: Source) -> tuple[pa.Int64Array, str]:
    """Times written as text, where that is how the source has them: integers or ISO 8601."""
    if source.texts:
        for type_, kind in _WRITTEN:
            with suppress(pa.ArrowInvalid):
                return _flat(column.cast(type_).cast(pa.int64())), kind
    # Arrow reads what is commonly written; Python reads the rest, and finds what is wrong.
    ticks: list[int] = []
    kind = INTEGERS
    for row, text in enumerate(column.to_pylist()):
        moment = _read_text(text) if source.texts else None
        if moment is None:
            raise _no_time(text, source, row)
        found = INTEGERS if isinstance(moment, int) else AWARE if moment.tzinfo else NAIVE
        if row and found != kind:
            raise DataError(
                f"the time {text!r} is not like those of the rows before, which are {kind}",
                where=source.where(row),
                hint="write all times in one way",
            )
        kind = found
        ticks.append(moment if isinstance(moment, int) else _ticks(moment))
        if abs(ticks[-1]) > LARGEST:
            raise DataError(
                f"the time {text} is beyond what 64 bits hold",
                where=source.where(row),
                hint="leave the row out or mend its time",
            )
    return pa.array(ticks, pa.int64()), kind


def _read_text(text: str) -> int | datetime | None:
    """An integer or a moment in ISO 8601; None if the text is neither."""
    if re.fullmatch(r"\s*[+-]?\d+\s*", text):
        return int(text)
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def _no_time(value: object, source: Source, row: int) -> DataError:
    if source.texts:
        hint = "write an integer or ISO 8601, as 2026-11-15T17:00:00Z"
    elif isinstance(value, str):
        hint = "make it an integer or, by datetime.fromisoformat, a timestamp"
    else:
        hint = "use integers, timestamps or dates"
    return DataError(f"the time {value!r} is no time", where=source.where(row), hint=hint)


def _ticks(moment: datetime) -> int:
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _flat(column: pa.ChunkedArray) -> pa.Int64Array:
    return column.combine_chunks()
