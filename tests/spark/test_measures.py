"""Measures are Spark SQL columns over the result."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import tocsin as tc

ROWS = [("u", "A", 1, 10), ("u", "A", 2, 20), ("u", "B", 4, 40), ("v", "A", 3, 30)]
MEASURES = {
    "n": "size(events)",
    "first": "A[0].x",
    "sum": "aggregate(A, 0L, (s, a) -> s + a.x)",
    "last": "B.x",
    "took": "end - start",
    "whose": "upper(user)",
}


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    return spark.createDataFrame(ROWS, "user string, type string, time bigint, x bigint")


def test_measures_are_those_of_the_local_engine(frame: Any) -> None:
    names = ["user", "type", "time", "x"]
    columns = dict(zip(names, map(list, zip(*ROWS, strict=True)), strict=True))
    options: dict[str, Any] = {"key": "user", "carry": ["x"], "measures": MEASURES}
    local = tc.detect("A ; A ; B", pa.table(columns), **options).to_arrow()
    answer = tc.detect("A ; A ; B", frame, **options)
    assert answer.columns == local.column_names
    assert answer.toArrow().to_pylist() == local.to_pylist()
    assert answer.select(*MEASURES).collect() == [(3, 10, 30, 40, 3, "U")]


def test_a_name_that_is_not_part_of_an_occurrence_is_null(frame: Any) -> None:
    patterns = {"a": "A", "b": "B"}
    answer = tc.detect_all(patterns, frame, key="user", carry="x", measures={"b": "B.x"})
    assert sorted(map(tuple, answer.select("pattern", "b").distinct().collect()), key=str) == [
        ("a", None),
        ("b", 40),
    ]


def test_several_events_are_in_time_order(frame: Any) -> None:
    measures = {"xs": "transform(A, a -> a.x)"}
    answer = tc.detect(
        "A ; B", frame, key="user", carry="x", semantics="cumulative", measures=measures
    )
    assert answer.select("xs").collect() == [([10, 20],)]


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        (
            {"m": "C.x"},
            r"^the measure 'm', \"C.x\": there is no column 'C.x'; .*columns: user, pat",
        ),
        ({"m": "B.y"}, r"^the measure 'm', \"B.y\": "),
        ({"m": "size(events"}, r"^the measure 'm', .*: this is no SQL expression"),
        ({"m": ""}, r"^the measure 'm' is ''; write"),
        ({"m": "max(start)"}, r"^the measure 'm', \"max\(start\)\": "),
        ({"events": "1"}, r"^measures names 'events', a name that the result uses itself"),
    ],
)
def test_measures_that_are_none_are_refused(
    measures: dict[str, str], message: str, frame: Any
) -> None:
    with pytest.raises(tc.DefinitionError, match=message):
        tc.detect("A ; B", frame, key="user", carry="x", measures=measures)


def test_an_event_named_like_a_column_is_refused_where_it_matters(frame: Any) -> None:
    define = {"start": "x > 15"}
    tc.detect("start", frame, key="user", define=define, measures={"n": "size(events)"})
    with pytest.raises(tc.DefinitionError, match="is the name of an event and of a column"):
        tc.detect("start", frame, key="user", define=define, measures={"n": "start"})
