"""`periodic*(A, τ, C)`: all ticks between an A and a C, once, at the C (SPEC §3, §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import PeriodicStar
from tocsin.semantics.contexts import arrivals, choose, members, oldest, without
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, join
from tocsin.semantics.periodic import ticks
from tocsin.semantics.sequence import precedes


def occurrences(
    node: PeriodicStar, history: History, openers: list[Occurrence], closers: list[Occurrence]
) -> Iterator[Occurrence]:
    """For a, c with end(a) < start(c): the ticks before start(c), if there is one."""
    for a in openers:
        for c in closers:
            if precedes(a, c):
                yield from _gathered([a], node, history, c)


def in_context(
    context: str,
    window: int | None,
    node: PeriodicStar,
    history: History,
    openers: list[Occurrence],
    closers: list[Occurrence],
) -> Iterator[Occurrence]:
    """At c: the recent a, and every a before c goes; the oldest, each or all, consumed (SPEC §5).

    c consumes even where no tick makes an occurrence.
    """
    waiting: list[Occurrence] = []
    for place, x in arrivals(openers, closers):
        if place == 0:
            waiting.append(x)
            continue
        eligible = [a for a in waiting if precedes(a, x)]
        groups = choose(context, eligible)
        for group in groups:
            yield from _gathered(group, node, history, x)
        waiting = without(waiting, eligible if context == "recent" else members(groups))


def _gathered(
    group: list[Occurrence], node: PeriodicStar, history: History, c: Occurrence
) -> Iterator[Occurrence]:
    """From the first to the last tick of the oldest a before start(c), detected with c."""
    period = history.ticks(node.period)
    before = [t for t in ticks(oldest(group), period, history.until) if t < c.start]
    if before:
        yield Occurrence(before[0], before[-1], c.detected, join(*group, c).parts)
