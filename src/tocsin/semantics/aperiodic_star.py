"""`aperiodic*(A, B, C)`: all B between an A and a C, once, at the C (SPEC §3, §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import AperiodicStar
from tocsin.semantics.contexts import CANDIDATES, CHOSEN, decide, oldest, without
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, join
from tocsin.semantics.sequence import precedes


def occurrences(
    node: AperiodicStar,
    history: History,
    openers: list[Occurrence],
    bodies: list[Occurrence],
    closers: list[Occurrence],
) -> Iterator[Occurrence]:
    """For a, c with end(a) < start(c): all b between, if there is one, detected with c."""
    for a in openers:
        for c in closers:
            if precedes(a, c):
                yield from _gathered([a], bodies, c)


LEAVING = {
    "recent": CANDIDATES,  # every a before c goes
    "chronicle": CHOSEN,
    "continuous": CHOSEN,
    "cumulative": CHOSEN,
}


def in_context(
    context: str,
    window: None,
    node: AperiodicStar,
    history: History,
    openers: list[Occurrence],
    bodies: list[Occurrence],
    closers: list[Occurrence],
) -> Iterator[Occurrence]:
    """At c: the recent, the oldest, each or all of the a before it (SPEC §5).

    c consumes even where no b makes an occurrence; bs are never consumed. But where initiators
    prune each other, so go the bs that do not follow the one that is left (SPEC §8).
    """
    gone: set[Occurrence] = set()

    def outdone(survivor: Occurrence, moment: int) -> None:
        gone.update(b for b in bodies if b.detected < moment and b.end <= survivor.end)

    return decide(
        context,
        history,
        openers,
        closers,
        candidate=precedes,
        make=lambda group, c: _gathered(group, without(bodies, gone), c),
        leaving=LEAVING,
        outdone=outdone,
    )


def _gathered(
    group: list[Occurrence], bodies: list[Occurrence], c: Occurrence
) -> Iterator[Occurrence]:
    """From the least start to the largest end of the bs after the oldest a, parts of all."""
    begin = oldest(group).end
    bs = [b for b in bodies if begin < b.start and precedes(b, c)]
    if bs:
        whole = join(*bs)
        yield Occurrence(whole.start, whole.end, c.detected, join(whole, *group, c).parts)
