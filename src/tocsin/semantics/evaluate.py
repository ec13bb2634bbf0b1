"""From a pattern and a history to occurrences, node by node (SPEC §3-§6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tocsin.language import nodes, settings
from tocsin.language.durations import Duration
from tocsin.language.nodes import CONTEXTS, Expression
from tocsin.semantics import (
    absent,
    any_of,
    aperiodic,
    aperiodic_star,
    both,
    conjunction,
    delay,
    disjunction,
    either,
    negation,
    not_between,
    nth,
    periodic,
    periodic_star,
    plus,
    sequence,
    time_events,
    within,
)
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, in_order
from tocsin.semantics.restrict import innermost, restrict

UNRESTRICTED: dict[type[Expression], Any] = {
    nodes.Primitive: lambda node, history: history.of_primitive(node.name),
    nodes.Nothing: lambda node, history: [],
    nodes.At: time_events.at_occurrences,
    nodes.Every: time_events.every_occurrences,
    nodes.Disjunction: disjunction.occurrences,
    nodes.Conjunction: conjunction.occurrences,
    nodes.Sequence: sequence.occurrences,
    nodes.Negation: negation.occurrences,
    nodes.Within: within.occurrences,
    nodes.NotBetween: not_between.occurrences,
    nodes.AnyOf: any_of.occurrences,
    nodes.Aperiodic: aperiodic.occurrences,
    nodes.AperiodicStar: aperiodic_star.occurrences,
    nodes.Periodic: periodic.occurrences,
    nodes.PeriodicStar: periodic_star.occurrences,
    nodes.Plus: plus.occurrences,
    nodes.Delay: delay.occurrences,
    nodes.Nth: nth.occurrences,
    nodes.Absent: absent.occurrences,
    nodes.Both: both.occurrences,
    nodes.Either: either.occurrences,
}
"""SPEC §3: the occurrences of each operator, from its node, the history and its operands' own,
which are always in the order of SPEC §1."""

IN_CONTEXT: dict[type[Expression], Any] = {
    nodes.Conjunction: conjunction.in_context,
    nodes.Sequence: sequence.in_context,
    nodes.NotBetween: not_between.in_context,
    nodes.AnyOf: any_of.in_context,
    nodes.Aperiodic: aperiodic.in_context,
    nodes.AperiodicStar: aperiodic_star.in_context,
    nodes.Periodic: periodic.in_context,
    nodes.PeriodicStar: periodic_star.in_context,
}
"""SPEC §5: the operators that contexts change; the others are as in §3. Before the arguments of §3
they take the context and, if they are `PAIRING`, a window that is a part of them."""

BY_PREFERENCE: dict[type[Expression], Any] = {
    nodes.Disjunction: disjunction.by_preference,
    nodes.Conjunction: conjunction.by_preference,
    nodes.Sequence: sequence.by_preference,
}
"""SPEC §4: the operators for which figure 5.2 says what is kept among equals."""

PAIRING = (nodes.Sequence, nodes.Conjunction, nodes.AnyOf, nodes.NotBetween)
"""The operators of which a `within` directly on them is a part, in a context (SPEC §5)."""


@dataclass(frozen=True)
class Step:
    """One operator to apply: what is left of a node when `using` and its windows are peeled off."""

    node: Expression
    semantics: str
    """That of the operator and its operands."""
    outer: str
    """That of the outermost `within`, if any was peeled off; else the same."""
    window: Duration | None = None
    """A `within` that is part of the operator's own condition."""
    filters: tuple[Duration, ...] = ()
    """Windows to apply before the result becomes points."""


def meaning(
    expression: Expression,
    history: History,
    *,
    semantics: str = "restricted",
    basis: str = "interval",
) -> list[Occurrence]:
    """The occurrences of a pattern, in the order of SPEC §1.

    >>> from tocsin.language.builders import event
    >>> history = History.of([("A", 1), ("A", 2), ("B", 4)])
    >>> print(*meaning(event("A") >> event("B"), history), sep=", ")
    [2, 4] A@2 B@4
    >>> print(*meaning(event("A") >> event("B"), history, semantics="chronicle"), sep=", ")
    [1, 4] A@1 B@4
    """
    settings.check(expression, semantics=semantics, basis=basis, policy=history.policy)
    goal = (expression, semantics)
    known: dict[tuple[Expression, str], list[Occurrence]] = {}
    waiting = [goal]
    while waiting:
        task = waiting[-1]
        step = peel(*task, basis)
        needed = [(child, step.semantics) for child in step.node.children]
        missing = [n for n in needed if n not in known]
        if missing:
            waiting.extend(missing)
            continue
        known[task] = _apply(step, basis, history, [known[n] for n in needed])
        waiting.pop()
    return known[goal]


