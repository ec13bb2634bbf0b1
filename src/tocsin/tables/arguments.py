"""The arguments of a call, checked before any event is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from tocsin.errors import DefinitionError, did_you_mean
from tocsin.language.nodes import Expression
from tocsin.language.parser import parse

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


def zone(name: str | ZoneInfo) -> ZoneInfo:
    """A time zone by its name.

    >>> zone("Europe/Berln")
    Traceback (most recent call last):
    tocsin.errors.DefinitionError: timezone is 'Europe/Berln', which is not known; \
did you mean 'Europe/Berlin'?
    """
    try:
        return name if isinstance(name, ZoneInfo) else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, TypeError, AttributeError, OSError):
        near = did_you_mean(str(name), sorted(available_timezones()))
        raise DefinitionError(
            f"timezone is {name!r}, which is not known",
            hint=near or "write a name such as 'Europe/Berlin' or 'UTC'",
        ) from None


def check_collisions(
    keys: Sequence[str], carry: Sequence[str], measures: Mapping[str, str]
) -> None:
    """Refuse names that the result could not tell apart; case makes no difference in Spark."""
    for use, names in (("key", keys), ("carry", carry), ("measures", list(measures))):
        taken = [*RESERVED, "name", "row"] if use == "carry" else RESERVED
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
