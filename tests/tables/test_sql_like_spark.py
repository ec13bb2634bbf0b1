"""Expressions have the value they have in Spark (`spark/values.jsonl` says which)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tables.spark.rows import NAMES, TABLE, plain

from tocsin.errors import TocsinError
from tocsin.tables.normal import normal
from tocsin.tables.sql.query import Query

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
    for row, sparks in enumerate(SPARKS[sql]):
        if isinstance(sparks, dict) and "error" in sparks:
            with pytest.raises(TocsinError, match="expression"):
                run([sql], TABLE.take([row]))
        else:
            (found,) = run([sql], TABLE.take([row]))
            assert same(found[0], sparks), f"row {row}: {found[0]!r}, but {sparks!r} in Spark"
