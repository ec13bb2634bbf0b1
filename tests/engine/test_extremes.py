"""The edges of what an engine can be given: times, windows, keys, plans, and nothing at all."""

from __future__ import annotations

import time
from random import Random

import numpy as np
import pytest
from engine.cases import Call, Case, Event
from engine.conformance import check, read

from tocsin.engine.blocks import Batch
from tocsin.engine.detector import Detector
from tocsin.engine.plan import Plan, make_plan
from tocsin.errors import DataError
from tocsin.language.builders import any_of, both, either, event
from tocsin.language.nodes import USABLE, Expression
from tocsin.language.parser import parse

FIRST, LAST = -(2**63) + 1, 2**63 - 1
"""The first and the last instant that an event may have; -2^63 is before every time."""

TEXTS = [
    "A ; B",
    "(A ; B) within {w}",
    "(A & B) within {w}",
    "(A ; B) within {w} - C",
    "A within {w}",
    "not(C; A, B) within {w}",
    "any(2; A, B, C) within {w}",
    "aperiodic(A, B, C)",
    "aperiodic*(A, B, C)",
    "periodic(A, {p}, C)",
    "periodic*(A, {p}, C)",
    "plus(A, {w})",
    "delay(A, {w})",
    "absent(A, {p})",
    "every({p})",
    "A#2",
    "both(A ; B, A)",
    "either(A ; B, A & B)",
]


