"""Buckets give the answer of a table, however the rows are cut, shuffled and spread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from random import Random
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from spark.answers import Question
from spark.questions import RANDOM, golden, golden_question, histories, random_question, written
from stream.buckets import Stream, packed, run, setup_of

from tocsin.spark.stream.bucket import Bucket

pytestmark = pytest.mark.filterwarnings("ignore::tocsin.errors.TocsinWarning")


@contextmanager
def small() -> Iterator[None]:
    """Chunks, slices and pieces of a few rows each, of which there are many then."""
    folder = "tocsin.spark.stream"
    with (
        patch(f"{folder}.directory.LARGE", 1 << 12),
        patch(f"{folder}.waiting.SLICE", 16),
        patch(f"{folder}.waiting.MANY", 3),
        patch(f"{folder}.memory.PIECE", 500),
    ):
        yield


@pytest.mark.parametrize("number", range(len(RANDOM)), ids=["-".join(s) for s in RANDOM])
def test_random_cases(number: int) -> None:
    question = random_question(RANDOM[number])
    expected = question.ask("local")
    for seed in range(4):
        with small() if seed % 2 else nullcontext():
            stream = run(question, Random(seed), buckets=1 + seed)
        assert stream.answer() == expected, f"seed {seed}"


def test_golden_cases() -> None:
    for place, cases in enumerate(golden()):
        stream = run(golden_question(cases), Random(place), buckets=2)
        answer = stream.answer()
        for number, case in enumerate(cases):
            found = written(answer, f"{number}", histories(cases).index(case.events))
            assert tuple(found) in case.answers, f"{case.name}, {case.source}: {case.pattern}"


def test_chunks_split_and_keys_leave() -> None:
    """A hundred keys come and go: state is cut into chunks, and is gone when all is old."""
    table = pa.table(
        {
            "k": [f"key {n // 2 % 100}" for n in range(600)],
            "end": list(range(600)),
            "type": ["A", "B"] * 300,
            "id": list(range(600)),
        }
    )
    options = {"key": "k", "time": "end", "semantics": "unrestricted", "basis": "interval"}
    question = Question(
        {"p": "(A ; B ; A) within 250", "q": "delay(B, 40)"}, table,
        options | {"report": "overlapping", "until": None},
    )  # fmt: skip
    setup = setup_of(question)
    stream, rows, most = Stream(setup), packed(question, setup), 0
    with small():
        for low in range(0, 600, 100):
            ends = np.arange(low, low + 100)
            stream.take(rows.slice(low, 100), ends, low + 80)
            most = max(most, len(Bucket(setup, stream.memories[0]).patterns["p"].entries))
        assert most > 8
        assert {len(value) for value in stream.memories[0].values.values()} <= set(range(501))
        for upto in range(900, 900 + 2 * most):  # one chunk in turn
            stream.take(rows.slice(0, 0), ends[:0], upto)
    expected = Question(question.patterns, table, question.options | {"until": 900}).ask("local")
    assert stream.answer() == expected
    bucket = Bucket(setup, stream.memories[0])
    assert {label: own.keys for label, own in bucket.patterns.items()} == {"p": 0, "q": 0}
    assert {name.kind for name, _ in stream.memories[0]} == {"head"}
