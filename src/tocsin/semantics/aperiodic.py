"""`aperiodic(A, B, C)`: every B after an A until a C (SPEC §3, §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Aperiodic
from tocsin.semantics.contexts import arrivals, choose, members, without
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


def in_context(
    context: str,
    window: int | None,
    node: Aperiodic,
    history: History,
    openers: list[Occurrence],
    bodies: list[Occurrence],
    closers: list[Occurrence],
) -> Iterator[Occurrence]:
    """At b: the recent or every open a, which stay; the oldest or all, consumed (SPEC §5)."""
    waiting: list[Occurrence] = []
    for place, x in arrivals(openers, bodies):
        if place == 0:
            waiting.append(x)
            continue
        open_ = [a for a in waiting if precedes(a, x) and is_free(a, x, closers)]
        groups = choose(context, open_)
        yield from (_opened(x, group) for group in groups)
        if context in ("chronicle", "cumulative"):
            waiting = without(waiting, members(groups))


def _opened(b: Occurrence, group: list[Occurrence]) -> Occurrence:
    """Interval and detection of b, parts of both."""
    return Occurrence(b.start, b.end, b.detected, join(b, *group).parts)
