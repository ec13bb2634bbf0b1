"""`A ; B` (SPEC §3, §4, §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Sequence
from tocsin.semantics.contexts import CHOSEN, NOBODY, decide
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, join
from tocsin.semantics.within import fits


def precedes(a: Occurrence, b: Occurrence) -> bool:
    """end(a) < start(b), and a is known when b is: detected(a) ≤ detected(b)."""
    return a.end < b.start and a.detected <= b.detected


def occurrences(
    node: Sequence, history: History, first: list[Occurrence], second: list[Occurrence]
) -> Iterator[Occurrence]:
    """a ⊕ b with end(a) < start(b) and detected(a) ≤ detected(b)."""
    return (join(a, b) for a in first for b in second if precedes(a, b))


def by_preference(
    node: Sequence, history: History, first: list[Occurrence], second: list[Occurrence]
) -> list[Occurrence]:
    """Of equal starts the pair with the first a is kept, as figure 5.2 does (SPEC §4)."""
    return [join(a, b) for a in first for b in second if precedes(a, b)]


LEAVING = {
    "recent": NOBODY,
    "chronicle": CHOSEN,
    "continuous": CHOSEN,
    "cumulative": CHOSEN,
}


def in_context(
    context: str,
    window: int | None,
    node: Sequence,
    history: History,
    first: list[Occurrence],
    second: list[Occurrence],
) -> Iterator[Occurrence]:
    """At b: the recent a, which stays; the oldest, each or all, consumed (SPEC §5)."""
    return decide(
        context,
        history,
        first,
        second,
        candidate=lambda a, b: precedes(a, b) and fits(join(a, b), window),
        make=lambda group, b: [join(*group, b)],
        leaving=LEAVING,
    )
