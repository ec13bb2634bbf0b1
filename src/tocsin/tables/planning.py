"""Plans for the engine, which itself need not be imported yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tocsin.engine.plan import Plan, make_plan
from tocsin.language.nodes import Expression
from tocsin.tables.hits import Reading


def plans(
    patterns: Sequence[Expression], reading: Reading, *, tick: int | None, durative: bool
) -> list[Plan]:
    """The plans to run, in which patterns go by their numbers; one, where that is possible."""
    named = {str(number): pattern for number, pattern in enumerate(patterns)}
    if reading.report == "overlapping" and _agree(patterns):
        apart = [named]
    else:  # each starts afresh at its own moments, or means other rows by the same name
        apart = [{name: pattern} for name, pattern in named.items()]
    return [plan_of(some, reading, tick=tick, durative=durative) for some in apart]


def plan_of(
    named: Mapping[str, Expression], reading: Reading, *, tick: int | None, durative: bool
) -> Plan:
    """One plan of some patterns, by their names."""
    return make_plan(
        named,
        semantics=reading.semantics,
        basis=reading.basis,
        report=reading.report,
        tick=tick,
        durative=durative,
        policy=reading.policy,
    )


def _agree(patterns: Sequence[Expression]) -> bool:
    """Whether a name means the same rows in all patterns."""
    primitives = {p for pattern in patterns for p in pattern.primitives()}
    return len(primitives) == len({p.name for p in primitives})
