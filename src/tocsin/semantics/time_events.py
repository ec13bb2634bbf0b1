"""`at(…)` and `every(…)`: what the clock says, for every key, without parts (SPEC §2)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from tocsin.errors import DefinitionError
from tocsin.language.nodes import At, Every
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, instant

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def at_occurrences(node: At, history: History) -> Iterator[Occurrence]:
    """The one moment, or every day at the time of day, while observation lasts."""
    tick = _tick(node, history)
    if history.began is None or history.until is None:
        return
    moment = node.moment
    days = [moment] if isinstance(moment, datetime) else _daily(moment, history, tick)
    for local in days:
        microseconds = (local.replace(tzinfo=history.zone) - EPOCH) // MICROSECOND
        if microseconds % tick:
            raise DefinitionError(
                f"{node} falls between two ticks of the times", hint="use a finer unit"
            )
        if history.is_observed(microseconds // tick):
            yield instant(microseconds // tick, microseconds // tick)


def every_occurrences(node: Every, history: History) -> Iterator[Occurrence]:
    """Every τ from the epoch on: 0, or 1970-01-01 00:00 in the time zone, while observed."""
    period = history.ticks(node.period)
    if history.began is None or history.until is None:
        return
    origin = 0
    if history.tick is not None:
        midnight = EPOCH.replace(tzinfo=history.zone)
        origin = (midnight - EPOCH) // MICROSECOND // history.tick
    moment = history.began + (origin - history.began) % period
    while moment <= history.until:
        if history.is_observed(moment):
            yield instant(moment, moment)
        moment += period


def _daily(at: time, history: History, tick: int) -> Iterator[datetime]:
    """The time of day on every day that observation touches."""
    day, last = _day(history.began, tick), _day(history.until, tick)
    # A day more on either side: the zone's days are not those of UTC.
    day = max(day, date.min + timedelta(days=1)) - timedelta(days=1)
    last = min(last, date.max - timedelta(days=1)) + timedelta(days=1)
    while day <= last:
        yield datetime.combine(day, at)
        if day == date.max:
            return
        day += timedelta(days=1)


def _day(moment: int | None, tick: int) -> date:
    assert moment is not None
    try:
        return (EPOCH + timedelta(microseconds=moment * tick)).date()
    except OverflowError:
        return date.max if moment > 0 else date.min


def _tick(node: At, history: History) -> int:
    if history.tick is None:
        raise DefinitionError(
            f"{node} needs the time of day, but the times are plain integers",
            hint="say what they count since 1970, as unit='s', or use a timestamp column",
        )
    return history.tick
