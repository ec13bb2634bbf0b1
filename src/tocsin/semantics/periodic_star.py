"""`periodic*(A, τ, C)`: all ticks between an A and a C, once, at the C (SPEC §3, §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import PeriodicStar
from tocsin.semantics.contexts import CANDIDATES, CHOSEN, decide, oldest
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


LEAVING = {
    "recent": CANDIDATES,  # every a before c goes
    "chronicle": CHOSEN,
    "continuous": CHOSEN,
    "cumulative": CHOSEN,
}


def in_context(
    context: str,
    window: None,
    node: PeriodicStar,
    history: History,
    openers: list[Occurrence],
    closers: list[Occurrence],
) -> Iterator[Occurrence]:
    """At c: the recent, the oldest, each or all of the a before it (SPEC §5).

    c consumes even where no tick makes an occurrence.
    """
    return decide(
        context,
        history,
        openers,
        closers,
        candidate=precedes,
        make=lambda group, c: _gathered(group, node, history, c),
        leaving=LEAVING,
    )


def _gathered(
    group: list[Occurrence], node: PeriodicStar, history: History, c: Occurrence
) -> Iterator[Occurrence]:
    """From the first to the last tick of the oldest a before start(c), detected with c."""
    period = history.ticks(node.period)
    before = [t for t in ticks(oldest(group), period, history.until) if t < c.start]
    if before:
        yield Occurrence(before[0], before[-1], c.detected, join(*group, c).parts)
