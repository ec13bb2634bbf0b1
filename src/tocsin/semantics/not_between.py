"""`not(B; A, C)`: A then C, no B between (SPEC §3, §5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tocsin.language.nodes import NotBetween
from tocsin.semantics.contexts import CANDIDATES, CHOSEN, decide
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


LEAVING = {
    "recent": CANDIDATES,  # every a before c goes
    "chronicle": CHOSEN,
    "continuous": CHOSEN,
    "cumulative": CHOSEN,
}


def in_context(
    context: str,
    window: int | None,
    node: NotBetween,
    history: History,
    guards: list[Occurrence],
    first: list[Occurrence],
    last: list[Occurrence],
) -> Iterator[Occurrence]:
    """At c: the recent, the oldest, each or all of the a that are free (SPEC §5).

    An a too old for the window is no candidate: it is passed over and does not go.
    """
    return decide(
        context,
        history,
        first,
        last,
        candidate=lambda a, c: precedes(a, c) and fits(join(a, c), window),
        free=lambda a, c: is_free(a, c, guards),
        make=lambda group, c: [join(*group, c)],
        leaving=LEAVING,
    )
