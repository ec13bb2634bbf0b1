"""Whatever people have their events in becomes a table."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from tocsin.errors import DataError, DefinitionError
from tocsin.tables.source import read

ROWS = [{"type": "A", "time": 1, "ip": "x"}, {"type": "B", "time": 2, "ip": None}]


@pytest.mark.parametrize(
    "events",
    [
        ROWS,
        iter(ROWS),
        pa.Table.from_pylist(ROWS),
        pa.Table.from_pylist(ROWS).to_reader(),
        pa.RecordBatch.from_pylist(ROWS),
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS, index=[7, 7]),
    ],
    ids=["dicts", "generator", "table", "reader", "batch", "pandas", "pandas with an index"],
)
def test_tables_of_all_kinds(events: Any) -> None:
    assert read(events).table.to_pylist() == ROWS


def test_tuples_name_their_columns_as_the_call_does() -> None:
    source = read([("A", 1), ("B", 2)], type="kind", time="at")
    assert source.table.to_pylist() == [{"kind": "A", "at": 1}, {"kind": "B", "at": 2}]
    assert (source.start, source.end) == ("at", "at")


def test_one_durative_tuple_makes_all_of_them_last() -> None:
    source = read([("A", 1), ("B", 2, 5)])
    assert source.table.to_pylist()[0] == {"type": "A", "start": 1, "end": 1}
    assert (source.start, source.end) == ("start", "end")


def test_dicts_may_leave_columns_out() -> None:
    assert read([{"a": 1}, {"b": 2}]).table.to_pylist() == [
        {"a": 1, "b": None},
        {"a": None, "b": 2},
    ]


def test_nothing_at_all_is_blank() -> None:
    assert read([]).is_blank
    assert read(iter(())).is_blank
    assert read(pa.table({})).is_blank
    assert not read(pa.table({"time": pa.nulls(0)})).is_blank


def test_categories_and_nanoseconds_are_made_plain() -> None:
    frame = pd.DataFrame({"type": pd.Categorical(["A", "B"]), "time": pd.to_datetime([1, 2001])})
    source = read(frame)
    assert source.column("type").type == pa.string()
    assert source.column("time").type == pa.timestamp("us")
    assert source.column("time").cast("int64").to_pylist() == [0, 2]


def test_filtering_keeps_positions() -> None:
    source = read([("A", 1), ("B", 2), ("C", 3)])
    source = source.filter(pa.array([False, True, True])).filter(pa.array([False, True]))
    assert (len(source), source.row(0), source.where(0)) == (1, 2, "row 2")


@pytest.mark.parametrize("events", [5, None, {"type": "A"}, object()])
def test_what_is_no_table_is_refused(events: Any) -> None:
    with pytest.raises(DefinitionError, match=r"^events is of type .*pass tuples"):
        read(events)


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([("A", 1), ("B",)], r"^row 1: \('B',\) is no event; write \(name, time\)"),
        ([("A", 1), "B"], r"^row 1: 'B' is no event"),
        ([(5, 1)], r"^row 0: \(5, 1\) is no event"),
        ([("A", 1), {"type": "B"}], r"^row 1: .* is no event"),
        ([{"type": "A"}, ("B", 1)], r"^row 1: \('B', 1\) is no event; write a dict"),
        ([{5: "A"}], r"^row 0: .* is no event"),
        ([("A", 1), ("B", None), ("C", "x")], r"^row 2: the column 'time' holds 'x', text, where"),
        ([("A", 1), ("B", True)], r"^row 1: the column 'time' holds True, truth values"),
        (
            [("A", 1), ("B", 2**63)],
            r"^row 1: the column 'time' holds 9223372036854775808, which 64",
        ),
        (
            [("A", datetime(2026, 1, 1)), ("B", date(2026, 1, 1))],
            r"^row 1: .* dates, where the rows before hold timestamps without a zone",
        ),
        ([{"x": [1]}, {"x": ["a"]}], r"^row 1: the column 'x' holds \['a'\], which does not fit"),
        ([{"x": "\ud800"}], r"^row 0: the column 'x' holds "),
    ],
)
def test_rows_that_are_none_are_named(events: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(events)


def test_a_pandas_column_of_mixed_values_is_refused() -> None:
    with pytest.raises(DataError, match=r"pandas table cannot be read: .*column x"):
        read(pd.DataFrame({"x": [1, "a"]}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": "a"}, "start is given alone"),
        ({"end": "a"}, "end is given alone"),
        ({"time": "t", "start": "a", "end": "b"}, "time is given together with start and end"),
    ],
)
def test_times_must_be_given_one_way(options: dict[str, str], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        read(ROWS, **options)


def test_unknown_and_ambiguous_columns() -> None:
    with pytest.raises(
        DefinitionError, match=r"key is 'tipe', but .* did you mean 'type'\? \(columns:"
    ):
        read(ROWS).column("tipe", "key")
    twice = pa.table([[1], [2]], names=["x", "x"])
    with pytest.raises(DefinitionError, match="there are 2 such columns; rename all but one"):
        read(twice).column("x")
    with pytest.raises(DefinitionError, match="key is 5; write the name of a column"):
        read(ROWS).column(5, "key")  # type: ignore[arg-type]


def test_a_time_beyond_64_bits_of_microseconds_names_row_and_column() -> None:
    table = pa.table({"time": pa.array([0, 2**62], pa.timestamp("s"))})
    with pytest.raises(DataError, match=r"^row 1, column 'time': the time is beyond"):
        read(table).column("time")
