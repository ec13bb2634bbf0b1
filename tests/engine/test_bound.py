"""How much a detector keeps: by the expression where SPEC §4 says so, else by time and use."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from engine.cases import FIVE, OPERATORS, draw_pattern
from numpy.random import default_rng

from tocsin.engine.blocks import Batch
from tocsin.engine.describing import describe
from tocsin.engine.detector import Detector
from tocsin.engine.plan import Plan, make_plan
from tocsin.language import nodes
from tocsin.language.nodes import CONTEXTS, Expression
from tocsin.language.parser import parse


def rows(plan: Plan, times: np.ndarray, names: str, key: int = 0, first: int = 0) -> Batch:
    """Instants of one key; `names` has a letter for each."""
    bits = np.array([[1 << plan.primitives.index(n) if n in plan.primitives else 0 for n in names]])
    times = np.asarray(times, np.int64)
    numbers = np.arange(first, first + times.size)
    return Batch(np.full(times.size, key), times, times, bits.astype(np.int64), numbers)


def cuts(plan: Plan, seed: int, events: int, key: int = 0, gap: int = 3) -> Iterator[Batch]:
    """A long history of one key in cuts of a few rows, often several at an instant."""
    random = default_rng(seed)
    begin = 0
    time = 0
    while begin < events:
        size = int(random.integers(1, 40))
        steps = random.integers(0, gap + 1, size)
        steps[0] += 1
        times = time + np.cumsum(steps)
        time = int(times[-1])
        names = "".join(random.choice(list("ABC"), size))
        yield rows(plan, times, names, key, begin)
        begin += size


def state_rows(detector: Detector) -> list[int]:
    """For each node the largest number of rows that it keeps for a key."""
    return [0 if s is None else int(s.count.max(initial=0)) for s in detector.stores]


def run(pattern: Expression, semantics: str, seed: int, events: int = 1500) -> Iterator[Detector]:
    """A detector after each cut of a long history."""
    plan = make_plan({"p": pattern}, semantics=semantics)
    detector = Detector(plan)
    for batch in cuts(plan, seed, events):
        detector.advance(batch, int(batch.end[-1]))
        yield detector


@pytest.mark.parametrize("part", range(4))
def test_five_operators_are_bounded_by_the_expression(part: int) -> None:
    """Propositions 5.6 and 5.7 of 003: m start times, m occurrences, whatever the data."""
    for number in range(part, 80, 4):
        random = Random(f"bound-{number}")
        pattern = draw_pattern(random, 5, FIVE, [])
        m = len(set(pattern.postorder()))
        for detector in run(pattern, "restricted", number):
            kept = state_rows(detector)
            assert max(kept) <= m, f"seed {number}: {pattern} keeps {kept} rows"
        detector.forget()
        assert detector.rows.used <= m * m
        assert detector.lineage.filled <= m * m


def test_the_bound_is_met_by_no_less() -> None:
    """`A ; (B ; C)` needs two A: one for the start that its decider has stored, and the last."""
    kept = max(max(state_rows(d)) for d in run(parse("A ; (B ; C)"), "restricted", 1))
    assert kept == 2


@pytest.mark.parametrize("semantics", ["unrestricted", *CONTEXTS])
@pytest.mark.parametrize(
    "text",
    [
        "(A ; B) within 20",
        "(A & B) within 20",
        "not(C; A, B) within 20",
        "any(2; A, B, C) within 20",
        "((A ; C) ; B) within 20",
        "(A ; B) within 20 - C",
        "not(C; A, delay(B, 4)) within 20",
        "not(C; A, (B ; A) within 9) within 20",
    ],
)
def test_a_window_lets_go_by_time(text: str, semantics: str) -> None:
    """Of instants at most 3 apart, no more than those of the last 20 can wait."""
    plan = make_plan({"p": parse(text)}, semantics=semantics)
    detector = Detector(plan)
    for batch in cuts(plan, 5, 3000, gap=1):
        detector.advance(batch, int(batch.end[-1]))
    assert max(state_rows(detector)) < 200


@pytest.mark.parametrize("text", ["A ; B", "A & B", "not(C; A, B)", "any(2; A, B)"])
@pytest.mark.parametrize("semantics", ["chronicle", "continuous", "cumulative"])
def test_consumed_initiators_are_let_go(text: str, semantics: str) -> None:
    plan = make_plan({"p": parse(text)}, semantics=semantics)
    detector = Detector(plan)
    for i in range(300):
        detector.advance(rows(plan, [3 * i, 3 * i + 1], "AB", first=2 * i), 3 * i + 2)
        assert max(state_rows(detector)) <= 1
    detector.forget()
    assert detector.rows.used == detector.lineage.filled == detector.keys.known.size == 0


def idle_after(text: str, semantics: str, seen: int = 500) -> int:
    """How many of 500 keys with an A are still known, long after."""
    plan = make_plan({"p": parse(text)}, semantics=semantics)
    detector = Detector(plan)
    keys = np.arange(500)
    time = np.full(500, 10)
    detector.advance(Batch(keys, time, time, np.ones((1, 500), np.int64), keys), 10)
    detector.forget()
    assert detector.keys.known.size == seen
    detector.advance(rows(plan, [1000], "B", key=900, first=500), 1000)
    detector.forget()
    return int(np.isin(keys, detector.keys.known).sum())


@pytest.mark.parametrize("semantics", ["restricted", "unrestricted", *CONTEXTS])
@pytest.mark.parametrize(
    "text",
    ["(A ; B) within 9", "(A & B) within 9", "not(C; A, B) within 9", "any(2; A, B) within 9"],
)
def test_an_idle_key_costs_nothing(text: str, semantics: str) -> None:
    assert idle_after(text, semantics) == 0
    assert idle_after(text.replace("9", "5000"), semantics) == 500


@pytest.mark.parametrize("report", ["overlapping", "repeated"])
def test_a_key_that_has_reported_costs_nothing(report: str) -> None:
    plan = make_plan({"p": parse("A ; B")}, report=report, semantics="chronicle")
    detector = Detector(plan)
    for key in range(300):
        found = detector.advance(rows(plan, [2 * key + 1, 2 * key + 2], "AB", key), 2 * key + 2)
        assert found["p"].key.tolist() == [key]
    detector.forget()
    assert detector.keys.known.size == 0
    found = detector.advance(rows(plan, [1000, 1001], "AB", 7), 1001)
    assert (found["p"].start.tolist(), found["p"].end.tolist()) == ([1000], [1001])


@pytest.mark.parametrize("semantics", ["restricted", "unrestricted", *CONTEXTS])
@pytest.mark.parametrize("text", ["not(A; B, C)", "aperiodic(B, C, A)", "aperiodic*(B, A, C)"])
def test_a_key_that_has_only_guards_or_bodies_costs_nothing(text: str, semantics: str) -> None:
    """What comes before every initiator has nothing to cancel, and belongs to nobody."""
    assert idle_after(text, semantics, seen=0) == 0


@pytest.mark.parametrize("part", range(3))
def test_what_explain_says_about_state_is_so(part: int) -> None:
    """For every operator: bounded is bounded, and by the window is what happened lately."""
    for number in range(part, 90, 3):
        random = Random(f"claims-{number}")
        semantics = random.choice(["restricted", *CONTEXTS])
        kinds = [kind for kind in OPERATORS if kind not in (nodes.At, nodes.Using)]
        pattern = draw_pattern(random, 3, kinds, [])
        lines = describe(make_plan({"p": pattern}, semantics=semantics))
        most = {"bounded": 2 * len(lines) + 3, "by the window": 200, "unbounded": 10**9}
        for detector in run(pattern, semantics, number, events=800):
            kept = state_rows(detector)
            for line, rows_ in zip(lines, kept, strict=True):
                assert rows_ <= most[line.bound], f"{number}: {line} in {pattern}"
            if sum(kept) > 5000:  # of what is said to be unbounded; no more need be seen of it
                break


def test_a_key_that_returns_is_as_new() -> None:
    plan = make_plan({"p": parse("(A ; B) within 9")})
    detector = Detector(plan)
    for key in range(50):
        detector.advance(rows(plan, [100 * key], "A", key), 100 * key)
        detector.forget()
        assert detector.keys.known.size <= 1
        assert detector.keys.size <= 2
    found = detector.advance(rows(plan, [5000, 5001], "AB", 0), 5001)["p"]
    assert found.start.tolist() == [5000]


def test_single_remembers_who_has_reported() -> None:
    plan = make_plan({"p": parse("A")}, report="single")
    detector = Detector(plan)
    assert detector.advance(rows(plan, [1], "A", 3), 1)["p"].key.tolist() == [3]
    detector = Detector.load(plan, detector.save())
    detector.forget()
    assert detector.advance(rows(plan, [2], "A", 3), 2)["p"].key.tolist() == []


def test_memory_of_cells_and_rows_is_that_of_the_state() -> None:
    """A long history of one key, in cuts: what lies behind the window is not kept."""
    plan = make_plan({"p": parse("(A ; B ; C) within 20")}, semantics="unrestricted")
    detector = Detector(plan)
    most = 0
    for call in range(60):
        batch = rows(plan, np.arange(600) + 600 * call, "ABC" * 200, first=600 * call)
        detector.advance(batch, int(batch.end[-1]))
        most = max(most, detector.rows.used + detector.lineage.filled)
    assert most < 12_000
