"""When `at(…)` and `every(…)` occur, on a time axis (SPEC §2)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

import numpy as np
from numpy.typing import NDArray

from tocsin.errors import DefinitionError
from tocsin.language.nodes import At, Every

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def instants(
    node: At | Every, low: int, high: int, tick: int | None, zone: tzinfo
) -> NDArray[np.int64]:
    """The instants of a time event from `low` to `high`, both included.

    >>> from tocsin.language.durations import Duration
    >>> instants(Every(Duration.of(10)), -5, 25, None, UTC).tolist()
    [0, 10, 20]
    """
    if isinstance(node, Every):
        period = node.period.in_ticks(tick)
        origin = 0 if tick is None else _microseconds(datetime(1970, 1, 1), zone) // tick
        first = low + (origin - low) % period
        if first > high:
            return np.empty(0, np.int64)
        return first + period * np.arange((high - first) // period + 1, dtype=np.int64)
    if tick is None:
        raise DefinitionError(
            f"{node} needs the time of day, but the times are plain integers",
            hint="say what they count since 1970, as unit='s', or use a timestamp column",
        )
    moment = node.moment
    days = [moment] if isinstance(moment, datetime) else _daily(moment, low * tick, high * tick)
    found = []
    for local in days:
        microseconds = _microseconds(local, zone)
        if microseconds % tick:
            raise DefinitionError(
                f"{node} falls between two ticks of the times", hint="use a finer unit"
            )
        if low <= microseconds // tick <= high:
            found.append(microseconds // tick)
    return np.array(sorted(set(found)), dtype=np.int64)


def _microseconds(local: datetime, zone: tzinfo) -> int:
    return (local.replace(tzinfo=zone) - EPOCH) // MICROSECOND


def _daily(at: time, low: int, high: int) -> list[datetime]:
    """A time of day on every day from low to high, and one more on either side for the zone."""
    first, last = _ordinal(low) - 1, _ordinal(high) + 1
    ordinals = range(max(first, date.min.toordinal()), min(last, date.max.toordinal()) + 1)
    return [datetime.combine(date.fromordinal(day), at) for day in ordinals]


def _ordinal(microseconds: int) -> int:
    return EPOCH.toordinal() + microseconds // 86_400_000_000