def one_row(plan: Plan, moment: int, name: str, key: int = 0) -> Batch:
    at, bits = np.array([moment]), np.zeros((1 + len(plan.primitives) // 63, 1), np.int64)
    word, bit = divmod(plan.primitives.index(name), 63)
    bits[word, 0] = 1 << bit
    return Batch(np.array([key]), at, at, bits, np.zeros(1, np.int64))


def nobody(plan: Plan) -> Batch:
    none = np.empty(0, np.int64)
    bits = np.empty((1 + len(plan.primitives) // 63, 0), np.int64)
    return Batch(none, none, none, bits, none)


@pytest.mark.parametrize("text", TEXTS)
def test_times_and_durations_as_far_out_as_they_go(text: str) -> None:
    """Few instants, at both ends of the axis and around 0; durations from 0 to 2^63 - 1."""
    instants = [FIRST, FIRST + 1, FIRST + 3, -1, 0, 1, 2**62, LAST - 3, LAST - 1, LAST]
    for number in range(60):
        random = Random(f"far-{text}-{number}")
        wide = random.choice([2**63 - 1, 2**63 - 2, 2**62, 2**63 - 4, 2, 0])
        period = random.choice([2**63 - 1, 2**63 - 2, 2**62, 2**61 + 7])
        pattern = parse(text.format(w=wide, p=period))
        events = []
        for _ in range(random.randint(1, 8)):
            start, end = sorted(random.choices(instants, k=2))
            start = end if number % 2 else start
            events.append(Event(random.choice([0, -(2**63)]), (random.choice("ABC"),), start, end))
        last = max(e.end for e in events)
        cuts = sorted({random.choice(instants) for _ in range(3)} | {LAST})
        calls = tuple(Call(c, random.choice(["nothing", "save"])) for c in cuts)
        check(
            Case(
                (pattern,),
                tuple(events),
                calls,
                semantics=random.choice(USABLE),
                report=random.choice(["overlapping", "repeated"]),
                until=random.choice([None, LAST, last]),
            )
        )


def test_the_time_before_every_time_is_refused() -> None:
    plan = make_plan({"p": parse("A & B")})
    detector = Detector(plan)
    with pytest.raises(DataError, match=r"-2\^63.*before every time"):
        detector.advance(one_row(plan, -(2**63), "A"), 0)
    assert detector.upto is None
    assert detector.began is None


def test_rows_that_come_too_late_are_refused_and_nothing_changes() -> None:
    plan = make_plan({"p": parse("A ; B")})
    detector = Detector(plan)
    detector.advance(one_row(plan, 5, "A"), 5)
    saved = detector.save()
    for moment in (5, 4):
        with pytest.raises(DataError, match=f"ends at {moment}, but all up to 5 has been decided"):
            detector.advance(one_row(plan, moment, "B"), 9)
    assert detector.save() == saved
    assert detector.advance(one_row(plan, 6, "B"), 6)["p"].start.tolist() == [5]


def test_rows_past_the_end_of_a_call_are_refused() -> None:
    plan = make_plan({"p": parse("A ; B")})
    detector = Detector(plan)
    with pytest.raises(DataError, match="ends at 7, after the 5 up to which"):
        detector.advance(one_row(plan, 7, "A"), 5)
    assert detector.upto is None


def test_time_does_not_go_back() -> None:
    plan = make_plan({"p": parse("absent(A, 3)")})
    detector = Detector(plan)
    detector.advance(one_row(plan, 1, "A"), 9)
    with pytest.raises(DataError, match="up to 8, but all up to 9 has been decided"):
        detector.advance(nobody(plan), 8)
    assert detector.upto == 9
    detector.advance(nobody(plan), 9)


@pytest.mark.parametrize("report", ["overlapping", "repeated", "single"])
@pytest.mark.parametrize("text", ["A", "A ; B", "absent(A, 3)", "every(2)", "any(1; A, B)"])
def test_no_rows_at_all(text: str, report: str) -> None:
    """Nothing observed, nothing found; not even silence, which begins with the first row."""
    plan = make_plan({"p": parse(text)}, report=report)
    detector = Detector(plan)
    detector.forget()
    for upto in (-5, 0, 100):
        assert list(read(detector.advance(nobody(plan), upto)["p"], plan)) == []
    detector = Detector.load(plan, detector.save())
    detector.forget()
    assert list(read(detector.advance(nobody(plan), 200)["p"], plan)) == []


def test_empty_calls_between_rows_change_nothing() -> None:
    plan = make_plan({"p": parse("A ; B")})
    detector = Detector(plan)
    for upto in range(-3, 0):
        detector.advance(nobody(plan), upto)
    detector.advance(one_row(plan, 1, "A"), 1)
    for upto in range(2, 50):
        detector.advance(nobody(plan), upto)
    assert detector.advance(one_row(plan, 50, "B"), 50)["p"].start.tolist() == [1]


@pytest.mark.parametrize("count", [62, 63, 64, 126, 127, 200])
def test_many_primitives(count: int) -> None:
    """Several words of bits, rows that are several primitives at once, choices across words."""
    names = [f"E{i:03}" for i in range(count)]
    events = [event(name) for name in names]
    ends: Expression = events[0]
    for other in (events[61], events[-1], events[-2], events[count // 2]):
        ends = ends | other
    patterns = (
        events[-1] >> events[0],
        ends,
        events[-1] - events[0],
        any_of(2, *events),
        (events[1] & events[-1]) >> ends,
        both(events[-1] >> ends, events[-1]),
        either(events[-1] >> ends, events[0] >> ends),
    )
    random = Random(count)
    edge = [names[0], names[1], names[61], names[-2], names[-1]]
    rows = [
        Event(0, tuple(sorted({random.choice(edge), random.choice(names)})), t // 2, t // 2)
        for t in range(30)
    ]
    for semantics in ("restricted", "chronicle"):
        calls = (Call(4, "save"), Call(9, "forget"), Call(14))
        check(Case(patterns, tuple(rows), calls, semantics=semantics))


def test_keys_of_all_kinds() -> None:
    keys = [-(2**63), -1, 0, 1, 2**62, 2**63 - 1]
    rows = [Event(k, (name,), t, t) for t, name in enumerate("AABB") for k in keys]
    check(Case((parse("A ; B"),), tuple(rows), (Call(1, "save"), Call(2, "forget"), Call(3))))


@pytest.mark.parametrize("shape", ["left", "right", "balanced"])
def test_a_plan_of_ten_thousand_operators(shape: str) -> None:
    """Made, run, saved and loaded in a few seconds: nothing is quadratic in the plan."""
    names = [event(f"E{i}") for i in range(200)]
    pattern: Expression
    if shape == "left":
        pattern = names[0]
        for i in range(10_000):
            pattern = pattern >> names[i % 200]
    elif shape == "right":
        pattern = names[0]
        for i in range(10_000):
            pattern = names[i % 200] >> pattern
    else:
        several = [names[i % 199] >> names[i % 200].within(i) for i in range(5_000)]
        while len(several) > 1:
            pairs = zip(several[::2], several[1::2], strict=False)
            several = [a | b for a, b in pairs] + several[len(several) // 2 * 2 :]
        pattern = several[0]
    began = time.process_time()
    plan = make_plan({"p": pattern})
    detector = Detector(plan)
    for moment in range(3):
        detector.advance(one_row(plan, moment, f"E{moment}"), moment)
    assert plan.identity == make_plan({"p": pattern}).identity
    Detector.load(plan, detector.save()).advance(one_row(plan, 3, "E3"), 3)
    assert time.process_time() - began < 20


def test_the_time_to_make_a_plan_is_linear() -> None:
    def seconds(count: int) -> float:
        several = [event(f"A{i}") >> event(f"B{i % 7}") for i in range(count)]
        patterns = {str(i): pattern for i, pattern in enumerate(several)}
        began = time.process_time()
        assert len(make_plan(patterns).nodes) == 2 * count + min(7, count)
        return time.process_time() - began

    small = min(seconds(500) for _ in range(3))
    assert min(seconds(4000) for _ in range(3)) < 24 * small  # eight times, and some leeway
