"""Carried columns come back as they went in, whatever their type."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from pyspark.sql import types as t
from spark.answers import spread

import tocsin as tc


def plain_types() -> dict[t.DataType, list[Any]]:
    """Types without parts, each with values that are easily spoilt."""
    return {
        t.BooleanType(): [True, False],
        t.ByteType(): [-128, 127],
        t.ShortType(): [-(2**15), 2**15 - 1],
        t.IntegerType(): [-(2**31), 2**31 - 1],
        t.LongType(): [-(2**63), 2**63 - 1, 2**53 + 1],
        t.FloatType(): [float("nan"), float("inf"), -0.0, 1e-45],
        t.DoubleType(): [float("nan"), float("-inf"), -0.0, 0.1],
        t.DecimalType(38, 10): [
            Decimal("-9999999999999999999999999999.9999999999"),
            Decimal("1.50"),
        ],
        t.DecimalType(4, 4): [Decimal("0.0001")],
        t.StringType(): ["", "ü\u2028\x00", "😀" * 50, "NaN"],
        t.BinaryType(): [b"", b"\x00\xff" * 9],
        t.DateType(): [date(1, 1, 1), date(1582, 10, 10), date(9999, 12, 31)],
        t.TimestampType(): [datetime(1900, 1, 1), datetime(2026, 10, 25, 2, 30, 0, 1)],
        t.TimestampNTZType(): [datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)],
        t.DayTimeIntervalType(): [timedelta(microseconds=-1), timedelta(days=100_000)],
        t.TimeType(): [time(0, 0), time(23, 59, 59, 999999)],
        t.NullType(): [None],
    }


def draw(random: Random, depth: int) -> tuple[t.DataType, Any]:
    """A type, and a function that draws values of it; now and then a null."""
    make: Any
    kind: t.DataType
    if depth == 0 or random.random() < 0.4:
        kind, values = random.choice(list(plain_types().items()))
        make = lambda: random.choice(values)  # noqa: E731
    else:
        inner, some = draw(random, depth - 1)
        choice = random.choice(["array", "map", "struct"])
        if choice == "array":
            kind = t.ArrayType(inner)
            make = lambda: [some() for _ in range(random.randint(0, 3))]  # noqa: E731
        elif choice == "map":
            kind = t.MapType(t.StringType(), inner)
            make = lambda: {f"k{n}": some() for n in range(random.randint(0, 2))}  # noqa: E731
        else:
            other, more = draw(random, depth - 1)
            kind = t.StructType([t.StructField("a b", inner), t.StructField("c", other)])
            make = lambda: (some(), more())  # noqa: E731
    return kind, lambda: None if random.random() < 0.15 else make()


@pytest.mark.parametrize("seed", range(6))
def test_random_types_round_trip(seed: int, spark: Any) -> None:
    random = Random(seed)
    drawn = [(kind, lambda v=v: random.choice(v)) for kind, v in plain_types().items()]
    drawn = [*drawn[seed::6], *(draw(random, 3) for _ in range(6))]
    names = [f"c{n}" for n in range(len(drawn))]
    fields = [t.StructField(n, kind) for n, (kind, _) in zip(names, drawn, strict=True)]
    own = [t.StructField(n, t.IntegerType()) for n in ("id", "key", "time")]
    rows = [(n, n % 3, n // 3, *(make() for _, make in drawn)) for n in range(30)]
    frame = spark.createDataFrame(rows, t.StructType([*own, *fields]))
    with spread(spark, 2, 4):
        answer = tc.detect(
            tc.event("A", "true") >> tc.event("B", "true"),
            frame, key="key", carry=["id", *names], semantics="unrestricted",
        )  # fmt: skip
        assert answer.schema["events"].dataType.elementType.fields[4:] == fields
        found = answer.selectExpr("inline(events)").collect()
    expected = {row.id: repr([row[n] for n in names]) for row in frame.collect()}
    assert len(found) == 2 * 3 * 45
    for row in found:
        assert repr([row[n] for n in names]) == expected[row.id]


def test_variants_and_what_is_never_null_round_trip(spark: Any) -> None:
    frame = spark.sql(
        "select 'A' type, id time, parse_json(concat('{\"a\": [', id, ']}')) v,"
        " array(struct(id)) s, map(id, named_struct('x', 1Y)) m, 'x' collate UNICODE_CI c,"
        " cast('ab' as char(3)) p from range(3)"
    )
    names = ["v", "s", "m", "c", "p"]
    answer = tc.detect("A", frame, carry=names).selectExpr("inline(events)").select("end", *names)
    before = sorted(map(repr, frame.selectExpr("time end", *names).collect()))
    assert sorted(map(repr, answer.collect())) == before


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("interval 1 month", "interval month, but Arrow has no intervals of months"),
        ("make_interval(1)", "interval, but Arrow has no intervals of months"),
        ("array(interval 1 year)", "array<interval year>, but Arrow has no intervals of months"),
        (
            "named_struct('a', 1, 'a', 2)",
            "struct<a:int,a:int>, but two of its fields have one name",
        ),
    ],
)
def test_what_arrow_lacks_is_refused_by_name(sql: str, why: str, spark: Any) -> None:
    frame = spark.sql(f"select 'A' type, 1 time, {sql} x")
    with pytest.raises(tc.DefinitionError) as refused:
        tc.detect("A", frame, carry="x")
    assert f"carry is 'x', a column of {why}; " in str(refused.value)
