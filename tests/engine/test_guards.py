"""Guards: what comes exactly at a boundary, and what comes alone."""

from __future__ import annotations

import numpy as np
import pytest
from engine.cases import Call, Case, Event
from engine.conformance import ask_oracle, check

from tocsin.engine.blocks import Batch
from tocsin.engine.detector import Detector
from tocsin.engine.plan import Plan, make_plan
from tocsin.language.nodes import CONTEXTS
from tocsin.language.parser import parse

ALL = ["restricted", "unrestricted", *CONTEXTS]

BOUNDARIES = [
    ("(A ; C) - G", "A3 C8"),
    ("(A & C) - G", "A3 C8"),
    ("(A ; C) within 5 - G", "A3 C8"),
    ("delay(A, 5) - G", "A3"),
    ("not(G; A, C)", "A3 C8"),
    ("not(G; (D ; A), C)", "D1 A3 C8"),
    ("not(G; A, (C ; D))", "A3 C8 D9"),
    ("not(G; A, C) within 5", "A3 C8"),
    ("not(G; A, delay(C, 1))", "A3 C8"),
    ("aperiodic(A, C, G)", "A3 C8"),
    ("aperiodic(A, (C ; D), G)", "A3 C8 D9"),
    ("periodic(A, 5, G)", "A3"),
    ("periodic(delay(A, 2), 5, G)", "A1"),
]
"""What is forbidden by a G that lies in 3 to 8, both counted, and by no other."""

NEVER_ALONE = [
    *(text for text, _ in BOUNDARIES),
    "(A - G) ; C",
    "(A ; C) - G ; A",
    "((A ; C) - G)#2",
    "aperiodic*(A, C, A) - G",
    "not(G; aperiodic*(A, C, A), C)",
    "aperiodic(aperiodic*(A, C, A), C, G)",
    "periodic(periodic*(A, 2, C), 5, G)",
]


def event(text: str) -> Event:
    return Event(0, (text[0],), int(text[1:]), int(text[1:]))


@pytest.mark.parametrize("semantics", ALL)
@pytest.mark.parametrize(("text", "others"), BOUNDARIES, ids=[text for text, _ in BOUNDARIES])
def test_a_guard_at_a_boundary_forbids_and_one_beside_it_does_not(
    text: str, others: str, semantics: str
) -> None:
    """However rows are cut, and whether it is an instant or lasts."""
    calls = tuple(Call(upto, ("save", "forget")[upto % 2]) for upto in range(1, 12))
    for start in (2, 3, 5, 8, 9):
        for end in {start, 3, 8, 9} - set(range(start)):
            rows = (*map(event, others.split()), Event(0, ("G",), start, end))
            case = Case((parse(text),), rows, calls, semantics, until=9)
            check(case)
            assert bool(ask_oracle(case)) == (start < 3 or end > 8), f"{text} with {start} to {end}"


def rows(plan: Plan, key: np.ndarray, time: int, name: str, first: int = 0) -> Batch:
    """One row of each key, all at an instant."""
    at = np.full(key.size, time)
    bits = np.full((1, key.size), 1 << plan.primitives.index(name))
    return Batch(key, at, at, bits, np.arange(first, first + key.size))


def test_an_opener_leaves_with_its_closer() -> None:
    """A3, and G at the tick of 8 or after it."""
    plan = make_plan({"p": parse("periodic(A, 5, G)")})
    for closer, ticks in ((8, []), (9, [8])):
        detector = Detector(plan)
        detector.advance(rows(plan, np.zeros(1, np.int64), 3, "A"), 7)
        found = detector.advance(rows(plan, np.zeros(1, np.int64), closer, "G"), 20)["p"]
        assert found.end.tolist() == ticks
        detector.forget()
        assert detector.keys.known.size == 0


@pytest.mark.parametrize("semantics", ALL)
@pytest.mark.parametrize("text", NEVER_ALONE)
def test_keys_that_have_only_guards_cost_nothing(text: str, semantics: str) -> None:
    plan = make_plan({"p": parse(text)}, semantics=semantics)
    alone, empty = Detector(plan), Detector(plan)
    keys = np.arange(1000)
    for time in (5, 6, 7):
        alone.advance(rows(plan, keys, time, "G", first=1000 * time), time)
        empty.advance(rows(plan, keys[:0], time, "G"), time)
    assert len(alone.save()) == len(empty.save())
    assert alone.keys.known.size == alone.rows.used == alone.lineage.filled == 0


@pytest.mark.parametrize("semantics", ALL)
@pytest.mark.parametrize("text", NEVER_ALONE)
def test_guards_stay_with_those_they_could_forbid(text: str, semantics: str) -> None:
    """Of many keys with guards, the few that also have an A are kept; the others are as new."""
    plan = make_plan({"p": parse(text)}, semantics=semantics)
    detector = Detector(plan)
    keys, few = np.arange(1000), np.array([3, 400, 999])
    detector.advance(rows(plan, few, 4, "A"), 4)
    detector.advance(rows(plan, keys, 5, "G", first=10), 5)
    detector.forget()
    assert set(detector.keys.known) <= set(few)


def test_a_lasting_event_is_forbidden_by_what_came_before_its_row() -> None:
    """A row comes when it ends: A from 2 to 9, with a G at 5 that was all its key had."""
    plan = make_plan({"p": parse("A - G")}, durative=True)
    detector = Detector(plan)
    key = np.zeros(1, np.int64)
    detector.advance(rows(plan, key, 5, "G"), 5)
    detector.forget()
    bit = np.array([[1 << plan.primitives.index("A")]])
    for start, found in ((2, []), (6, [6])):
        later = Detector.load(plan, detector.save())
        batch = Batch(key, np.array([start]), np.array([9]), bit, np.array([1]))
        assert later.advance(batch, 9)["p"].start.tolist() == found
