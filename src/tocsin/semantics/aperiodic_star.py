"""`aperiodic*(A, B, C)`: all B between an A and a C, once, at the C (SPEC §3, §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import AperiodicStar
from tocsin.semantics.contexts import arrivals, choose, members, oldest, without
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


def in_context(
    context: str,
    window: int | None,
    node: AperiodicStar,
    history: History,
    openers: list[Occurrence],
    bodies: list[Occurrence],
    closers: list[Occurrence],
) -> Iterator[Occurrence]:
    """At c: the recent a, and every a before c goes; the oldest, each or all, consumed (SPEC §5).

    c consumes even where no b makes an occurrence; bs are never consumed.
    """
    waiting: list[Occurrence] = []
    for place, x in arrivals(openers, closers):
        if place == 0:
            waiting.append(x)
            continue
        eligible = [a for a in waiting if precedes(a, x)]
        groups = choose(context, eligible)
        for group in groups:
            yield from _gathered(group, bodies, x)
        waiting = without(waiting, eligible if context == "recent" else members(groups))


def _gathered(
    group: list[Occurrence], bodies: list[Occurrence], c: Occurrence
) -> Iterator[Occurrence]:
    """From the least start to the largest end of the bs after the oldest a, parts of all."""
    begin = oldest(group).end
    bs = [b for b in bodies if begin < b.start and precedes(b, c)]
    if bs:
        whole = join(*bs)
        yield Occurrence(whole.start, whole.end, c.detected, join(whole, *group, c).parts)
