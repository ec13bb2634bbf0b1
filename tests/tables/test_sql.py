"""SQL away from Spark: names, refusals, and what it must not reach."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from tocsin.errors import DataError, DefinitionError
from tocsin.tables.sql.query import Query

COLUMNS = {
    "User": ["ann", "bob"],
    "n": [1, 2],
    "N": [10, 20],
    "a.b": [5, 6],
    "first": [True, False],
    "st": [{"x": 1}, {"x": 2}],
}


def run(sql: str, columns: dict[str, Any] = COLUMNS, **options: Any) -> list[Any]:
    arrays = {name: pa.chunked_array([pa.array(values)]) for name, values in columns.items()}
    rows = len(next(iter(columns.values())))
    query = Query(list(arrays), arrays.__getitem__, rows=rows, **options)
    return query.run([("the test", sql)])[0].to_pylist()  # type: ignore[no-any-return]


def test_names() -> None:
    assert run("USER || '!'") == ["ann!", "bob!"]
    assert run("n") == [1, 2]
    assert run("N") == [10, 20]
    assert run("`a.b` + 1") == [6, 7]
    assert run("first") == [True, False]
    assert run("1 = 1") == [True, True]


def test_only_columns_that_are_named_are_read() -> None:
    read: list[str] = []

    def column(name: str) -> Any:
        read.append(name)
        return pa.chunked_array([[1, 2]])

    Query(["a", "b", "c"], column, rows=2).run([("x", "A + 1"), ("y", "a > 0")])
    assert set(read) == {"a"}


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("", r"^the test is ''; write a Spark SQL expression"),
        (5, r"^the test is 5; write a Spark SQL expression"),
        ("n >", r'^the test, "n >": this is no SQL expression \(something is missing after'),
        ("n > ) 1", r"no SQL expression \("),
        ("n = 'a", r"no SQL expression \("),
        ("n > 1; n > 2", r"no SQL expression \(it holds a semicolon"),
        ("select 1", r"no SQL expression \(it is a statement"),
        ("drop table x", r"is not known away from Spark"),
        ("nn > 1", r"there is no column 'nn'; .*\(columns: User, n, N, a.b, first, st\)"),
        ("Usr = 'x'", r"there is no column 'Usr'; did you mean 'User'\?"),
        ("st.y", r"there is no field 'y'; name one that there is \(fields: x\)"),
        ("n.y", r"there is no field 'y' in a value of type BIGINT"),
        ("n and first", r"'n' is neither true nor false but a BIGINT; write a condition"),
        ("not n", r"'n' is neither true nor false"),
        ("first = 1", r"cannot be compared, one of them is true or false"),
        ("first = 'true'", r"cannot be compared"),
        ("first + 1", r"truth values cannot be calculated with; cast them to int"),
        ("n in (select 1)", r"is not known away from Spark"),
        ("exists(select 1)", r"is not known away from Spark"),
        ("(select 1) = n", r"is not known away from Spark"),
        ("sum(n) over ()", r"is not known away from Spark"),
        ("sum(n) > 3", r"the function sum is not known away from Spark"),
        (
            "lenght(User) > 3",
            r"the function lenght is not known away from Spark; did you mean 'length'",
        ),
        ("length(User, 1)", r"length does not take 2 arguments"),
        ("*", r"is not known away from Spark"),
        ("n as x", r"is not known away from Spark"),
        ("?", r"is not known away from Spark"),
        ("current_timestamp()", r"the function current_timestamp is not known"),
        ("rand() > 0.5", r"the function rand is not known"),
        ("read_csv('/etc/passwd')", r"the function read_csv is not known"),
        ("cast(n as array<int>)", r"the type ARRAY<INT> is not known"),
        ("cast(st as int)", r"cannot be cast to INTEGER"),
        ("transform(n, x -> x)", r"transform takes an array, not a BIGINT"),
        ("size(n)", r"size takes an array or a map, not a bigint"),
        ("User rlike '('", r"this has no meaning: missing \)"),
        ("upper(st)", r"this has no meaning: "),
        ("date_format(n, 'QQQ')", r"the format 'QQQ' is not known away from Spark"),
        ("interval n hours", r"an interval has a number and a unit"),
    ],
)
def test_what_is_refused(sql: Any, message: str) -> None:
    with pytest.raises((DefinitionError, DataError), match=message):
        run(sql)


def test_ambiguous_names_are_refused_where_no_case_fits() -> None:
    with pytest.raises(DefinitionError, match=r"'aB' may be any of Ab, AB; rename all but one"):
        run("aB", {"Ab": [1], "AB": [2]})


def test_a_value_that_is_none_names_its_row() -> None:
    columns = {"n": [4, 2, 0, 1, 0]}
    with pytest.raises(DataError, match=r'^row 2, the test, "1 / n": this has no value: division'):
        run("1 / n", columns)
    with pytest.raises(DataError, match=r"^line 4, the test"):
        run("1 / n", columns, place=lambda row: f"line {row + 2}")


def test_a_thousand_conditions_are_no_problem() -> None:
    sql = " or ".join(f"n = {number}" for number in range(2, 2000))
    assert run(sql) == [False, True]


def test_a_long_expression_is_cut_in_messages() -> None:
    with pytest.raises(DefinitionError, match=r'^the test, "n {1,}\+ .* …": there is no column'):
        run("n + " * 100 + "zzz")


def test_the_session_zone_is_the_calls() -> None:
    moment = pa.array([0], pa.timestamp("us", "UTC"))
    assert run("hour(t)", {"t": moment}) == [0]
    assert run("hour(t)", {"t": moment}, zone="Asia/Tokyo") == [9]
    assert run("cast(t as string)", {"t": moment}, zone="Asia/Tokyo") == ["1970-01-01 09:00:00"]
    with pytest.raises(DefinitionError, match="timezone is 'Mars', which DuckDB does not know"):
        run("hour(t)", {"t": moment}, zone="Mars")


def test_narrow_numbers_are_calculated_as_spark_does() -> None:
    assert run("x + 100", {"x": pa.array([100], pa.int8())}) == [200]
    assert run("x - 1", {"x": pa.array([0], pa.uint32())}) == [-1]
    assert run("x > 0.1", {"x": pa.array([0.1], pa.float32())}) == [True]


def test_results_without_rows_have_a_type() -> None:
    empty = pa.chunked_array([pa.array([], pa.int64())])
    (result,) = Query(["n"], lambda _: empty, rows=0).run([("x", "n / 2")])
    assert (len(result), result.type) == (0, pa.float64())
