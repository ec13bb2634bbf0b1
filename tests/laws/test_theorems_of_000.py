"""Theorems 4.1 and 4.2 and corollary 4.1 of 000: what `restricted-2004` leaves of everything."""

from __future__ import annotations

import pytest
from histories import histories
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from law_checks import Instance, congruent, instances
from patterns_2004 import patterns_of_2004

from tocsin.language import nodes
from tocsin.language.nodes import Expression
from tocsin.laws.table import LAWS
from tocsin.semantics import meaning
from tocsin.semantics.history import History

SOME = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
HISTORIES = histories(names="ABC", min_events=5, max_events=8)


@SOME
@given(patterns_of_2004(), HISTORIES)
def test_theorem_4_1_nothing_new_and_nothing_without_trace(
    pattern: Expression, history: History
) -> None:
    everything = meaning(pattern, history, semantics="unrestricted")
    kept = meaning(pattern, history, semantics="restricted-2004")
    assert set(kept) <= set(everything)
    for a in everything:
        assert any(k.is_inside(a.start, a.end) for k in kept)


@SOME
@given(patterns_of_2004(), HISTORIES)
def test_corollary_4_1_the_first_detection_is_the_same(
    pattern: Expression, history: History
) -> None:
    everything = meaning(pattern, history, semantics="unrestricted")
    kept = meaning(pattern, history, semantics="restricted-2004")
    assert [o.end for o in everything][:1] == [o.end for o in kept][:1]


def sequence_within_3(first: Expression, second: Expression) -> Expression:
    return (first >> second).within(3)


@pytest.mark.parametrize(
    "operator",
    [nodes.Disjunction, nodes.Conjunction, nodes.Negation, nodes.Sequence, sequence_within_3],
    ids=lambda operator: operator.__name__,
)
@settings(SOME, max_examples=60)
@given(
    st.sampled_from([law for law in LAWS.values() if law.paper == "000"]),
    patterns_of_2004(max_depth=1),
    st.data(),
)
def test_theorem_4_2_equals_may_be_exchanged(operator, law, other, data: st.DataObject) -> None:
    """The laws are the equals: they hold for every history, as the theorem asks."""
    pair = data.draw(instances(law))
    for left, right in (
        (operator(pair.left, other), operator(pair.right, other)),
        (operator(other, pair.left), operator(other, pair.right)),
    ):
        assert congruent(Instance(left, right, pair.history))
