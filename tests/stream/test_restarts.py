"""What a checkpoint is compared with, and patterns that come and go."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from spark.answers import Question
from stream.buckets import Stream, packed, setup_of
from stream.waves import waves

from tocsin.errors import DataError
from tocsin.spark.stream.bucket import Bucket
from tocsin.spark.stream.header import Control, check
from tocsin.spark.stream.memory import Plain

FACTS: dict[str, Any] = {
    "tocsin": "0.1.0",
    "buckets": 8,
    "key": ["user string"],
    "time": ["ts timestamp"],
    "unit": None,
    "carry": [],
    "until": None,
    "semantics": "restricted",
    "patterns": {"login": "event('A') >> event('B')", "out": "event('C')"},
    "plans": {"login": "1", "out": "2"},
}


def changed(**facts: Any) -> str:
    return json.dumps(FACTS | facts)


@pytest.mark.parametrize(
    ("now", "sentence"),
    [
        ({"buckets": 16}, "made with buckets=8, this query has buckets=16"),
        ({"key": ["user bigint"]}, "key='user string', this query has key='user bigint'"),
        ({"carry": ["a int", "b int"]}, r"carry=\(\), this query has carry=\(a int, b int\)"),
        ({"semantics": "recent"}, "semantics='restricted', this query has semantics='recent'"),
        ({"until": 7}, "until=None, this query has until=7"),
        (
            {"patterns": FACTS["patterns"] | {"login": "event('A')"}},
            r"the pattern 'login' is not what it was .*: it was event\('A'\) >> event\('B'\), "
            r"it is event\('A'\); give it another name",
        ),
        ({"patterns": {"new": "event('A')"}, "plans": {"new": "3"}}, "other patterns: 'login', "),
        (
            {"tocsin": "9", "plans": FACTS["plans"] | {"out": "4"}},
            "Tocsin 9 keeps other state for the pattern 'out' than Tocsin 0.1.0",
        ),
    ],
)
def test_what_does_not_fit_is_said(now: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        check(changed(), changed(**now))


def test_what_fits_goes_on() -> None:
    check(changed(), changed(tocsin="0.2.0"))
    check(changed(), changed(patterns={"out": "event('C')", "x": "y"}, plans={"out": "2"}))


def test_the_bucket_without_keys_refuses_another_number_of_buckets() -> None:
    memory, question = Plain(), waves(1)
    setup = setup_of(question)
    for header in (changed(), changed(tocsin="0.2.0")):
        Control(replace(setup, header=header), memory).check()
    with pytest.raises(DataError, match="buckets"):
        Control(replace(setup, header=changed(buckets=2)), memory).check()


def test_patterns_come_and_go() -> None:
    """ab is there all the time, bc for the first half, cd and delayed for the second."""
    question, stream = waves(3), None
    early = {"ab": "(A ; B) within 9", "bc": "B ; C"}
    late = {"ab": "(A ; B) within 9", "cd": "C ; D", "later": "delay(D, 3)"}
    halves = [question.table.slice(0, 210), question.table.slice(210)]
    for patterns, half in zip((early, late), halves, strict=True):
        asked = Question(patterns, half, question.options)
        setup = setup_of(asked, 2)
        stream = replace(stream, setup=setup) if stream else Stream(setup)
        rows = packed(asked, setup)
        ends = half.column("end").to_numpy()
        upto = int(ends.max()) - 20
        stream.take(rows, ends, upto)
        assert {name.pattern for memory in stream.memories for name, _ in memory} <= {"", *patterns}
    stream.take(rows.slice(0, 0), ends[:0], 1000)
    found = stream.answer()

    def of(label: str) -> Any:
        return [row for row in found if row[0] == label]

    whole = Question(early | late, question.table, question.options).ask("local")
    assert of("ab") == [row for row in whole if row[0] == "ab"]
    second = Question(late, halves[1], question.options | {"until": 1000}).ask("local")
    for label in ("cd", "later"):
        assert of(label) == [row for row in second if row[0] == label] != []
    first = Question(early, halves[0], question.options).ask("local")
    decided = int(halves[0].column("end").to_numpy().max()) - 20
    assert of("bc") == [r for r in first if r[0] == "bc" and r[2] <= decided] != []


def test_damaged_state_is_refused() -> None:
    question = waves(4)
    setup = setup_of(question)
    stream, rows = Stream(setup), packed(question, setup_of(question))
    stream.take(rows, question.table.column("end").to_numpy(), 50)
    (memory,) = stream.memories
    kinds = {name.kind for name, _ in memory}
    assert kinds == {"head", "rows", "chunk"}
    for (name, piece), value in list(memory.values.items()):
        broken = Plain()
        broken.values = memory.values | {(name, piece): value[:-1] + bytes([value[-1] ^ 1])}
        with pytest.raises(DataError, match=rf"damaged \({name.kind}"):
            Bucket(setup, broken).visit([], None, 1000)
        broken.values = memory.values | {(name, piece): b"\x09" + value[1:]}
        with pytest.raises(DataError, match="format 9, this Tocsin reads format 1"):
            Bucket(setup, broken).visit([], None, 1000)
