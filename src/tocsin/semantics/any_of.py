"""`any(m; E1, …, En)`: m different ones of n (SPEC §3, §5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from tocsin.language.nodes import AnyOf
from tocsin.semantics.contexts import age, arrivals, members, oldest, recent, without
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, join
from tocsin.semantics.within import fits


def occurrences(node: AnyOf, history: History, *operands: list[Occurrence]) -> Iterator[Occurrence]:
    """The ⊕ of one occurrence of each of m different operands."""
    for chosen in combinations(operands, node.count):
        yield from (join(*together) for together in product(*chosen))


def in_context(
    context: str, window: int | None, node: AnyOf, history: History, *operands: list[Occurrence]
) -> Iterator[Occurrence]:
    """At x: with what m − 1 of the other operands have, chosen by the context (SPEC §5)."""
    waiting: list[list[Occurrence]] = [[] for _ in operands]
    for place, x in arrivals(*operands):
        eligible = [
            [y for y in those if i != place and fits(join(x, y), window)]
            for i, those in enumerate(waiting)
        ]
        groups = [
            group
            for group in _groups(context, node.count - 1, [those for those in eligible if those])
            # Each fits with x; where operands are late, all together may still not.
            if context == "cumulative" or fits(join(x, *group), window)
        ]
        yield from (join(x, *group) for group in groups)
        if context == "recent" or not groups:
            waiting[place].append(x)
        else:
            waiting = [without(those, members(groups)) for those in waiting]


def _groups(
    context: str, needed: int, having: list[list[Occurrence]]
) -> list[tuple[Occurrence, ...]]:
    """What goes with the decider, given what each other operand that has something has."""
    if len(having) < needed:
        return []
    if context == "recent":
        latest = sorted((recent(those) for those in having), key=age)
        return [tuple(latest[len(latest) - needed :])]
    # A window can leave more than m − 1 operands: those whose oldest is oldest are taken.
    taken = sorted(having, key=lambda those: age(oldest(those)))[:needed]
    match context:
        case "chronicle":
            return [tuple(oldest(those) for those in taken)]
        case "continuous":
            return list(product(*taken))
        case _:
            return [tuple(members(taken))]
