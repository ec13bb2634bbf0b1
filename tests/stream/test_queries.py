"""Streaming queries in Spark: the answer of a table, with restarts between the micro-batches."""

from __future__ import annotations

from random import Random

import pyarrow as pa
from spark.answers import sorted_answer
from spark.questions import golden, golden_question, histories, written
from stream.queries import Folder

import tocsin as tc

FAR = 1_000_000
"""A time that all others are before; a row that is no event ends a stream there."""


def test_golden_cases(folder: Folder) -> None:
    cases = max(golden(), key=len)
    question = golden_question(cases)
    delay = max(question.table.column("end").to_pylist())
    rows = question.table.to_pylist()
    Random(5).shuffle(rows)
    end = {"history": -1, "type": "none", "start": FAR, "end": FAR, "id": -1}
    for some in (rows[::3], rows[1::3], [*rows[2::3], end]):
        folder.put(pa.Table.from_pylist(some))
        folder.run(
            lambda events: tc.detect_all(
                question.patterns, events, carry=["id"], watermark=delay, buckets=3,
                **question.options,
            )
        )  # fmt: skip
    answer = sorted_answer(folder.answer())
    for number, case in enumerate(cases):
        found = written(answer, f"{number}", histories(cases).index(case.events))
        assert tuple(found) in case.answers, f"{case.name}, {case.source}: {case.pattern}"
    assert folder.count("late") == 0
