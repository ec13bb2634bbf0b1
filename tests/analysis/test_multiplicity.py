"""No occurrence has more parts of a name than `multiplicity` says."""

from __future__ import annotations

from collections import Counter

import pytest
from histories import histories
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import expressions

from tocsin.analysis.multiplicity import SEVERAL, multiplicity
from tocsin.errors import DefinitionError
from tocsin.language.nodes import USABLE, Expression
from tocsin.language.parser import parse
from tocsin.semantics import History, meaning


@pytest.mark.parametrize(
    ("pattern", "semantics", "expected"),
    [
        ("A ; B", "restricted", {"A": 1, "B": 1}),
        ("A ; A", "restricted", {"A": 2}),
        ("A | A", "restricted", {"A": 1}),
        ("A & B", "cumulative", {"A": 2, "B": 2}),
        ("A ; B", "cumulative", {"A": 2, "B": 1}),
        ("(A ; B) using cumulative", "recent", {"A": 2, "B": 1}),
        ("(A ; B) using recent", "cumulative", {"A": 1, "B": 1}),
        ("A - B", "restricted", {"A": 1}),
        ("not(B; A, C)", "restricted", {"A": 1, "C": 1}),
        ("not(B; A, C)", "cumulative", {"A": 2, "C": 1}),
        ("any(2; A, B, A)", "restricted", {"A": 2, "B": 1}),
        ("any(1; A, B, A)", "restricted", {"A": 1, "B": 1}),
        ("any(1; A, B)", "cumulative", {"A": 2, "B": 2}),
        ("aperiodic(A, B, C)", "restricted", {"A": 1, "B": 1}),
        ("aperiodic*(A, B, C)", "restricted", {"A": 1, "B": 2, "C": 1}),
        ("aperiodic*(A, B, C)", "cumulative", {"A": 2, "B": 2, "C": 1}),
        ("periodic(A, 5, C)", "restricted", {"A": 1}),
        ("periodic*(A, 5, C)", "cumulative", {"A": 2, "C": 1}),
        ("A#1", "restricted", {"A": 1}),
        ("A#3", "restricted", {"A": 2}),
        ("both(A ; B, B ; C)", "restricted", {"A": 1, "B": 1, "C": 1}),
        ("absent(A, 5)", "restricted", {}),
        ("nothing", "restricted", {}),
        ("delay(A, 5) within 9", "restricted", {"A": 1}),
    ],
)
def test_multiplicity(pattern: str, semantics: str, expected: dict[str, int]) -> None:
    assert multiplicity(parse(pattern), semantics) == expected


def test_a_deep_pattern_is_no_problem() -> None:
    assert multiplicity(parse(" ; ".join(["A"] * 10_000))) == {"A": SEVERAL}


@settings(max_examples=300, deadline=None)
@given(expressions(), histories(max_events=6), st.sampled_from(USABLE))
def test_no_occurrence_has_more_parts(
    pattern: Expression, history: History, semantics: str
) -> None:
    most = multiplicity(pattern, semantics)
    try:
        found = meaning(pattern, history, semantics=semantics)
    except DefinitionError:
        return
    for occurrence in found:
        counts = Counter(part.name for part in occurrence.parts)
        assert counts.keys() <= most.keys()
        assert all(count <= 1 or most[name] == SEVERAL for name, count in counts.items())
