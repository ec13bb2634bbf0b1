"""Streams on arrival: a micro-batch's rows arrive in order of time, and after those before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from engine.cases import Event, arrivals
from golden_cases import Case, golden_cases
from spark.answers import Question
from spark.questions import random_question, written
from stream.buckets import Stream, cuts, packed, setup_of
from stream.queries import Folder

import tocsin as tc
from tocsin.language.nodes import USABLE
from tocsin.language.settings import POLICIES

pytestmark = pytest.mark.filterwarnings("ignore::tocsin.errors.TocsinWarning")

Batches = Sequence[tuple[list[int], int | None]]
"""Micro-batches: the rows of each, and from up to when none comes any more."""


def as_they_arrive(question: Question, batches: Batches) -> Question:
    """The same rows in the order in which they arrive, as a table.

    There, rows of one time that follow each other arrive together. So that those of different
    micro-batches do not, a row that is no event stands between, for each key.
    """
    rows = question.table.to_pylist()
    keys = sorted({(row["k"], row["q"]) for row in rows})
    nothing = dict.fromkeys(question.table.column_names)
    before = min((row["end"] for row in rows), default=0) - 1
    between = [
        nothing | {"k": k, "q": q, "start": before, "end": before, "id": -1} for k, q in keys
    ]
    arriving: list[dict[str, Any]] = []
    for some, _ in batches:
        own = [rows[i] for i in some]
        arriving += sorted(own, key=lambda row: (row["end"], row["start"], row["id"])) + between
    return replace(question, table=pa.Table.from_pylist(arriving, question.table.schema))


def run(question: Question, batches: Batches, buckets: int) -> Stream:
    setup = setup_of(question, buckets)
    rows, stream = packed(question, setup), Stream(setup)
    ends = np.array(question.table.column(setup.end).to_pylist(), dtype=object)
    for some, upto in batches:
        stream.take(rows.take(pa.array(some, pa.int64())), ends[some], upto)
    return stream


@pytest.mark.parametrize("policy", POLICIES[1:])
@pytest.mark.parametrize(
    ("semantics", "report"),
    [*product(USABLE, ["overlapping"]), ("chronicle", "repeated"), ("recent", "single")],
)
def test_random_cases(semantics: str, report: str, policy: str) -> None:
    question = random_question((semantics, "point", report), policy)
    ends = np.array(question.table.column("end").to_pylist(), dtype=object)
    for seed in range(3):
        batches = list(cuts(Random(seed), ends, None))
        expected = as_they_arrive(question, batches).ask("oracle" if seed == 0 else "local")
        answer = run(question, batches, buckets=1 + seed).answer()
        assert answer == expected, f"seed {seed}"
        forever = [(some, None) for some, _ in batches]
        assert run(question, forever, buckets=1).answer() == expected, f"no watermark, seed {seed}"


@pytest.mark.parametrize(
    "case", [case for case in golden_cases() if case.on_arrival], ids=lambda case: case.name
)
def test_golden_cases(case: Case) -> None:
    """Step by step: what arrives together makes a micro-batch."""
    rows = [
        {"history": 0, "type": event[0], "end": event[-1], "id": place}
        for place, event in enumerate(case.events)
    ]
    options = {name: getattr(case, name) for name in ("semantics", "basis", "report", "policy")}
    options |= {"key": "history", "time": "end"}
    question = Question({"p": case.pattern}, pa.Table.from_pylist(rows), options)
    steps: dict[int, list[int]] = {}
    for place, step in enumerate(arrivals([Event(0, (), e[-1], e[-1]) for e in case.events])):
        steps.setdefault(step, []).append(place)
    stream = run(question, [(some, None) for some in steps.values()], buckets=1)
    found = written(stream.answer(), "p", 0)
    answers = map(sorted, case.answers)  # the rows of a stream's result are in no order
    assert sorted(found) in answers, f"{case.source}: {case.pattern}"


def ticking(pattern: str, semantics: str, policy: str, seconds: int) -> Question:
    """A, B and C in turn, of one key."""
    rows = [{"k": 1, "type": "ABC"[n % 3], "end": n, "id": n} for n in range(seconds)]
    options = {
        "key": ["k"], "time": "end", "semantics": semantics, "basis": "point",
        "report": "overlapping", "policy": policy,
    }  # fmt: skip
    return Question({"p": pattern}, pa.Table.from_pylist(rows), options)


def sizes(question: Question, lateness: int | None, each: int = 30) -> Iterator[int]:
    """How many bytes of state there are after each micro-batch."""
    rows, setup = question.table.num_rows, setup_of(question)
    packets, stream = packed(question, setup), Stream(setup)
    for low in range(0, rows, each):
        upto = None if lateness is None or low <= lateness else low - 1 - lateness
        stream.take(packets.slice(low, each), np.arange(low, low + each), upto)
        yield stream.visits[-1].sizes["p"]


@pytest.mark.parametrize(
    ("pattern", "semantics"),
    [
        ("(A ; B) within 10", "unrestricted"),
        ("A ; B", "restricted"),
        ("A & B", "recent"),
        ("any(2; A, B, C)", "recent"),
        ("not(B; A, C)", "chronicle"),
        ("aperiodic(A, B, C)", "continuous"),
        ("aperiodic*(A, B, C)", "recent"),
        ("A - B", "unrestricted"),
    ],
)
def test_a_watermark_bounds_what_is_kept(pattern: str, semantics: str) -> None:
    question = ticking(pattern, semantics, "asynchronous-partial", 3000)
    with_one, without = list(sizes(question, 20)), list(sizes(question, None))
    assert max(with_one[50:]) < 1.3 * max(with_one[5:20])
    assert max(without[50:]) > 2 * max(with_one)


def test_total_keeps_one_of_each_without_a_watermark() -> None:
    question = ticking("(A ; B) & C", "recent", "asynchronous-total", 3000)
    kept = list(sizes(question, None))
    assert max(kept[50:]) < 1.3 * max(kept[5:20])


def test_rows_from_before_the_watermark_are_late() -> None:
    question = ticking("A ; B", "recent", "asynchronous-partial", 6)
    stream = run(question, [([3], None), ([4], 2), ([0, 5], 3), ([1], 3)], buckets=1)
    # A3, then B4, while nothing from 2 or before is to come any more; A0 and B1 do come.
    assert [0 if visit.late is None else len(visit.late) for visit in stream.visits] == [0, 0, 1, 1]
    assert [(row[2], row[5][0][1]) for row in stream.answer()] == [(4, 3)]


def file(*rows: tuple[str, str, int]) -> pa.Table:
    """Rows (user, type, time)."""
    return pa.Table.from_pylist([{"user": u, "type": name, "time": t} for u, name, t in rows])


def found(folder: Folder) -> list[tuple[Any, ...]]:
    return sorted(
        (row["policy"], row["late"], row["user"], *(e["end"] for e in row["events"]))
        for row in folder.answer()
    )


def test_a_query_answers_at_once_and_says_how(folder: Folder) -> None:
    """Of one file B7 comes before A10; B5 comes later, and still finds A3, for when its file came
    nothing had been late yet. Since then what is from 79 or before is, so A60."""

    def detect(stream: Any) -> Any:
        return tc.detect(
            "A ; B", stream, key="user", semantics="recent", basis="point",
            policy="asynchronous-partial", watermark=20, late="keep", buckets=2,
        )  # fmt: skip

    policy = "asynchronous-partial"
    folder.put(file(("ann", "A", 10), ("ann", "A", 3), ("ann", "B", 7), ("bob", "none", 99)))
    folder.run(detect)
    assert found(folder) == [(policy, False, "ann", 3, 7)]
    folder.put(file(("ann", "B", 12), ("ann", "B", 5), ("bob", "A", 80)))
    folder.run(detect)
    folder.put(file(("bob", "A", 60), ("bob", "B", 81)))
    folder.run(detect)
    assert found(folder) == [
        (policy, False, "ann", 3, 5),
        (policy, False, "ann", 3, 7),
        (policy, False, "ann", 10, 12),
        (policy, False, "bob", 80, 81),
        (policy, True, "bob", 60),
    ]
    assert folder.count("late") == 1


def test_a_query_without_a_watermark(folder: Folder) -> None:
    def detect(pattern: str, **options: Any) -> Any:
        given = {"policy": "asynchronous-total", "semantics": "recent", "basis": "point"} | options
        return lambda stream: tc.detect(pattern, stream, key="user", buckets=1, **given)

    folder.put(file(("ann", "A", 10), ("ann", "A", 3), ("ann", "B", 7)))
    folder.run(detect("A ; B"))
    folder.put(file(("ann", "B", 12), ("ann", "B", 5)))
    folder.run(detect("A ; B"))
    ends = sorted([event["end"] for event in row["events"]] for row in folder.answer())
    assert ends == [[3, 7], [10, 12]]
    for pattern, options in [
        ("A ; B", {"policy": "asynchronous-partial"}),
        ("not(C; A, B)", {}),
        ("A ; B", {"semantics": "chronicle"}),
    ]:
        with pytest.raises(tc.DefinitionError, match=r"grow without end; say by .* watermark=10"):
            detect(pattern, **options)(folder.stream())
