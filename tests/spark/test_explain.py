"""`explain` says of a DataFrame what will run where, and runs nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest

import tocsin as tc
from tocsin.spark.memory import memory_of


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    columns = "user string, Shop string, type string, ts bigint, amount double, ip string, x int"
    return spark.createDataFrame([], columns)


def section(text: str, title: str) -> list[str]:
    """What stands below a title, each with its words one space apart, however it is broken."""
    below = text.split(f"\n{title}\n")[1].split("\n\n")[0]
    return [" ".join(each.split()) for each in re.split(r"\n  (?=\S)", f"\n{below}")[1:]]


def test_what_spark_does(frame: Any) -> None:
    said = tc.explain(
        "(large ; cancel) within 5min", frame, key="user", time="ts", unit="s", carry="ip",
        define={"large": "type = 'order' and Amount > 500"}, measures={"n": "size(events)"},
    )  # fmt: skip
    assert section(said, "In Spark") == [
        "reads 5 of 7 columns: user, type, ts, amount, ip",
        "drops rows whose user or ts is null, and rows that are no event of the pattern",
        "notes which of the events cancel, large a row is, in bits, by the conditions above",
        "moves user, ts, ip and the bits, thousands of rows in a packet, in one shuffle by user "
        "to 2 partitions (spark.sql.shuffle.partitions)",
        "detects in each partition, all its keys at once, by compiled kernels over Arrow batches "
        "in Python workers; the plan below says what they keep, and what takes more than about "
        f"{memory_of(frame) / 2**20:,.0f} MB goes by way of the disk",
        "computes n = size(events)",
    ]
    assert "2 0, 1 (large ; cancel) within 5min the one of 0 that started last yes" in " ".join(
        said.split()
    )
    assert section(said, "Result") == [
        "user string",
        "pattern string",
        "start bigint",
        "end bigint",
        "detected bigint",
        "events array<struct<name:string,start:bigint,end:bigint,ip:string>>",
        "n int",
    ]


def test_silence_needs_every_row_and_a_pass_for_the_bounds(frame: Any) -> None:
    lines = section(tc.explain("absent(A, 30)", frame, time="ts"), "In Spark")
    assert lines[:2] == [
        "reads 2 of 7 columns: type, ts",
        "drops rows whose ts is null, and no others: silence and clocks concern whatever has rows",
    ]
    assert lines[3:5] == [
        "moves ts and the bits, thousands of rows in a packet, to one partition, since "
        "without a key everything belongs together",
        "looks up the first and the last time of the whole table, in an extra pass over ts, since "
        "timers and silence go by them",
    ]


def test_until_spares_the_pass_for_timers(frame: Any) -> None:
    def pass_over(**options: Any) -> bool:
        return "extra pass" in tc.explain("delay(A, 5) - B", frame, time="ts", **options)

    assert pass_over()
    assert not pass_over(until=100)


def test_several_patterns_and_several_keys(frame: Any) -> None:
    patterns = {"ab": "A ; B", "abc": "A ; B ; C"}
    said = tc.explain(patterns, frame, key=["user", "shop"], time="ts")
    assert "by user, shop to" in " ".join(said.split())
    assert said.count("\nPlan\n") == 1  # in one pass
    assert tc.explain(patterns, frame, time="ts", report="single").count("\nPlan\n") == 2


def test_a_condition_that_only_spark_can_read_may_need_every_column(frame: Any) -> None:
    said = tc.explain("A", frame, time="ts", define={"A": "amount::int > 3 and ip ilike any ('a')"})
    assert "columns: " in said


def test_what_is_wrong_is_said_as_by_detect(frame: Any) -> None:
    with pytest.raises(tc.DefinitionError, match=r"^key is 'usr', but there is no such column"):
        tc.explain("A", frame, key="usr", time="ts")
    with pytest.raises(tc.DefinitionError, match=r"^the measure 'n', \"sise\(events\)\": Spark re"):
        tc.explain("A", frame, time="ts", measures={"n": "sise(events)"})


def test_a_stream_is_refused(spark: Any) -> None:
    stream = spark.readStream.format("rate").load()
    with pytest.raises(tc.DefinitionError, match=r"^events is a stream, which is not explained"):
        tc.explain("A", stream, time="timestamp", define={"A": "value > 1"})


def test_no_job_runs(frame: Any, spark: Any) -> None:
    tracker = spark.sparkContext.statusTracker()
    spark.sparkContext.setJobGroup("explained", "")
    try:
        tc.explain("absent(A, 30) | A ; B", frame, key="user", time="ts")
        assert list(tracker.getJobIdsForGroup("explained")) == []
    finally:
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)


def test_away_from_spark_there_is_the_plan() -> None:
    said = tc.explain("A ; B", [("A", 1)])
    assert "In Spark" not in said
    assert "\nPlan\n" in said
    assert repr(said) == str(said)
