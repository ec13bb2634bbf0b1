"""Random patterns, shared by all tests that draw them.

from strategies import FIVE, expressions

@given(expressions(operators=FIVE, names="ABC", max_depth=3))
def test_something(pattern): ...
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tocsin.language import nodes
from tocsin.language.durations import Duration
from tocsin.language.nodes import Expression

FIVE: tuple[type[Expression], ...] = (
    nodes.Disjunction,
    nodes.Conjunction,
    nodes.Sequence,
    nodes.Negation,
    nodes.Within,
)
"""The operators of paper 003, the ones the laws are about (SPEC §4)."""

OTHERS: tuple[type[Expression], ...] = (
    nodes.NotBetween,
    nodes.AnyOf,
    nodes.Aperiodic,
    nodes.AperiodicStar,
    nodes.Periodic,
    nodes.PeriodicStar,
    nodes.Plus,
    nodes.Delay,
    nodes.Nth,
    nodes.Absent,
    nodes.Both,
    nodes.Either,
)
CLOCK: tuple[type[Expression], ...] = (nodes.At, nodes.Every)
ALL: tuple[type[Expression], ...] = (*FIVE, *OTHERS, *CLOCK, nodes.Nothing, nodes.Using)

TICKS: SearchStrategy[Duration] = st.integers(1, 6).map(Duration.of)
"""Durations that matter on a history of a dozen instants; 0 is only for those who may have it."""

UNITS: SearchStrategy[Duration] = st.builds(
    lambda count, unit: Duration.of(f"{count}{unit}"),
    st.integers(1, 5000),
    st.sampled_from(["us", "ms", "s", "min", "h", "d", "w"]),
)


def expressions(
    operators: Collection[type[Expression]] = ALL,
    names: Iterable[str] | SearchStrategy[str] = "ABC",
    max_depth: int = 3,
    durations: SearchStrategy[Duration] = TICKS,
    semantics: Collection[str] = nodes.USABLE,
) -> SearchStrategy[Expression]:
    """Patterns of at most `max_depth` operators on a path from the root, of these node types.

    Primitives are always drawn, the leaves `Nothing`, `At` and `Every` only where `operators`
    names them. `semantics` are what `Using` may set. `names="AB"` means the names A and B.
    """
    name = names if isinstance(names, SearchStrategy) else st.sampled_from(list(names))
    leaves: dict[type[Expression], SearchStrategy[Expression]] = {
        nodes.Nothing: st.just(nodes.Nothing()),
        nodes.At: st.sampled_from(["17:00", "00:00:01.5", "2026-11-15 17:00"]).map(nodes.At),
        nodes.Every: durations.map(nodes.Every),
    }
    # Mostly primitives: patterns of clock times and nothing at all say little.
    primitives = [name.map(nodes.Primitive) for _ in range(6)]
    leaf = st.one_of(*primitives, *(s for node, s in leaves.items() if node in operators))
    inner = [node for node in ALL if node in operators and node not in leaves]
    if not inner:
        return leaf
    level: SearchStrategy[Expression] = leaf
    for _ in range(max_depth):
        operations = (_operation(node, level, durations, semantics) for node in inner)
        level = st.one_of(leaf, st.one_of(*operations))
    return level


def _operation(
    node: type[Expression],
    operand: SearchStrategy[Expression],
    durations: SearchStrategy[Duration],
    semantics: Collection[str],
) -> SearchStrategy[Expression]:
    if node is nodes.AnyOf:
        some = st.lists(operand, min_size=1, max_size=3)
        return some.flatmap(
            lambda drawn: st.integers(1, len(drawn)).map(
                lambda count: nodes.AnyOf(count, tuple(drawn))
            )
        )
    if node is nodes.Nth:
        return st.builds(nodes.Nth, operand, st.integers(1, 3))
    if node is nodes.Using:
        return st.builds(nodes.Using, operand, st.sampled_from(list(semantics)))
    if node in (nodes.Periodic, nodes.PeriodicStar):
        return st.builds(node, operand, durations, operand)
    if node is nodes.Absent:
        return st.builds(nodes.Absent, operand, durations)
    if node in (nodes.Within, nodes.Plus, nodes.Delay):
        return st.builds(node, operand, durations | st.just(Duration.of(0)))
    count = 3 if node in (nodes.NotBetween, nodes.Aperiodic, nodes.AperiodicStar) else 2
    return st.builds(node, *[operand] * count)
