"""Measures: SQL over a result, in which names stand for events."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from tocsin import detect, detect_all
from tocsin.errors import DataError, DefinitionError

ROWS = [
    {"user": "ann", "type": "A", "time": 1, "amount": 10},
    {"user": "ann", "type": "A", "time": 2, "amount": 5},
    {"user": "ann", "type": "B", "time": 4, "amount": 250},
]


def measure(pattern: str, sql: str, rows: Any = ROWS, **options: Any) -> list[Any]:
    found = detect(pattern, rows, key="user", carry=["amount"], measures={"m": sql}, **options)
    assert found.to_arrow().column("m").to_pylist() == [o.m for o in found]
    return [o.m for o in found]


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("size(events)", 2),
        ("B.amount - A.amount", 245),
        ("b.AMOUNT", 250),
        ("B.start - A.end", 2),
        ("A.name || '>' || B.name", "A>B"),
        ("upper(user)", "ANN"),
        ("pattern", "A ; B"),
        ("end - start", 2),
        ("detected", 4),
        ("events[0].amount", 5),
        ("events.amount", [5, 250]),
        ("aggregate(events, 0L, (total, e) -> total + e.amount)", 255),
        ("B.amount > 10 * A.amount", True),
        ("A", {"name": "A", "start": 2, "end": 2, "amount": 5}),
    ],
)
def test_names_stand_for_events(sql: str, value: Any) -> None:
    assert measure("A ; B", sql) == [value]


def test_a_name_with_several_events_is_an_array_in_time_order() -> None:
    assert measure("A ; A ; B", "A.amount") == [[10, 5]]
    assert measure("A ; B", "A.amount", semantics="cumulative") == [[10, 5]]
    assert measure("A ; B", "A.amount", semantics="chronicle") == [10]
    assert measure("A#2", "size(A)") == [2]


def test_a_name_that_is_not_there_is_null_or_an_empty_array() -> None:
    assert measure("A | B", "B.amount") == [None, None, 250]
    assert measure("(A ; A) | B", "size(A)") == [2, 0]


def test_results_without_rows_have_their_columns() -> None:
    found = detect("B ; A", ROWS, measures={"n": "size(events)", "half": "(B.start - A.start) / 2"})
    table = found.to_arrow()
    assert len(found) == 0
    assert (table.schema.field("n").type, table.schema.field("half").type) == (
        pa.int64(),
        pa.float64(),
    )
    assert detect("A", [], measures={"n": "size(events)"}).to_arrow().column_names[-1] == "n"


def test_timestamps_and_durations() -> None:
    moment = datetime(2026, 1, 1, 23, 30, tzinfo=UTC)
    rows = [("A", moment), ("B", moment + timedelta(hours=2))]
    measures = {"took": "B.start - A.start", "at": "end", "hour": "hour(A.start)"}
    (found,) = detect("A ; B", rows, measures=measures, timezone="Asia/Tokyo")
    assert found.took == timedelta(hours=2)
    assert found.at == moment + timedelta(hours=2)
    assert found.hour == 8


def test_several_patterns_share_the_measures() -> None:
    found = detect_all({"one": "A", "two": "A ; A"}, ROWS, measures={"n": "size(A)"})
    assert [(o.pattern, o.n) for o in found] == [("one", 1), ("two", 2), ("one", 1)]


def test_odd_names_stand_in_backticks() -> None:
    rows = [("door open", 1), ("end", 2)]
    (found,) = detect("`door open` ; `end`", rows, measures={"m": "`door open`.start"})
    assert found.m == 1


@pytest.mark.parametrize(
    ("pattern", "sql", "message"),
    [
        (
            "A ; B",
            "C.amount",
            r"^the measure 'm', \"C.amount\": there is no column 'C'; .*A, B, user",
        ),
        ("A - B", "B.amount", r"there is no column 'B'"),
        ("A ; B", "A.amont", r"there is no field 'amont'; did you mean 'amount'\?"),
        ("A ; B", "size(", r"this is no SQL expression"),
        ("A ; B", 5, r"^the measure 'm' is 5; write a Spark SQL expression"),
    ],
)
def test_measures_that_are_refused(pattern: str, sql: Any, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        measure(pattern, sql)


def test_an_event_named_like_a_column_is_refused_where_it_matters() -> None:
    rows = [("start", 1), ("stop", 2)]
    assert detect("start ; stop", rows, measures={"m": "events[0].start"})[0].m == 1
    with pytest.raises(DefinitionError, match="'start' is the name of an event and of a column"):
        detect("start ; stop", rows, measures={"m": "start + 1"})


def test_a_measure_without_a_value_names_the_occurrence() -> None:
    with pytest.raises(DataError, match=r"^occurrence 2, the measure 'm', .* division by zero"):
        measure("A | B", "1 / (start - 4)")
