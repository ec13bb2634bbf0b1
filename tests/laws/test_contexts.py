"""Contexts choose among what there is, and point time has the equations of 004."""

from __future__ import annotations

from collections import Counter

import pytest
from histories import histories
from hypothesis import HealthCheck, find, given, settings
from law_checks import Instance, equal_sets
from strategies import expressions

from tocsin.language import nodes
from tocsin.language.nodes import Expression
from tocsin.language.parser import parse
from tocsin.laws.instantiate import instantiate
from tocsin.laws.table import LAWS
from tocsin.semantics import meaning
from tocsin.semantics.history import History

SOME = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
OPERATORS = [
    "A ; B",
    "(A ; B) within 3",
    "A & B",
    "(A & B) within 3",
    "any(2; A, B, C)",
    "any(2; A, B, C) within 3",
    "any(3; A, B, C)",
    "not(B; A, C)",
    "not(B; A, C) within 3",
    "aperiodic(A, B, C)",
    "aperiodic*(A, B, C)",
    "periodic(A, 2, C)",
    "periodic*(A, 2, C)",
]
"""Every operator that contexts change, over primitives: the subset is per operator (SPEC §5)."""
IN_POINT_TIME = (
    nodes.Disjunction,
    nodes.Conjunction,
    nodes.Sequence,
    nodes.Within,
    nodes.NotBetween,
    nodes.AnyOf,
    nodes.Aperiodic,
    nodes.AperiodicStar,
    nodes.Plus,
    nodes.Nth,
)
"""Without `-`, which has no meaning over a composite there (SPEC §3)."""
POINTS = expressions(operators=IN_POINT_TIME, names="ABC", max_depth=2)
HISTORIES = histories(names="ABC", min_events=4, max_events=8, durative=True)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("context", ["recent", "chronicle", "continuous"])
@SOME
@given(HISTORIES)
def test_a_context_gives_a_subset_of_everything(
    context: str, operator: str, history: History
) -> None:
    pattern = parse(operator)
    for basis in ("interval", "point"):
        chosen = meaning(pattern, history, semantics=context, basis=basis)
        assert set(chosen) <= set(meaning(pattern, history, semantics="unrestricted", basis=basis))


@pytest.mark.parametrize("operator", ["A ; B", "A & B", "any(2; A, B, C)", "not(B; A, C)"])
@pytest.mark.parametrize("context", ["chronicle", "cumulative"])
@SOME
@given(HISTORIES)
def test_what_is_consumed_is_not_used_again(context: str, operator: str, history: History) -> None:
    found = meaning(parse(operator), history, semantics=context)
    used = Counter(part for occurrence in found for part in occurrence.parts)
    assert all(times == 1 for times in used.values())


def with_simultaneous(a: Expression, b: Expression, history: History) -> bool:
    """`A & B` is A ; B, or B ; A, or both at once: in point time, within 0."""
    either = (a >> b) | (b >> a) | (a & b).within(0)
    return as_points(a & b, history) == as_points(either, history)


def without_simultaneous(a: Expression, b: Expression, history: History) -> bool:
    """Proposition 3.1, part 2, as 004 prints it."""
    return as_points(a & b, history) == as_points((a >> b) | (b >> a), history)


def as_points(pattern: Expression, history: History) -> set:
    return set(meaning(pattern, history, semantics="unrestricted", basis="point"))


@settings(SOME, max_examples=200)
@given(POINTS, POINTS, HISTORIES)
def test_and_is_one_order_or_the_other_or_both_at_once(
    a: Expression, b: Expression, history: History
) -> None:
    assert with_simultaneous(a, b, history)


def test_proposition_3_1_of_004_forgets_the_simultaneous_case() -> None:
    a, b = parse("A"), parse("B")
    both_at_once = History.of([("A", 1), ("B", 1)])
    assert with_simultaneous(a, b, both_at_once)
    assert not without_simultaneous(a, b, both_at_once)
    find(histories(names="AB"), lambda history: not without_simultaneous(a, b, history))


@pytest.mark.parametrize("number", [2, 3, 4, 5, 8])
@settings(SOME, max_examples=40)
@given(POINTS, POINTS, POINTS, HISTORIES)
def test_and_and_or_commute_associate_and_distribute(
    number: int, a: Expression, b: Expression, c: Expression, history: History
) -> None:
    """Proposition 3.1, part 1: the same laws as 003 has, in point time."""
    left, right = instantiate(LAWS["003", number], {"A": a, "B": b, "C": c})
    assert as_points(left, history) == as_points(right, history)


@settings(SOME, max_examples=100)
@given(POINTS, POINTS, HISTORIES)
def test_aperiodic_without_a_closer_is_not_between(
    a: Expression, b: Expression, history: History
) -> None:
    """Proposition 3.1, part 3."""
    never = parse("nothing")
    aperiodic = nodes.Aperiodic(a, b, never)
    assert as_points(aperiodic, history) == as_points(nodes.NotBetween(never, a, b), history)


def test_in_interval_time_the_sequences_do_not_make_the_conjunction() -> None:
    """Intervals overlap in more ways than points: the equation is one of point time only."""
    overlapping = History.of([("A", 1, 4), ("B", 2, 5)])
    assert not equal_sets(
        Instance(parse("A & B"), parse("A ; B | B ; A | (A & B) within 0"), overlapping)
    )
