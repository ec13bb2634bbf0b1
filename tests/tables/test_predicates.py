"""Which rows are which events."""

from __future__ import annotations

import warnings
from typing import Any

import pyarrow as pa
import pytest

from tocsin import detect, event
from tocsin.errors import DataError, DefinitionError, TocsinWarning
from tocsin.language.nodes import Primitive
from tocsin.language.parser import parse
from tocsin.tables.predicates import defined, matches
from tocsin.tables.source import read

ROWS = [
    {"time": 1, "type": "login", "ok": True, "n": 5},
    {"time": 2, "type": "login", "ok": False, "n": None},
    {"time": 3, "type": None, "ok": None, "n": 7},
    {"time": 4, "type": "it's `odd`", "ok": None, "n": 0},
]


def rows_of(primitive: Primitive, rows: Any = ROWS, type: str = "type") -> list[int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TocsinWarning)
        found = matches(read(rows), [primitive], type=type, zone="UTC")[primitive].to_pylist()
    return [row for row, is_match in enumerate(found) if is_match]


def test_a_name_is_a_type() -> None:
    assert rows_of(Primitive("login")) == [0, 1]
    assert rows_of(Primitive("Login")) == []
    assert rows_of(Primitive("it's `odd`")) == [3]
    assert rows_of(Primitive("7"), type="n") == [2]
    assert rows_of(Primitive("true"), type="ok") == [0]


def test_a_predicate_is_sql_and_null_is_not_true() -> None:
    assert rows_of(Primitive("failed", "type = 'login' and not ok")) == [1]
    assert rows_of(Primitive("big", "n > 4")) == [0, 2]
    assert rows_of(Primitive("small", "not n > 4")) == [3]
    assert rows_of(Primitive("any", "true")) == [0, 1, 2, 3]
    assert rows_of(Primitive("none", "null")) == []


def test_one_row_can_be_several_events() -> None:
    found = detect(event("A", "n > 4") & event("B", "n > 6"), ROWS, report="single")
    assert [(e.name, e.row) for e in found[0].events] == [("A", 2), ("B", 2)]


def test_a_type_column_that_cannot_name_types() -> None:
    with pytest.raises(DefinitionError, match=r"type is 'x', a column of list.* cannot name types"):
        rows_of(Primitive("A"), [{"x": [1]}], type="x")


def test_no_type_column_is_needed_where_all_is_defined() -> None:
    assert (
        len(detect("A ; B", [{"time": 1}, {"time": 2}], define={"A": "time=1", "B": "time=2"})) == 1
    )
    with pytest.raises(DefinitionError, match="type is 'type', but there is no such column"):
        detect("A", [{"time": 1}])


@pytest.mark.parametrize(
    ("name", "predicate", "message"),
    [
        ("logn", None, r"^no row is an event 'logn'; did you mean 'login'\?$"),
        ("zzz", None, r"^no row is an event 'zzz'; 'type' holds it's `odd`, login$"),
        ("big", "n > 99", r"^no row is an event 'big' \(n > 99\)$"),
    ],
)
def test_a_name_that_matches_nothing_is_warned_of(
    name: str, predicate: str | None, message: str
) -> None:
    with pytest.warns(TocsinWarning, match=message) as caught:
        detect(Primitive(name, predicate), ROWS)
    assert [w.filename for w in caught] == [__file__]


def test_no_warning_without_rows() -> None:
    empty = pa.table({"type": pa.array([], pa.string()), "time": pa.array([], pa.int64())})
    assert len(detect("A", empty)) == 0


def test_define_fills_what_the_pattern_leaves_open() -> None:
    pattern = parse("A ; B ; A")
    filled = defined({"p": pattern}, {"A": "n > 1"})["p"]
    assert str(filled) == str(pattern)
    assert filled.definitions() == {"A": "n > 1"}
    assert defined({"p": filled}, {"A": "n > 1"})["p"] == filled
    assert defined({"p": pattern}, None) == {"p": pattern}


@pytest.mark.parametrize(
    ("define", "message"),
    [
        ({"a": "n > 1"}, r"define defines 'a', which the pattern does not use; it uses A, failed"),
        ({"faild": "n > 1"}, r"define defines 'faild', .* did you mean 'failed'\?"),
        (
            {"A": "n > 1"},
            r"'A' is defined twice, as 'n > 2' in the pattern and as 'n > 1' in define",
        ),
        ({"failed": 5}, r"the predicate of 'failed' is 5, not text"),
        (["failed"], r"define is \['failed'\]; write a dict"),
    ],
)
def test_definitions_that_are_refused(define: Any, message: str) -> None:
    pattern = event("A", "n > 2") >> event("failed")
    with pytest.raises(DefinitionError, match=message):
        defined({"p": pattern}, define)


@pytest.mark.parametrize(
    ("predicate", "error", "message"),
    [
        ("n >", DefinitionError, r"^the event 'A', \"n >\": this is no SQL expression"),
        (
            "m > 1",
            DefinitionError,
            r"^the event 'A', .*: there is no column 'm'; .*\(columns: time,",
        ),
        (
            "n + 1",
            DefinitionError,
            r"^the event 'A', .*: this is neither true nor false but a BIGINT",
        ),
        ("1 / n > 1", DataError, r"^row 3, the event 'A', .*: this has no value: division by zero"),
    ],
)
def test_predicates_that_are_refused(predicate: str, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        rows_of(Primitive("A", predicate))
