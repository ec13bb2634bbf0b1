"""Patterns in Python: what is not an operator is a function here (SPEC §2)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, TypeAlias

from tocsin.language import nodes
from tocsin.language.durations import Duration
from tocsin.language.nodes import Expression

Span: TypeAlias = Duration | timedelta | int | str


def event(name: str, predicate: str | None = None) -> Expression:
    """A primitive: the rows for which the Spark SQL predicate holds, or whose type is the name.

    >>> failed = event("failed", "type = 'login' and not success")
    >>> print(failed >> event("ok"))
    failed ; ok
    """
    return nodes.Primitive(name, predicate)


def not_(guard: Expression, *, between: tuple[Expression, Expression]) -> Expression:
    """`not_(b, between=(a, c))`: a then c, and no b between.

    >>> print(not_(event("B"), between=(event("A"), event("C"))))
    not(B; A, C)
    """
    if not isinstance(between, tuple | list) or len(between) != 2:
        raise nodes.DefinitionError(
            f"between is {between!r}", hint="write not_(b, between=(a, c)) with two patterns"
        )
    return nodes.NotBetween(guard, *between)


def any_of(count: int, *operands: Expression) -> Expression:
    """`any_of(2, a, b, c)`: two different ones of the three, in any order."""
    return nodes.AnyOf(count, operands)


def aperiodic(opener: Expression, body: Expression, closer: Expression) -> Expression:
    """Every body after an opener, until a closer."""
    return nodes.Aperiodic(opener, body, closer)


def aperiodic_star(opener: Expression, body: Expression, closer: Expression) -> Expression:
    """All bodies between an opener and a closer, once, at the closer."""
    return nodes.AperiodicStar(opener, body, closer)


def periodic(opener: Expression, period: Span, closer: Expression) -> Expression:
    """An instant every `period` after an opener, until a closer."""
    return nodes.Periodic(opener, _span(period), closer)


def periodic_star(opener: Expression, period: Span, closer: Expression) -> Expression:
    """All instants every `period` between an opener and a closer, once, at the closer."""
    return nodes.PeriodicStar(opener, _span(period), closer)


def plus(operand: Expression, offset: Span) -> Expression:
    """The instant `offset` after the operand."""
    return nodes.Plus(operand, _span(offset))


def delay(operand: Expression, offset: Span) -> Expression:
    """The operand, extended by `offset`; so `delay(a, "10s") - b` is a, and no b for 10 s."""
    return nodes.Delay(operand, _span(offset))


def nth(operand: Expression, index: int) -> Expression:
    """Every `index`-th occurrence of the operand."""
    return nodes.Nth(operand, index)


def absent(operand: Expression, span: Span) -> Expression:
    """The operand was silent for `span`."""
    return nodes.Absent(operand, _span(span))


def both(left: Expression, right: Expression) -> Expression:
    """Left and right hold of the same events."""
    return nodes.Both(left, right)


def either(left: Expression, right: Expression) -> Expression:
    """Left or right, once where both are made of the same events."""
    return nodes.Either(left, right)


def at(when: str) -> Expression:
    """Every day at a time, `at("17:00")`, or once, `at("2026-11-15 17:00")`."""
    return nodes.At(when)


def every(period: Span) -> Expression:
    """Again and again, `every("1h")`, counted from the epoch in the session's time zone."""
    return nodes.Every(_span(period))


nothing = nodes.Nothing()
"""The event that never occurs."""


def _span(value: Any) -> Duration:
    return Duration.of(value)