def peel(node: Expression, semantics: str, basis: str) -> Step:
    """Find the operator under `using`, and under the windows that are one with it (SPEC §3, §5).

    In point time all windows above an operator are applied before its result becomes points, so
    `using`, which is no operator, does not come between.
    """
    outer: str | None = None
    filters: list[Duration] = []
    while True:
        if isinstance(node, nodes.Using):
            semantics, node = node.semantics, node.operand
        elif isinstance(node, nodes.Within) and _is_part_of_operator(node, semantics):
            window = node.window
            return Step(node.operand, semantics, outer or semantics, window, tuple(filters))
        elif isinstance(node, nodes.Within) and basis == "point":
            outer = outer or semantics
            filters.append(node.window)
            node = node.operand
        else:
            return Step(node, semantics, outer or semantics, None, tuple(filters))


def _is_part_of_operator(node: nodes.Within, semantics: str) -> bool:
    if semantics == "restricted-2004":
        return True  # there it belongs to the sequence, the only thing it may stand on (SPEC §6)
    return semantics in CONTEXTS and isinstance(node.operand, PAIRING)


def _apply(
    step: Step, basis: str, history: History, operands: list[list[Occurrence]]
) -> list[Occurrence]:
    """Apply one operator to its operands' occurrences, then restrict and make points."""
    kind = type(step.node)
    window = None if step.window is None else history.ticks(step.window)
    found: Iterable[Occurrence]
    if step.semantics in CONTEXTS and kind in IN_CONTEXT:
        found = IN_CONTEXT[kind](step.semantics, window, step.node, history, *operands)
    elif step.semantics.startswith("restricted") and kind in BY_PREFERENCE:
        found = BY_PREFERENCE[kind](step.node, history, *operands)
    else:
        found = in_order(UNRESTRICTED[kind](step.node, history, *operands))
    if step.semantics == "restricted-2004":
        found = [o for o in found if within.fits(o, window)]
    if kind is not nodes.Primitive:  # which is a point from the start
        for each in step.filters:
            found = [o for o in found if within.fits(o, history.ticks(each))]
    for semantics in {step.semantics: None, step.outer: None}:  # two if `using` was peeled off
        found = _kept(found, step.node, semantics, basis, history)
    return in_order(_as_points(found, basis, history))


def _kept(
    found: Iterable[Occurrence], node: Expression, semantics: str, basis: str, history: History
) -> Iterable[Occurrence]:
    """What a restricted semantics keeps of what was found (SPEC §4, §6)."""
    if semantics == "restricted":
        if history.on_arrival:
            return restrict(found, same=lambda o: (_time(o), o.detected))
        # In point time both will be `detected`; largest start is judged before that.
        if basis == "point":
            return restrict(found, same=lambda o: o.detected)
        return restrict(found, same=lambda o: (o.end, o.detected))
    if semantics == "restricted-2004":
        if isinstance(node, nodes.Sequence):
            return innermost(found)
        if not isinstance(node, nodes.Negation):
            return restrict(found, same=lambda o: o.end)
    return found


def _as_points(found: Iterable[Occurrence], basis: str, history: History) -> Iterable[Occurrence]:
    """Point time: the result of each operator becomes a point where it was detected (SPEC §3).

    On arrival that is not a time, and the point is where the last of its parts happened.
    """
    if basis == "interval":
        return found
    if history.on_arrival:
        return [Occurrence(_time(o), _time(o), o.detected, o.parts) for o in found]
    return [Occurrence(o.detected, o.detected, o.detected, o.parts) for o in found]


def _time(o: Occurrence) -> int:
    """The time of the last of its parts; timers, which make occurrences without any, are refused
    on arrival."""
    return max(part.end for part in o.parts)
