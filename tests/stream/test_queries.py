"""Streaming queries in Spark: the answer of a table, with restarts between the micro-batches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as f
from spark.answers import sorted_answer
from spark.questions import golden, golden_question, histories, written
from stream.queries import Folder

import tocsin as tc

FAR = 1_000_000
"""A time that all others are before; a row that is no event ends a stream there."""
START = datetime(2026, 10, 25, 0, 59, tzinfo=UTC)  # clocks go back in Berlin at 01:00


def events(*rows: tuple[str, int, str]) -> pa.Table:
    """Rows (user, seconds after the start, type), with notes that pandas would spoil."""
    schema = {"user": pa.string(), "ts": pa.timestamp("us", "UTC"), "type": pa.string()}
    columns = [
        {"user": user, "ts": START + timedelta(seconds=second), "type": name,
         "note": {"n": 2**53 + second if second % 2 else None, "at": START}}
        for user, second, name in rows
    ]  # fmt: skip
    note = pa.struct({"n": pa.int64(), "at": pa.timestamp("us", "UTC")})
    return pa.Table.from_pylist(columns, pa.schema(schema | {"note": note}))


def at(second: int) -> datetime:
    return START + timedelta(seconds=second)


def test_golden_cases(folder: Folder) -> None:
    cases = max(golden(), key=len)[::3]  # all of them are asked without Spark
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


def test_time_passes_without_events(folder: Folder) -> None:
    """Rows that are no event move the watermark; what timers and windows then give comes out.

    second     0    5    9    20   30        51   61
    ann        A    B         timer
    bob                  A, but the watermark is at 20
    eve                            none           none
    """

    def detect(stream: Any) -> Any:
        return tc.detect_all(
            {"ab": "A ; B", "later": "plus(A, 20s)"}, stream.withWatermark("ts", "10 seconds"),
            key="user", time="ts", carry=["note"], late="keep",
            measures={"n": "events[0].note.n"},
        )  # fmt: skip

    folder.put(events(("ann", 0, "A"), ("ann", 5, "B")))
    folder.put(events(("eve", 30, "none")))
    folder.run(detect)
    assert [row["pattern"] for row in folder.answer()] == ["ab", "later"]
    folder.put(events(("bob", 9, "A"), ("eve", 61, "none")))
    folder.run(detect)

    found = sorted(folder.answer(), key=lambda row: row["detected"])
    assert [(r["pattern"], r["detected"], r["late"]) for r in found] == [
        ("ab", at(5), False), (None, at(9), True), ("later", at(20), False),
    ]  # fmt: skip
    ab, late, later = found
    assert [e["note"] for e in ab["events"]] == [
        {"n": None, "at": START}, {"n": 2**53 + 5, "at": START}
    ]  # fmt: skip
    assert (late["user"], late["n"], later["start"]) == ("bob", 2**53 + 9, at(20))
    assert folder.count("late") == 1
    last = folder.progress[-1]["observedMetrics"]["tocsin"]
    assert last["waiting"] == 0
    assert last["state_bytes"]["ab"] > 0 == last["state_bytes"]["later"]  # another B may come


def test_further_operators_go_by_the_time_of_detection(folder: Folder) -> None:
    def detect(stream: Any) -> Any:
        found = tc.detect("A ; B", stream, key="user", time="ts", watermark="10s")
        return found.groupBy(f.window("detected", "1 minute")).count()

    folder.put(events(("ann", 0, "A"), ("ann", 5, "B"), ("bob", 5, "B"), ("bob", 50, "A")))
    folder.put(events(("bob", 70, "B"), ("bob", 400, "none")))
    folder.run(detect)
    counted = [(r["window"]["start"], r["count"]) for r in folder.answer()]
    assert sorted(counted) == [(at(0), 1), (at(60), 1)]


def test_a_restart_says_what_does_not_fit(folder: Folder) -> None:
    def detect(patterns: dict[str, str], **options: Any) -> Any:
        return lambda stream: tc.detect_all(
            patterns, stream, key="user", time="ts", watermark="0s", **options
        )

    folder.put(events(("ann", 0, "A"), ("ann", 9, "none")))
    folder.run(detect({"ab": "A ; B", "ac": "A ; C"}))
    folder.put(events(("ann", 10, "B"), ("ann", 10, "C"), ("ann", 20, "none")))
    for wrong, sentence in (
        (detect({"ab": "A ; B"}, buckets=5), "was made with buckets=2, this query has buckets=5"),
        (detect({"ab": "A ; B", "ac": "B ; C"}), "the pattern 'ac' is not what it was when"),
    ):
        with pytest.raises(StreamingQueryException, match=sentence):
            folder.run(wrong)
    folder.run(detect({"ab": "A ; B", "bc": "B & C"}))
    assert sorted(row["pattern"] for row in folder.answer()) == ["ab", "bc"]
