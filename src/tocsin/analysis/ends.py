"""What can start, end and decide an occurrence: events, clocks and timers (SPEC §3).

The answer is what a pattern's shape allows: nothing is named that the shape rules out, though the
data or a `within` may rule out more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tocsin.language import nodes
from tocsin.language.nodes import Expression


@dataclass(frozen=True)
class Ends:
    """Each a tuple of nodes, in the order of the pattern: primitives, clocks, timers.

    A clock is `at` or `every`. A timer is an operator that makes instants itself: `plus`, `delay`
    (its end), `periodic`, `periodic*`, `absent`.
    """

    starts: tuple[Expression, ...]
    ends: tuple[Expression, ...]
    decides: tuple[Expression, ...]
    """What an occurrence is detected with: `ends`, unless an operator decides late."""


_LEAVES = (nodes.Primitive, nodes.At, nodes.Every)
_STARTING = (*_LEAVES, nodes.Plus, nodes.Periodic, nodes.PeriodicStar, nodes.Absent)
_ENDING = (*_STARTING, nodes.Delay)
_DECIDING = (*_LEAVES, nodes.Plus, nodes.Periodic, nodes.Absent, nodes.Delay)

# Whose start, end and detection an operator takes over; an operator that is not named here takes
# those of every operand.
_STARTS: Mapping[type[Expression], tuple[str, ...]] = {
    nodes.Sequence: ("first",),
    nodes.Negation: ("operand",),
    nodes.NotBetween: ("first",),
    nodes.Aperiodic: ("body",),
    nodes.AperiodicStar: ("body",),
}
_ENDS: Mapping[type[Expression], tuple[str, ...]] = {
    **_STARTS,
    nodes.Sequence: ("second",),
    nodes.NotBetween: ("last",),
}
_DECIDES: Mapping[type[Expression], tuple[str, ...]] = {
    **_ENDS,
    nodes.AperiodicStar: ("closer",),
    nodes.PeriodicStar: ("closer",),
}


def ends(pattern: Expression) -> Ends:
    """What can start, end and decide an occurrence of the pattern.

    >>> from tocsin.language.builders import aperiodic_star, event, nothing
    >>> a, b, c = event("A"), event("B"), event("C")
    >>> found = ends((a | b) >> c - b)
    >>> [p.name for p in found.starts], [p.name for p in found.ends]
    (['A', 'B'], ['C'])
    >>> ends(aperiodic_star(a, b, c)).decides == (c,)
    True
    >>> ends(a >> nothing)
    Ends(starts=(), ends=(), decides=())
    """
    possible = _possible(pattern)
    return Ends(
        _sources(pattern, possible, _STARTS, _STARTING),
        _sources(pattern, possible, _ENDS, _ENDING),
        _sources(pattern, possible, _DECIDES, _DECIDING),
    )


def _sources(
    pattern: Expression,
    possible: Mapping[int, bool],
    passed_on: Mapping[type[Expression], tuple[str, ...]],
    sources: tuple[type[Expression], ...],
) -> tuple[Expression, ...]:
    """The sources that are reached from the top through the operands an operator passes on."""
    found: dict[Expression, None] = {}
    stack = [pattern]
    while stack:
        node = stack.pop()
        if not possible[id(node)]:
            continue
        if isinstance(node, sources):
            found[node] = None
        elif type(node) in passed_on:
            stack.extend(getattr(node, name) for name in passed_on[type(node)])
        else:
            stack.extend(reversed(node.children))
    return tuple(found)


def _possible(pattern: Expression) -> dict[int, bool]:
    """By identity of the node: can it occur at all, or does it need `nothing` to happen?"""
    possible: dict[int, bool] = {}
    for node in pattern.postorder():
        able = [possible[id(child)] for child in node.children]
        match node:
            case nodes.Nothing():
                answer = False
            case nodes.Absent():
                answer = True
            case nodes.Disjunction() | nodes.Either():
                answer = any(able)
            case nodes.AnyOf(count=count):
                answer = sum(able) >= count
            case nodes.Negation(operand=operand):
                answer = possible[id(operand)]
            case nodes.NotBetween(first=first, last=last):
                answer = possible[id(first)] and possible[id(last)]
            case nodes.Aperiodic(opener=opener, body=body):
                answer = possible[id(opener)] and possible[id(body)]
            case nodes.Periodic(opener=opener):
                answer = possible[id(opener)]
            case _:
                answer = all(able)
        possible[id(node)] = answer
    return possible
