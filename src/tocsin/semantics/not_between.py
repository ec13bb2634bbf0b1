"""`not(B; A, C)`: A then C, no B between (SPEC §3, §5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tocsin.language.nodes import NotBetween
from tocsin.semantics.contexts import arrivals, choose, members, without
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, join
from tocsin.semantics.sequence import precedes
from tocsin.semantics.within import fits


def is_free(a: Occurrence, x: Occurrence, guards: Iterable[Occurrence]) -> bool:
    """No guard ⊂ [end(a), start(x)] that is detected no later than x (SPEC §1, causality)."""
    return not any(g.is_inside(a.end, x.start) and g.detected <= x.detected for g in guards)


def occurrences(
    node: NotBetween,
    history: History,
    guards: list[Occurrence],
    first: list[Occurrence],
    last: list[Occurrence],
) -> Iterator[Occurrence]:
    """a ⊕ c with end(a) < start(c) and no b ⊂ [end(a), start(c)]."""
    return (join(a, c) for a in first for c in last if precedes(a, c) and is_free(a, c, guards))


def in_context(
    context: str,
    window: int | None,
    node: NotBetween,
    history: History,
    guards: list[Occurrence],
    first: list[Occurrence],
    last: list[Occurrence],
) -> Iterator[Occurrence]:
    """At c: the recent a, and all before c go; the oldest, each or all, consumed (SPEC §5)."""
    waiting: list[Occurrence] = []
    for place, x in arrivals(first, last):
        if place == 0:
            waiting.append(x)
            continue
        before = [a for a in waiting if precedes(a, x) and fits(join(a, x), window)]
        groups = choose(context, [a for a in before if is_free(a, x, guards)])
        yield from (join(*group, x) for group in groups)
        waiting = without(waiting, before if context == "recent" else members(groups))
