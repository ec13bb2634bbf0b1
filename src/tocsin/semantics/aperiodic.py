"""`aperiodic(A, B, C)`: every B after an A until a C (SPEC §3, §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Aperiodic
from tocsin.semantics.contexts import CHOSEN, NOBODY, decide
from tocsin.semantics.history import History
from tocsin.semantics.not_between import is_free
from tocsin.semantics.occurrence import Occurrence, join
from tocsin.semantics.sequence import precedes


def occurrences(
    node: Aperiodic,
    history: History,
    openers: list[Occurrence],
    bodies: list[Occurrence],
    closers: list[Occurrence],
) -> Iterator[Occurrence]:
    """For a, b with end(a) < start(b) and no c ⊂ [end(a), start(b)]: b, with parts of both."""
    return (
        _opened(b, [a])
        for a in openers
        for b in bodies
        if precedes(a, b) and is_free(a, b, closers)
    )


LEAVING = {
    "recent": NOBODY,
    "chronicle": CHOSEN,
    "continuous": NOBODY,
    "cumulative": CHOSEN,
}


def in_context(
    context: str,
    window: None,
    node: Aperiodic,
    history: History,
    openers: list[Occurrence],
    bodies: list[Occurrence],
    closers: list[Occurrence],
) -> Iterator[Occurrence]:
    """At b: the recent or every open a, which stay; the oldest or all, consumed (SPEC §5)."""
    return decide(
        context,
        history,
        openers,
        bodies,
        candidate=precedes,
        free=lambda a, b: is_free(a, b, closers),
        make=lambda group, b: [_opened(b, group)],
        leaving=LEAVING,
    )


def _opened(b: Occurrence, group: list[Occurrence]) -> Occurrence:
    """Interval and detection of b, parts of both."""
    return Occurrence(b.start, b.end, b.detected, join(b, *group).parts)
