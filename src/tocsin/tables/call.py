"""The arguments of a call, checked as far as they need no events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any, TypedDict

from tocsin.errors import DefinitionError
from tocsin.language import settings
from tocsin.language.nodes import Expression
from tocsin.tables.arguments import check_collisions, columns, expression, texts, zone
from tocsin.tables.engines import ENGINES
from tocsin.tables.hits import Reading
from tocsin.tables.predicates import defined
from tocsin.tables.source import time_names


class Arguments(TypedDict, total=False):
    """What `tocsin.detect` takes besides the pattern and the events, for what it means."""

    key: str | Sequence[str] | None
    time: str
    start: str | None
    end: str | None
    type: str
    define: Mapping[str, str] | None
    carry: str | Sequence[str]
    order_by: str | Sequence[str]
    measures: Mapping[str, str] | None
    unit: str | None
    semantics: str
    basis: str
    report: str
    policy: str
    until: int | datetime | str | None
    timezone: str | None
    engine: str


class DetectArguments(Arguments, total=False):
    """And what it takes for the running of a query."""

    observation: Any
    watermark: str | int | timedelta | None
    late: str
    buckets: int | None


@dataclass(frozen=True)
class Call:
    """What is to be detected."""

    patterns: Mapping[str, Expression]
    reading: Reading
    keys: tuple[str, ...]
    start: str
    end: str
    """The same as `start` where events have one time."""
    type: str
    carry: tuple[str, ...]
    order_by: tuple[str, ...]
    measures: Mapping[str, str]
    unit: str | None
    until: Any
    timezone: tzinfo | None
    engine: str


def asked(
    patterns: Mapping[str, str | Expression],
    *,
    key: str | Sequence[str] | None = None,
    time: str = "time",
    start: str | None = None,
    end: str | None = None,
    type: str = "type",
    define: Mapping[str, str] | None = None,
    carry: str | Sequence[str] = (),
    order_by: str | Sequence[str] = (),
    measures: Mapping[str, str] | None = None,
    unit: str | None = None,
    semantics: str = "restricted",
    basis: str = "interval",
    report: str = "overlapping",
    policy: str = "synchronous",
    until: int | datetime | str | None = None,
    timezone: str | None = None,
    engine: str = "local",
) -> Call:
    """What the arguments of `tocsin.detect_all` ask for.

    >>> asked({"ab": "A ; B"}, key="user", carry=["ip"]).keys
    ('user',)
    """
    wanted = {label: expression(p, f"the pattern {label!r}") for label, p in _named(patterns)}
    for pattern in wanted.values():
        settings.check(pattern, semantics=semantics, basis=basis, report=report, policy=policy)
    settings.check_name("engine", engine, tuple(ENGINES))
    keys, carried = columns("key", key), columns("carry", carry)
    ties, measured = columns("order_by", order_by), texts("measures", measures)
    check_collisions(keys, carried, measured, policy)
    first, last = time_names(time, start, end)
    return Call(
        patterns=defined(wanted, define),
        reading=Reading(semantics, basis, report, policy),
        keys=keys,
        start=first,
        end=last,
        type=type,
        carry=carried,
        order_by=ties,
        measures=measured,
        unit=unit,
        until=until,
        timezone=None if timezone is None else zone(timezone),
        engine=engine,
    )


def _named(patterns: Any) -> Iterable[tuple[str, Any]]:
    if not isinstance(patterns, Mapping) or not patterns:
        raise DefinitionError(
            f"patterns is {patterns!r}", hint="write patterns by name, as {'login': 'failed ; ok'}"
        )
    for label in patterns:
        if not isinstance(label, str):
            raise DefinitionError(f"the name of a pattern is {label!r}", hint="write text")
    return patterns.items()
