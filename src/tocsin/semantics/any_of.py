"""`any(m; E1, …, En)`: m different ones of n (SPEC §3, §5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from tocsin.language.nodes import AnyOf
from tocsin.semantics.contexts import age, prune_each_other, steps
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, join
from tocsin.semantics.within import fits


def occurrences(node: AnyOf, history: History, *operands: list[Occurrence]) -> Iterator[Occurrence]:
    """The ⊕ of one occurrence of each of m different operands."""
    for chosen in combinations(operands, node.count):
        yield from (join(*together) for together in product(*chosen))


Member = tuple[int, Occurrence]
"""An occurrence that waits, with the place of its operand."""


def in_context(
    context: str, window: int | None, node: AnyOf, history: History, *operands: list[Occurrence]
) -> Iterator[Occurrence]:
    """At x: with what m − 1 of the other operands have, chosen by the context (SPEC §5)."""
    waiting: list[Member] = []
    for step in steps(*operands):
        for place, x in step:
            eligible: dict[int, list[Member]] = {}
            for other, y in waiting:
                if other != place and fits(join(x, y), window):
                    eligible.setdefault(other, []).append((other, y))
            groups = [
                group
                for group in _groups(context, node.count - 1, list(eligible.values()))
                if fits(x, window) and (context == "cumulative" or fits(_whole(x, group), window))
            ]
            yield from (_whole(x, group) for group in groups)
            if context == "recent" or not groups:
                waiting.append((place, x))
            else:
                waiting = [m for m in waiting if not any(m in group for group in groups)]
        if prune_each_other(context, history):
            latest = {place: (place, x) for place, x in sorted(waiting, key=_age)}
            waiting = list(latest.values())


def _whole(x: Occurrence, group: tuple[Member, ...]) -> Occurrence:
    return join(x, *(y for _, y in group))


def _groups(context: str, needed: int, having: list[list[Member]]) -> list[tuple[Member, ...]]:
    """What goes with the decider, given what each other operand that has something has.

    Each fits the window with the decider. Where operands are late, all together may still not:
    then a choice of one of each is no choice, while cumulative takes all that are eligible.
    """
    if len(having) < needed:
        return []
    if context == "recent":
        latest = sorted((max(those, key=_age) for those in having), key=_age, reverse=True)
        return [tuple(latest[:needed])]
    # A window can leave more than m − 1 operands: those whose oldest is oldest are taken.
    taken = sorted(having, key=lambda those: _age(min(those, key=_age)))[:needed]
    match context:
        case "chronicle":
            return [tuple(min(those, key=_age) for those in taken)]
        case "continuous":
            return list(product(*taken))
        case _:
            return [tuple(member for those in taken for member in those)]


def _age(member: Member) -> tuple[object, ...]:
    return age(member[1])
