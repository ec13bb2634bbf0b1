"""What is wrong is said when the pattern is defined, in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

import tocsin as tc


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    return spark.sql(
        "select 'u' user, 'A' type, 1 ts, 'noon' at, 1.5d x, array('a') list, map(1, 2) m,"
        " 'a' collate UNICODE_CI ci, timestamp'2026-01-01' t, interval 1 month i"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"key": "usr"}, "key is 'usr', but there is no such column; did you mean 'user'? (colu"),
        ({"time": "tss"}, "time is 'tss', but there is no such column; did you mean 'ts'? (colu"),
        ({"type": "tipe"}, "type is 'tipe', but there is no such column; did you mean 'type'? "),
        ({"carry": "xx"}, "carry is 'xx', but there is no such column; "),
        ({"order_by": "y"}, "order_by is 'y', but there is no such column; "),
        ({"time": "at"}, "time is 'at', a column of string, which are no times; make it a times"
                         "tamp, as df.withColumn('at', to_timestamp('at'))"),
        ({"time": "x"}, "time is 'x', a column of double, which are no times; make it whole num"),
        ({"time": "list"}, "time is 'list', a column of array<string>, which are no times; use"),
        ({"start": "ts", "end": "t"}, "'ts' holds integers and 't' timestamps with a zone; gi"),
        ({"start": "ts"}, "start is given alone; give start and end"),
        ({"key": "m"}, "key is 'm', a column of map<int,int>, whose values cannot be compared;"),
        ({"key": "ci"}, "key is 'ci', a column of string collate UNICODE_CI, whose values cann"),
        ({"key": "i"}, "key is 'i', a column of interval month, whose values cannot be compare"),
        ({"type": "list"}, "type is 'list', a column of array<string>, which cannot name types"),
        ({"carry": "type", "key": "type"}, "'type' is both in key and in carry; leave it out "),
        ({"key": "user", "carry": "Events"}, "carry names 'Events', a name that the result us"),
        ({"define": {"A": "amout > 3"}}, "the event 'A', \"amout > 3\": there is no column 'am"),
        ({"define": {"A": "user >"}}, "the event 'A', \"user >\": this is no SQL expression ("),
        ({"define": {"A": "x y z"}}, "the event 'A', \"x y z\": this is no SQL expression ("),
        ({"define": {"A": "ts"}}, "the event 'A', \"ts\": it is no condition but int; write a c"),
        ({"define": {"A": "max(ts) > 1"}}, "the event 'A', \"max(ts) > 1\": Spark refuses it:"),
        ({"define": {"A": "sum(ts) over ()>1"}}, "the event 'A', \"sum(ts) over ()>1\": Spark "),
        ({"define": {"A": "f(ts)"}}, "the event 'A', \"f(ts)\": Spark refuses it: Cannot resol"),
        ({"define": {"A": " "}}, "the event 'A' is ' '; write a Spark SQL expression"),
        ({"unit": "hour"}, "unit is 'hour'"),
        ({"time": "t", "unit": "h"}, "unit is 'h', but 't' holds timestamps; leave unit out"),
        ({"until": "noon"}, "until is 'noon', but the times are integers; write an integer"),
        ({"timezone": "Berlin"}, "timezone is 'Berlin', which is not known; "),
        ({"engine": "oracle"}, "engine is 'oracle', but events is a Spark DataFrame; pass "),
        ({"policy": "asynchronous-total", "basis": "point"}, "policy is 'asynchronous-total', "
                         "but the rows of a Spark table stand in no order in which they could "),
    ],
)  # fmt: skip
def test_mistakes_are_named_at_once(
    options: dict[str, Any], message: str, frame: Any, capfd: Any
) -> None:
    call = ({} if "start" in options else {"time": "ts"}) | options
    with pytest.raises(tc.DefinitionError) as refused:
        tc.detect("A", frame, **call)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)
    assert "SQLSTATE" not in str(refused.value)
    assert capfd.readouterr() == ("", "")


def test_durations_need_a_unit(frame: Any) -> None:
    with pytest.raises(tc.DefinitionError, match="unit"):
        tc.detect("A within 2s", frame, time="ts")


def test_a_name_that_several_columns_have(spark: Any) -> None:
    frame = spark.sql("select 1 time, 'A' type, 1 x, 2 X")
    with pytest.raises(tc.DefinitionError, match="carry is 'x', but there are 2 such columns"):
        tc.detect("A", frame, carry="x")
    with pytest.raises(tc.DefinitionError, match=r"'x' can be several columns; rename all but one"):
        tc.detect("A", frame, define={"A": "x > 1"})


def test_a_zone_that_is_not_known_matters_only_to_clocks(spark: Any) -> None:
    frame = spark.sql("select timestamp'2026-01-01' time, 'A' type")
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "PST")  # Java's, and nobody else's
    try:
        assert tc.detect("A", frame).schema["start"].dataType.simpleString() == "timestamp"
        with pytest.raises(tc.DefinitionError, match=r"timezone is 'PST', which is not known; .*"):
            tc.detect('at("17:00")', frame)
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
