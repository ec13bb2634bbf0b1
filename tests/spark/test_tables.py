"""Everything a table can hold."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from random import Random
from typing import Any

import pytest
from spark.answers import spread

import tocsin as tc

T0 = datetime(2026, 11, 15, 17)


def found(frame: Any, *names: str) -> list[tuple[Any, ...]]:
    """Some columns of a result, sorted."""
    return sorted(tuple(row) for row in frame.select(*names).collect())


def test_the_schema_is_that_of_the_design(spark: Any) -> None:
    frame = spark.createDataFrame(
        [("a", "A", 1, 2.5)], "user string, type string, time int, x double"
    )
    result = tc.detect("A ; B", frame, key="user", carry=["x"], measures={"n": "size(events)"})
    assert result.schema.simpleString() == (
        "struct<user:string,pattern:string,start:bigint,end:bigint,detected:bigint,"
        "events:array<struct<name:string,start:bigint,end:bigint,x:double>>,n:int>"
    )


@pytest.mark.parametrize(
    ("kind", "result"),
    [
        ("timestamp", "timestamp"),
        ("timestamp_ntz", "timestamp_ntz"),
        ("date", "timestamp_ntz"),
        ("tinyint", "bigint"),
        ("smallint", "bigint"),
        ("int", "bigint"),
        ("bigint", "bigint"),
    ],
)
def test_types_of_time(kind: str, result: str, spark: Any) -> None:
    numbers = result == "bigint"
    times = [1, 4, 9] if numbers else [date(2026, 3, 28 + n) for n in range(3)]
    if "timestamp" in kind:  # in Berlin, a night of 23 hours
        times = [datetime(2026, 3, 28 + n, 12) for n in range(3)]
    rows = list(zip("ABC", times, strict=True))
    frame = spark.createDataFrame(rows, f"type string, time {kind}")
    window = 5 if numbers else "1d"
    answer = tc.detect(f"(A ; B) within {window} | (B ; C) within {window}", frame)
    assert answer.schema["start"].dataType.simpleString() == result
    midnight = datetime.min.time()
    expected = [datetime.combine(t, midnight) if kind == "date" else t for t in times]
    assert found(answer, "start", "end") == [(expected[0], expected[1]), (expected[1], expected[2])]


def test_times_far_out_stay_exact(spark: Any) -> None:
    frame = spark.sql(
        "select type, timestamp_micros(t) time from values"
        " ('A', 253402300799999998), ('B', 253402300799999999) as v(type, t)"
    )
    answer = tc.detect("(A ; B) within 1us", frame).selectExpr(
        "unix_micros(start)", "unix_micros(end)"
    )
    assert answer.collect() == [(253402300799999998, 253402300799999999)]


def test_the_clock_is_that_of_the_session(spark: Any) -> None:
    rows = [("x", T0), ("x", T0 + timedelta(days=1))]
    frame = spark.createDataFrame(rows, "type string, time timestamp")  # 17:00 here
    clock = 'at("18:30")'
    utc = "date_format(to_utc_timestamp(start, 'Europe/Berlin'), 'HH:mm')"
    assert tc.detect(clock, frame).selectExpr(utc).collect() == [("17:30",)]
    assert tc.detect(clock, frame, timezone="UTC").selectExpr(utc).collect() == [("18:30",)]


def test_a_session_whose_zone_is_an_offset(spark: Any) -> None:
    frame = spark.createDataFrame(
        [("x", T0), ("x", T0 + timedelta(days=1))], "type string, time timestamp"
    )
    before = spark.conf.get("spark.sql.session.timeZone")
    try:
        spark.conf.set("spark.sql.session.timeZone", "-03:30")
        answer = tc.detect('at("18:30")', frame).selectExpr("date_format(start, 'HH:mm')")
        assert answer.collect() == [("18:30",)]
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def test_a_condition_that_is_null_is_never_true(spark: Any) -> None:
    frame = spark.sql("select 1 time, 'B' type union all select 2, 'B'")
    for condition in ("null", "if(time > 1, null, null)", "null and time > 1"):
        assert tc.detect("A | B", frame, define={"A": condition}).count() == 2


def test_durative_events_and_several_keys(spark: Any) -> None:
    rows = [("a", 1, "A", 1, 3), ("a", 1, "B", 2, 5), ("a", 2, "A", 1, 3), ("a", 2, "B", 4, 5)]
    frame = spark.createDataFrame(rows, "site string, line int, type string, s bigint, e bigint")
    answer = tc.detect("A ; B", frame, key=["site", "line"], start="s", end="e")
    assert found(answer, "site", "line", "start", "end") == [("a", 2, 1, 5)]


def test_a_row_that_ends_before_it_starts_is_named(spark: Any) -> None:
    frame = spark.createDataFrame([("u", "A", 5, 3)], "user string, type string, s int, e int")
    answer = tc.detect("A", frame, key="user", start="s", end="e")
    with pytest.raises(
        Exception, match=r"the row with user u, s 5, e 3: the event ends at 3, before"
    ):
        answer.collect()


def test_null_keys_and_null_times_are_left_out(spark: Any) -> None:
    rows = [("a", "A", 1), (None, "A", 1), (None, "B", 2), ("a", "B", None), ("a", "B", 3)]
    frame = spark.createDataFrame(rows, "user string, type string, time int")
    assert found(tc.detect("A ; B", frame, key="user"), "user", "end") == [("a", 3)]
    assert found(tc.detect("plus(A, 5)", frame, key="user"), "end") == []
    assert found(tc.detect("plus(A, 2)", frame, key="user"), "end") == [(3,)]


def test_a_null_condition_is_not_true(spark: Any) -> None:
    frame = spark.createDataFrame([(1, None), (2, True), (3, False)], "time int, x boolean")
    patterns = {"x": tc.event("x", "x"), "both": tc.event("x", "x") | tc.event("y", "not x")}
    assert found(tc.detect_all(patterns, frame), "pattern", "end") == [
        ("both", 2),
        ("both", 3),
        ("x", 2),
    ]


def test_without_a_key_all_rows_are_one(spark: Any) -> None:
    rows = [("A" if n % 2 else "B", n) for n in range(1, 40)]
    frame = spark.createDataFrame(rows, "type string, time int").repartition(5)
    answer = tc.detect("A ; B", frame)
    assert "key" not in answer.columns
    assert len(found(answer, "start", "end")) == 19


def test_a_partition_larger_than_its_memory(spark: Any) -> None:
    rows = [("A" if n % 2 else "B", n, f"{n}" * 9) for n in range(1, 3000)]
    frame = spark.createDataFrame(rows, "type string, time int, text string").repartition(2)
    spark.conf.set("spark.tocsin.memory", "20k")
    try:
        answer = tc.detect("A ; B", frame, carry="text").selectExpr("start", "events.text")
        assert sorted(map(tuple, answer.collect())) == [
            (n, [f"{n}" * 9, f"{n + 1}" * 9]) for n in range(1, 2999, 2)
        ]
        spark.conf.set("spark.tocsin.memory", "much")
        with pytest.raises(tc.DefinitionError, match=r"spark.tocsin.memory is 'much'; write a"):
            tc.detect("A", frame)
    finally:
        spark.conf.unset("spark.tocsin.memory")


@pytest.mark.parametrize("pattern", ["A", "absent(A, 3)", "nothing", "every(2)"])
def test_an_empty_table_has_no_occurrences(pattern: str, spark: Any) -> None:
    frame = spark.createDataFrame([], "user string, type string, time int")
    assert tc.detect(pattern, frame, key="user").collect() == []
    assert tc.detect(pattern, frame).collect() == []


def test_observation_is_that_of_the_whole_table(spark: Any) -> None:
    # a: A1 ................ no A from 1 to 10; b has rows, but none that is an A
    rows = [("a", "A", 1), ("b", "X", 4), ("c", "X", 10)]
    frame = spark.createDataFrame(rows, "user string, type string, time int")
    with spread(spark, 7, 1):
        answer = tc.detect("absent(A, 8)", frame, key="user")
        assert found(answer, "user", "end") == [("a", 9), ("b", 9), ("c", 9)]
        late = tc.detect("delay(A, 9)", frame, key="user")
        assert found(late, "user", "end") == [("a", 10)]
        assert found(tc.detect("delay(A, 12)", frame, key="user", until=13), "end") == [(13,)]


@pytest.mark.parametrize("count", [2, 62, 63, 64, 130])
def test_many_primitives(count: int, spark: Any) -> None:
    names = [f"e{n:03}" for n in range(count)]
    frame = spark.createDataFrame([(n, t) for t, n in enumerate(names)], "type string, time int")
    names[-1] = "late"
    answer = tc.detect(" | ".join(names), frame, define={"late": f"time = {count - 1}"})
    rows = answer.selectExpr("end", "events[0].name").collect()
    assert sorted(map(tuple, rows)) == list(enumerate(names))


def test_patterns_that_mean_other_rows_by_one_name(spark: Any) -> None:
    frame = spark.createDataFrame([(1, 5), (2, 9)], "time int, x int")
    patterns = {"low": tc.event("A", "x < 6"), "high": tc.event("A", "x > 6")}
    assert found(tc.detect_all(patterns, frame), "pattern", "end") == [("high", 2), ("low", 1)]


def test_odd_names_of_columns_and_events(spark: Any) -> None:
    frame = spark.createDataFrame(
        [(1, "A b", 7, 0)], "`the time` int, `t.y` string, `c``d` int, word_0 int"
    )
    answer = tc.detect("`A b`", frame, time="the time", type="t.y", key="C`D", carry=["word_0"])
    assert answer.columns[0] == "C`D"
    assert found(answer, "`C``D`", "end") == [(7, 1)]
    assert answer.selectExpr("events[0].name", "events[0].word_0").collect() == [("A b", 0)]


def test_letters_of_names_count_whatever_the_collation(spark: Any) -> None:
    frame = spark.createDataFrame([("A", 1), ("a", 2)], "type string collate UNICODE_CI, time int")
    assert found(tc.detect("A", frame), "end") == [(1,)]


KEYS = ["1.5d", "0.0d", "double('nan')", "array(1, null)", "named_struct('a', 1)", "X'00ff'"]


@pytest.mark.parametrize("key", [*KEYS, "date'2026-01-01'", "1.50bd", "true"])
def test_keys_of_any_type_that_has_equality(key: str, spark: Any) -> None:
    other = "-0.0d" if key == "0.0d" else key
    frame = spark.sql(
        f"select {key} k, 'A' type, 1 time union all select {other}, 'B', 2"
    ).repartition(2)
    with spread(spark, 7, 1):
        assert found(tc.detect("A ; B", frame, key="k"), "end") == [(2,)]


def test_ties_are_broken_the_same_way_every_time(spark: Any) -> None:
    rows = [("AB"[n % 2], 1 + n // 4, n % 4) for n in range(20)]
    for options in ({}, {"order_by": "n"}, {"carry": "n"}):
        seen = set()
        for seed in range(3):
            mixed = Random(seed).sample(rows, len(rows))
            frame = spark.createDataFrame(mixed, "type string, time int, n int").repartition(3)
            answer = tc.detect("A & B", frame, semantics="unrestricted", **options)
            seen.add(str(sorted(map(str, answer.collect()))))
        assert len(seen) == 1, options
