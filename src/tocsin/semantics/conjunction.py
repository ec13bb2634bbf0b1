"""`A & B` (SPEC §3, §4, §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Conjunction
from tocsin.semantics.contexts import choose, members, prune_each_other, recent, steps, without
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, join
from tocsin.semantics.within import fits


def occurrences(
    node: Conjunction, history: History, left: list[Occurrence], right: list[Occurrence]
) -> Iterator[Occurrence]:
    """a ⊕ b for every a, b."""
    return (join(a, b) for a in left for b in right)


def by_preference(
    node: Conjunction, history: History, left: list[Occurrence], right: list[Occurrence]
) -> list[Occurrence]:
    """Of equal starts the pair is kept that figure 5.2 makes (SPEC §4).

    The figure takes the operand that occurs now, that is, was detected last; of two the one that
    starts later, and A if B starts no later (`a ⊕ r`). Of the other operand it takes the first of
    those with the largest start.
    """

    def preference(pair: tuple[Occurrence, Occurrence]) -> tuple[object, ...]:
        a, b = pair
        a_decides = (a.detected, a.start) >= (b.detected, b.start)
        decider, other = (a, b) if a_decides else (b, a)
        return -decider.start, not a_decides, -other.start, other.order, decider.order

    pairs = ((a, b) for a in left for b in right)
    return [join(a, b) for a, b in sorted(pairs, key=preference)]


def in_context(
    context: str,
    window: int | None,
    node: Conjunction,
    history: History,
    left: list[Occurrence],
    right: list[Occurrence],
) -> Iterator[Occurrence]:
    """At either: with the recent, the oldest, each or all of the other side (SPEC §5)."""
    waiting: tuple[list[Occurrence], list[Occurrence]] = ([], [])
    for step in steps(left, right):
        for side, x in step:
            own, others = waiting[side], waiting[1 - side]
            groups = choose(context, [y for y in others if fits(join(x, y), window)])
            yield from (join(x, *group) for group in groups)
            if context == "recent" or not groups:
                own.append(x)
            else:
                others[:] = without(others, members(groups))
        if prune_each_other(context, history):
            for own in filter(None, waiting):
                own[:] = [recent(own)]
