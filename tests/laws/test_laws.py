"""Every law holds of random patterns on random histories, and a broken one is caught."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from law_checks import (
    ON_TIME,
    Instance,
    congruent,
    equal_intervals,
    equal_sets,
    equal_under_restriction,
    instances,
    is_restriction,
)

from tocsin.language.parser import parse
from tocsin.laws.instantiate import instantiate
from tocsin.laws.table import LAWS, Law
from tocsin.semantics import meaning
from tocsin.semantics.history import History

OF_003 = [law for law in LAWS.values() if law.paper == "003"]
OF_000 = [law for law in LAWS.values() if law.paper == "000"]
SOME = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
HUNT = settings(SOME, max_examples=1000, phases=[Phase.generate], derandomize=True, database=None)
"""For counterexamples that must be there: any will do, so it is not made smaller."""


def number(law: Law) -> str:
    return f"{law.paper}-{law.number}"


@pytest.mark.parametrize("law", OF_003, ids=number)
@SOME
@given(st.data())
def test_law_of_003(law: Law, data: st.DataObject) -> None:
    instance = data.draw(instances(law))
    assert equal_sets(instance)
    assert equal_under_restriction(instance)


@pytest.mark.parametrize("law", OF_003, ids=number)
@settings(SOME, max_examples=15)
@given(st.data())
def test_law_of_003_with_other_operators_below(law: Law, data: st.DataObject) -> None:
    instance = data.draw(instances(law, operators=ON_TIME))
    assert equal_sets(instance)
    assert equal_intervals(instance)


@pytest.mark.parametrize("law", OF_000, ids=number)
@SOME
@given(st.data())
def test_law_of_000(law: Law, data: st.DataObject) -> None:
    assert congruent(data.draw(instances(law)))


def mutant(paper: str, left: str, right: str) -> Law:
    return Law(paper, 0, "none", left, right)


MUTANTS = {
    "6: other order": mutant("003", "A ; (B ; C)", "(B ; A) ; C"),
    "9: C forgotten": mutant("003", "(A | B) ; C", "A ; C | B"),
    "12: outer - forgotten": mutant("003", "(A & B) - C", "A - C & B"),
    "14: both for either": mutant("003", "A - B - C", "A - (B & C)"),
    "17: operands swapped": mutant("003", "(A ; B) - C", "(B - C ; A) - C"),
    "18: the wrong one guarded": mutant("003", "(A ; B) - C", "A ; B - C"),
    "20: outer window forgotten": mutant("003", "(A & B) within {t}", "A within {t} & B"),
    "23: outer window forgotten": mutant("003", "(A - B) within {t}", "A - B within {t}"),
    "24: window on the wrong part": mutant("003", "(A ; B) within {t}", "A within {t} ; B"),
    "26: condition dropped": mutant("003", "A", "A within {t}"),
    "27: not the shorter": mutant("003", "(A within {t}) within {u}", "A within {u}"),
    "33: A - A is A": mutant("003", "A - A", "A"),
    "35: - commutes": mutant("003", "A - B", "B - A"),
    "000-5: ; for &": mutant("000", "A ; A", "A"),
    "000-7: inner windows only": mutant("000", "A ; (B ; C) within {t}", "(A ; B) within {t} ; C"),
    "000-12: both for either": mutant("000", "A - (B & C)", "A - B - C"),
}


def fails(law: Law) -> Callable[[Instance], bool]:
    if law.paper == "000":
        return lambda instance: not congruent(instance)
    return lambda instance: not (equal_sets(instance) and equal_under_restriction(instance))


@pytest.mark.parametrize("law", MUTANTS.values(), ids=MUTANTS)
def test_a_broken_law_is_caught(law: Law) -> None:
    find(instances(law), fails(law), settings=HUNT)


def test_the_restricted_check_alone_catches_a_broken_law() -> None:
    swapped = MUTANTS["17: operands swapped"]
    find(instances(swapped), lambda i: not equal_under_restriction(i), settings=HUNT)
    find(instances(swapped), lambda i: not equal_intervals(i), settings=HUNT)


def test_a_law_of_000_is_none_of_003() -> None:
    """`A & A` has the intervals of A under both restrictions, but pairs two A without any."""
    law = mutant("003", "A & A", "A")
    budget = settings(HUNT, max_examples=150)
    find(instances(law), lambda i: not equal_sets(i), settings=budget)
    with pytest.raises(NoSuchExample):
        find(instances(law), lambda i: not equal_intervals(i), settings=budget)


def test_law_26_fails_for_durative_events() -> None:
    left, right = instantiate(LAWS["003", 26], {"A": parse("A")}, {"t": 2})
    assert not equal_sets(Instance(left, right, History.of([("A", 1, 5)])))


def test_law_6_fails_for_late_operands() -> None:
    """SPEC §4: at D nobody knows yet that X happened before it; at E one does."""
    history = History.of([("A", 1), ("B", 2), ("D", 5), ("C", 9), ("E", 10)])
    operands = {"A": parse("aperiodic*(A, B, C)"), "B": parse("D"), "C": parse("E")}
    left, right = instantiate(LAWS["003", 6], operands)
    for semantics in ("unrestricted", "restricted"):
        assert len(meaning(left, history, semantics=semantics)) == 1
        assert meaning(right, history, semantics=semantics) == []


def test_is_restriction_knows_each_condition() -> None:
    history = History.of([("A", 1), ("A", 2), ("B", 4), ("A", 4)])
    whole = meaning(parse("A ; B | A"), history, semantics="unrestricted")
    shown = {str(o): o for o in whole}
    first, second, late = shown["[1, 1] A@1"], shown["[2, 2] A@2"], shown["[4, 4] A@4"]
    assert is_restriction([first, second, late], whole)
    assert not is_restriction([first, late], whole)  # nothing ends at 2
    assert not is_restriction([first, second, shown["[2, 4] A@2 B@4"]], whole)  # starts too early
    assert not is_restriction([first, second, late, shown["[2, 4] A@2 B@4"]], whole)  # two at 4
    assert not is_restriction([first, second, late], [first, second])  # one too many
