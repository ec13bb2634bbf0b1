"""Which settings a pattern can be read under, and which patterns they refuse (SPEC §3-§6)."""

from __future__ import annotations

from collections.abc import Sequence

from tocsin.errors import DefinitionError, did_you_mean
from tocsin.language import nodes
from tocsin.language.nodes import USABLE, Expression

SEMANTICS = (*USABLE, "restricted-2004")
BASES = ("interval", "point")
REPORTS = ("overlapping", "repeated", "single")
POLICIES = ("synchronous", "asynchronous-partial", "asynchronous-total")

TIMERS = (
    nodes.Plus,
    nodes.Delay,
    nodes.Periodic,
    nodes.PeriodicStar,
    nodes.Absent,
    nodes.At,
    nodes.Every,
)
"""What occurs, or is over, because time passes."""


def check(
    expression: Expression,
    *,
    semantics: str,
    basis: str,
    report: str = REPORTS[0],
    policy: str = POLICIES[0],
) -> None:
    """Refuse, before any event is looked at, what has no meaning under these settings.

    >>> from tocsin.language.builders import event
    >>> check(event("A") - event("B"), semantics="recent", basis="point")
    """
    check_name("semantics", semantics, SEMANTICS)
    check_name("basis", basis, BASES)
    check_name("report", report, REPORTS)
    check_name("policy", policy, POLICIES)
    if policy != "synchronous":
        _check_arrival(expression, semantics, basis, policy)
    if semantics == "restricted-2004":
        _check_2004(expression)
    if basis == "point":
        _check_point(expression)


def check_name(option: str, value: str, known: Sequence[str]) -> None:
    """Refuse a value that an option does not know, and list those it does."""
    if value not in known:
        near = did_you_mean(str(value), list(known))
        listed = f"{', '.join(known[:-1])} or {known[-1]}".removeprefix(" or ")
        raise DefinitionError(
            f"{option} is {value!r}, which is not known", hint=f"{near or 'write'} ({listed})"
        )


def is_instantaneous(expression: Expression) -> bool:
    """Whether every occurrence is a primitive's: `ins` of 000, definition 6.1."""
    waiting = [expression]
    while waiting:
        match waiting.pop():
            case nodes.Primitive() | nodes.Nothing() | nodes.At() | nodes.Every():
                pass
            case nodes.Disjunction(left, right) | nodes.Either(left, right):
                waiting += [left, right]
            case nodes.Negation(operand) | nodes.Within(operand) | nodes.Using(operand):
                waiting.append(operand)
            case _:
                return False
    return True


def _check_point(expression: Expression) -> None:
    for node in expression.postorder():
        if isinstance(node, nodes.Negation) and not is_instantaneous(node.operand):
            raise DefinitionError(
                f"'{_short(node)}' has no meaning in point time, where nothing has a duration",
                hint="write not(B; A, C) for 'A then C and no B between', or use basis='interval'",
            )


def _check_arrival(expression: Expression, semantics: str, basis: str, policy: str) -> None:
    """On arrival an occurrence is a point, and nothing happens because time passes (SPEC §8)."""
    if basis != "point":
        raise DefinitionError(
            f"policy is {policy!r}, which uses events as they arrive, but basis is {basis!r}",
            hint="write basis='point': on arrival an occurrence is the point where its last event "
            "happened",
        )
    if semantics == "restricted-2004":
        raise DefinitionError(
            f"policy is {policy!r}, which the algebra of 2004 does not have",
            hint="use semantics='restricted', or policy='synchronous'",
        )
    for node in expression.postorder():
        if isinstance(node, TIMERS):
            raise DefinitionError(
                f"'{_short(node)}' has no meaning with policy {policy!r}: events are used as they "
                "arrive, and nobody knows then what time it is",
                hint="use policy='synchronous'",
            )


def _check_2004(expression: Expression) -> None:
    """The algebra of 2004 has `| & -`, `A ; B` and `(A ; B) within τ`, no more (SPEC §6)."""
    allowed = (
        nodes.Primitive | nodes.Nothing | nodes.Disjunction | nodes.Conjunction | nodes.Negation
    )
    for node in expression.postorder():
        on_a_sequence = isinstance(node, nodes.Within) and isinstance(node.operand, nodes.Sequence)
        if not (isinstance(node, allowed | nodes.Sequence) or on_a_sequence):
            raise DefinitionError(
                f"'{_short(node)}' is not in the algebra of 2004",
                hint="it has | & - ; and (A ; B) within a duration; "
                "semantics='restricted' takes every operator",
            )


def _short(node: Expression, most: int = 60) -> str:
    text = str(node)
    return text if len(text) <= most else text[:most] + " …"
