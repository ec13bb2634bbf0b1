"""The papers' algorithms give what the oracle's definitions give, within the papers' bounds."""

from __future__ import annotations

from random import Random

import bulk
import pytest
from histories import histories
from hypothesis import given, settings
from patterns_2004 import patterns_of_2004
from strategies import FIVE, expressions

from tocsin.errors import DataError, DefinitionError
from tocsin.language import nodes
from tocsin.language.nodes import Expression, Primitive
from tocsin.semantics import meaning
from tocsin.semantics.algorithms import carlson_2004, carlson_2007
from tocsin.semantics.algorithms.instants import instants
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence

PATTERNS = expressions(operators=(*FIVE, nodes.Nothing), names="ABC", max_depth=3)
HISTORIES = histories(names="ABC", min_events=4, max_events=9)


def intervals(occurrences: list[Occurrence]) -> list[tuple[int, int]]:
    return [(o.start, o.end) for o in occurrences]


@settings(max_examples=150, deadline=None)
@given(PATTERNS, HISTORIES)
def test_figure_5_2_is_the_restricted_meaning(pattern: Expression, history: History) -> None:
    assert carlson_2007.detect(pattern, history) == meaning(pattern, history)


def test_figure_5_2_is_the_restricted_meaning_in_bulk() -> None:
    for seed in range(4000):
        random = Random(seed)
        pattern, history = bulk.pattern(random, depth=4), bulk.history(random)
        expected = meaning(pattern, history)
        for keep in (carlson_2007.figure_5_4, carlson_2007.figure_5_5):
            found = carlson_2007.detect(pattern, history, keep)
            assert found == expected, bulk.shown(seed, pattern, history)


@settings(max_examples=150, deadline=None)
@given(PATTERNS, HISTORIES)
def test_figure_5_2_has_per_end_the_latest_start_of_all(
    pattern: Expression, history: History
) -> None:
    latest: dict[int, int] = {}
    for o in meaning(pattern, history, semantics="unrestricted"):
        latest[o.end] = max(o.start, latest.get(o.end, o.start))
    found = carlson_2007.detect(pattern, history)
    assert intervals(found) == [(start, end) for end, start in sorted(latest.items())]


def test_figure_5_5_keeps_what_figure_5_4_keeps() -> None:
    for seed in range(1000):
        random = Random(seed)
        pattern, history = bulk.pattern(random, depth=5), bulk.history(random)
        nested = carlson_2007.Detector(pattern, history, carlson_2007.figure_5_4)
        one_pass = carlson_2007.Detector(pattern, history, carlson_2007.figure_5_5)
        for _, now in instants(pattern, history):
            assert nested.step(now) == one_pass.step(now), bulk.shown(seed, pattern, history)
            for a, b in zip(nested.variables, one_pass.variables, strict=True):
                assert (a.Q, a.S) == (b.Q, b.S), bulk.shown(seed, pattern, history)


def test_state_is_bounded_by_the_pattern_alone() -> None:
    """Propositions 5.6 and 5.7 of 003."""
    most_stored = most_starts = 0
    for seed in range(1000):
        random = Random(seed)
        pattern, history = bulk.pattern(random, depth=5), bulk.history(random)
        detector = carlson_2007.Detector(pattern, history)
        for _, now in instants(pattern, history):
            detector.step(now)
            for i in detector.variables:
                is_sequence = isinstance(i.expression, nodes.Sequence)
                assert len(i.S) < i.size, bulk.shown(seed, pattern, history)
                assert len(i.Q) <= (len(i.operands[1].S) if is_sequence else 0)
                most_stored, most_starts = max(most_stored, len(i.Q)), max(most_starts, len(i.S))
    assert most_stored > 1  # else the bounds were never near
    assert most_starts > 3


@settings(max_examples=150, deadline=None)
@given(patterns_of_2004(), HISTORIES)
def test_figures_2_and_4_are_the_meaning_of_2004(pattern: Expression, history: History) -> None:
    expected = meaning(pattern, history, semantics="restricted-2004")
    assert carlson_2004.detect(pattern, history, constant="never") == expected
    assert carlson_2004.detect(pattern, history, constant="where possible") == expected


def test_figures_2_and_4_are_the_meaning_of_2004_in_bulk() -> None:
    for seed in range(4000):
        random = Random(seed)
        pattern, history = bulk.pattern_of_2004(random, depth=3), bulk.history(random)
        expected = meaning(pattern, history, semantics="restricted-2004")
        for constant in ("never", "where possible"):
            found = carlson_2004.detect(pattern, history, constant)
            assert found == expected, bulk.shown(seed, pattern, history)


def test_figure_4_stores_one_instance_where_figure_2_stores_many() -> None:
    pattern = (Primitive("A") >> Primitive("B")) >> (Primitive("C") | Primitive("D"))
    history = History.of(
        [*(("A", 3 * i) for i in range(9)), *(("B", 3 * i + 1) for i in range(9)), ("C", 99)]
    )
    stored = {}
    for constant in ("never", "where possible"):
        detector = carlson_2004.Detector(pattern, history, constant)
        stored[constant] = 0
        for time, now in instants(pattern, history):
            detector.step(time, now)
            stored[constant] = max(stored[constant], *(len(i.q) for i in detector.variables))
    assert stored == {"never": 9, "where possible": 0}


@pytest.mark.parametrize("algorithm", [carlson_2004, carlson_2007])
def test_what_the_figures_do_not_have_is_refused(algorithm) -> None:
    history = History.of([("A", 1)])
    with pytest.raises(DefinitionError, match="no operator Plus"):
        algorithm.detect(nodes.Plus(Primitive("A"), 3), history)
    with pytest.raises(DataError, match="lasts from 1 to 3"):
        algorithm.detect(Primitive("A"), History.of([("A", 1, 3)]))


def test_2004_restricts_only_sequences() -> None:
    conjunction = (Primitive("A") & Primitive("B")).within(3)
    with pytest.raises(DefinitionError, match="only sequences"):
        carlson_2004.detect(conjunction, History.of([("A", 1)]))
    with pytest.raises(DefinitionError, match="constant is"):
        carlson_2004.detect(Primitive("A"), History.of([]), constant="always")
