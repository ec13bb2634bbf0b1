"""`periodic(A, τ, C)`: every τ after an A until a C (SPEC §3, §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Periodic
from tocsin.semantics.contexts import oldest, recent
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, instant, join


def ticks(a: Occurrence, period: int, until: int | None) -> Iterator[int]:
    """The instants end(a) + iτ, i = 1, 2, …, as long as timers run."""
    tick = a.end + period
    while until is not None and tick <= until:
        yield tick
        tick += period


def occurrences(
    node: Periodic, history: History, openers: list[Occurrence], closers: list[Occurrence]
) -> Iterator[Occurrence]:
    """For a: the instants end(a) + iτ, while no c ⊂ [end(a), that instant]."""
    for a in openers:
        for t in ticks(a, history.ticks(node.period), history.until):
            tick = instant(t, a.detected, a.parts)
            if _is_open(a, tick, closers):
                yield tick


def in_context(
    context: str,
    window: None,
    node: Periodic,
    history: History,
    openers: list[Occurrence],
    closers: list[Occurrence],
) -> Iterator[Occurrence]:
    """A tick counts if its a is the recent, or the oldest, of those open then (SPEC §5)."""
    for a in openers:
        for t in ticks(a, history.ticks(node.period), history.until):
            tick = instant(t, a.detected, a.parts)
            open_ = [x for x in openers if _is_open(x, tick, closers)]
            if a not in open_:
                continue
            match context:
                case "continuous":
                    yield tick
                case "recent" if a == recent(open_):
                    yield tick
                case "chronicle" if a == oldest(open_):
                    yield tick
                case "cumulative" if a == oldest(open_):
                    yield instant(t, tick.detected, join(*open_).parts)


def _is_open(x: Occurrence, tick: Occurrence, closers: list[Occurrence]) -> bool:
    """x has opened by the tick, and nothing has closed it (SPEC §1, causality)."""
    return (
        x.end < tick.end
        and x.detected <= tick.detected
        and not any(c.is_inside(x.end, tick.end) and c.detected <= tick.detected for c in closers)
    )
