"""Expressions have the value they have in Spark (`spark/values.jsonl` says which)."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from tables.spark.rows import NAMES, TABLE, plain

from tocsin.errors import TocsinError
from tocsin.tables.normal import normal
from tocsin.tables.sql.functions import ALIASES, FUNCTIONS
from tocsin.tables.sql.query import Query
from tocsin.tables.sql.translate import FUNCTIONS_BY_TYPE

LINES = (Path(__file__).parent / "spark" / "values.jsonl").read_text().splitlines()
SPARKS: dict[str, list[Any]] = {case["sql"]: case["values"] for case in map(json.loads, LINES)}
FINE = {sql: values for sql, values in SPARKS.items() if "error" not in str(values)}
"""The expressions that Spark takes, on all rows."""


def run(expressions: list[str], rows: Any = TABLE) -> list[list[Any]]:
    columns = {name: normal(rows.column(name), "row {}".format) for name in NAMES}
    query = Query(NAMES, columns.__getitem__, rows=len(rows))
    results = query.run([("the expression", sql) for sql in expressions])
    return [[plain(value) for value in result.to_pylist()] for result in results]


def same(ours: Any, sparks: Any) -> bool:
    if isinstance(sparks, float) and isinstance(ours, float):
        return math.isclose(ours, sparks, rel_tol=1e-12)
    if isinstance(sparks, list) and isinstance(ours, list):
        return len(ours) == len(sparks) and all(map(same, ours, sparks))
    return type(ours) is type(sparks) and bool(ours == sparks)


@pytest.fixture(scope="module")
def ours() -> dict[str, list[Any]]:
    try:
        return dict(zip(FINE, run(list(FINE)), strict=True))
    except TocsinError:  # then one by one, to see which
        return {}


@pytest.mark.parametrize("sql", FINE)
def test_the_values_are_sparks(sql: str, ours: dict[str, list[Any]]) -> None:
    found = ours[sql] if ours else run([sql])[0]
    for row, sparks in enumerate(FINE[sql]):
        assert same(found[row], sparks), f"row {row}: {found[row]!r}, but {sparks!r} in Spark"


@pytest.mark.parametrize("sql", sorted(SPARKS.keys() - FINE.keys()))
def test_what_spark_refuses_on_a_row_is_refused(sql: str) -> None:
    refused = [isinstance(sparks, dict) and "error" in sparks for sparks in SPARKS[sql]]
    for row in range(len(TABLE)):
        if refused[row] and (row == 0 or not all(refused)):
            with pytest.raises(TocsinError, match="expression"):
                run([sql], TABLE.take([row]))
    fine = [row for row in range(len(TABLE)) if not refused[row]]
    (found,) = run([sql], TABLE.take(fine)) if fine else ([],)
    for row, ours in zip(fine, found, strict=True):
        assert same(ours, SPARKS[sql][row]), f"row {row}: {ours!r}, {SPARKS[sql][row]!r} in Spark"


def test_every_function_we_know_is_compared() -> None:
    called = {name for sql in SPARKS for name in re.findall(r"(\w+)\(", sql.lower())}
    called |= {ALIASES[name] for name in called if name in ALIASES}
    called |= {"rlike"} if any(" rlike " in sql for sql in SPARKS) else set()
    assert (FUNCTIONS.keys() | FUNCTIONS_BY_TYPE.keys() | ALIASES.keys()) - called == set()


@pytest.mark.parametrize(
    "sql",
    [
        "n / 3",
        "i / 1.5",
        "(z - w) / 2",
        "try_divide(n, 3)",
        "i div 2.5",
        "upper('ﬁ')",
        "lower('İ')",
        "lower('ΟΔΟΣ')",
        "'É' rlike '(?i)é'",
        "'a&b' rlike '[a-z&&[^b]]'",
        "'ab' rlike '(?<=a)b'",
        "'a' rlike s",
        "regexp_replace('abc', '(b)', '\\\\1')",
        "regexp_replace('ab\n', 'b$', 'x')",
        "cast(12345678.9D as string)",
        "timestampdiff(month, w, z)",
        "hour('2026-11-15 10:00:00')",
        "length(i)",
        "i + '1.5'",
        "array(1, 2)[1]",
    ],
)
def test_what_duckdb_would_answer_otherwise_is_refused(sql: str) -> None:
    with pytest.raises(TocsinError, match="the expression"):
        run([sql])
