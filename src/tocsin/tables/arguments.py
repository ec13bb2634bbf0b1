"""The arguments of a call, checked before any event is looked at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from tocsin.errors import DefinitionError, did_you_mean
from tocsin.language.nodes import Expression
from tocsin.language.parser import parse

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?")
RESERVED = ("pattern", "start", "end", "detected", "events")
"""The columns that every result has."""


def expression(pattern: object, what: str) -> Expression:
    """A pattern from its text, or as it is."""
    if isinstance(pattern, str):
        return parse(pattern)
    if isinstance(pattern, Expression):
        return pattern
    raise DefinitionError(
        f"{what} is {pattern!r}, of type {type(pattern).__name__}",
        hint="write text, as 'A ; B', or build it with tocsin.event",
    )


def columns(option: str, value: Any) -> tuple[str, ...]:
    """The names of columns that an option gives: one as text, several as a list, or none.

    >>> columns("carry", "ip"), columns("carry", ["ip", "port"]), columns("key", None)
    (('ip',), ('ip', 'port'), ())
    """
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable):
        raise DefinitionError(f"{option} is {value!r}", hint="write the name of a column")
    names = tuple(value)
    for name in names:
        if not isinstance(name, str):
            raise DefinitionError(f"{option} holds {name!r}", hint="write the names of columns")
        if names.count(name) > 1:
            raise DefinitionError(f"{option} names {name!r} twice", hint="name it once")
    return names


def texts(option: str, value: Any) -> dict[str, str]:
    """Texts by name, such as `measures={"n": "size(events)"}`."""
    given = {} if value is None else value
    if isinstance(given, Mapping) and all(isinstance(name, str) for name in given):
        return dict(given)
    raise DefinitionError(
        f"{option} is {value!r}", hint=f"write SQL by name, as {option}={{'n': 'size(events)'}}"
    )


def zone(name: str | tzinfo) -> tzinfo:
    """A time zone by its name, or by its offset as Spark writes it.

    >>> print(zone("Europe/Berlin"), zone("+02:00"), zone("UTC-8:30"))
    Europe/Berlin GMT+02:00 GMT-08:30
    >>> zone("Europe/Berln")
    Traceback (most recent call last):
    tocsin.errors.DefinitionError: timezone is 'Europe/Berln', which is not known; \
did you mean 'Europe/Berlin'?
    """
    if isinstance(name, tzinfo):
        return name
    try:
        return _offset(name) or ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, TypeError, AttributeError, OSError):
        near = did_you_mean(str(name), sorted(available_timezones()))
        raise DefinitionError(
            f"timezone is {name!r}, which is not known",
            hint=near or "write a name such as 'Europe/Berlin', or an offset such as '+02:00'",
        ) from None


def _offset(name: str) -> tzinfo | None:
    """The zone of `+02:00`, `-8:30`, `+0530`, `UTC+1` or `Z`; None if that is no offset."""
    if name == "Z":
        return ZoneInfo("UTC")
    found = _OFFSET.fullmatch(name)
    if found is None:
        return None
    sign, *parts = found.groups(default="0")
    hours, minutes, seconds = map(int, parts)
    if minutes > 59 or seconds > 59 or (hours, minutes, seconds) > (18, 0, 0):
        return None
    offset = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    rest = f":{seconds:02}" if seconds else ""
    # What it is called here is what DuckDB calls it.
    called = f"GMT{sign}{hours:02}:{minutes:02}{rest}"
    return timezone(-offset if sign == "-" else offset, called)


def check_collisions(
    keys: Sequence[str],
    carry: Sequence[str],
    measures: Mapping[str, str],
    policy: str = "synchronous",
) -> None:
    """Refuse names that the result could not tell apart; case makes no difference in Spark.

    The column `policy` there is only on arrival; the attribute always, so no measure is called so.
    """
    columns = {*RESERVED, *(() if policy == "synchronous" else ("policy",))}
    for use, taken, names in (
        ("key", columns, keys),
        ("carry", {*RESERVED, "name", "row"}, carry),
        ("measures", {*RESERVED, "policy"}, list(measures)),
    ):
        for name in names:
            if name.lower() in taken:
                hint = f"rename the column, for instance to '{name}_'"
                raise DefinitionError(
                    f"{use} names {name!r}, a name that the result uses itself",
                    hint="give the measure another name" if use == "measures" else hint,
                )
    for name in (*carry, *measures):
        if name.lower() in {key.lower() for key in keys}:
            raise DefinitionError(
                f"{name!r} is both in key and in {'carry' if name in carry else 'measures'}",
                hint="leave it out of the latter; a key is in the result anyway"
                if name in carry
                else "give the measure another name",
            )
