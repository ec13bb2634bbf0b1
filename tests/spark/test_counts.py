"""Rows that are read, used and left out, counted on request while a query runs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from pyspark.sql import Observation

import tocsin as tc

ROWS = [
    ("a", "A", 1, 1),
    (None, "A", 1, 1),
    (None, "B", 2, None),
    ("a", "B", None, 3),
    ("b", "A", 4, None),
    ("a", "C", 3, 3),
    ("a", None, 3, 3),
    ("a", "B", 3, 5),
]
SCHEMA = "user string, type string, s int, e int"


@pytest.mark.parametrize("pattern", ["A ; B", "plus(A, 1) | B", "absent(B, 1) | A"])
def test_counts(pattern: str, spark: Any) -> None:
    frame = spark.createDataFrame(ROWS, SCHEMA)
    counts = Observation()
    found = tc.detect(pattern, frame, key="user", start="s", end="e", observation=counts)
    found.collect()
    assert counts.get == {"rows": 8, "used": 2, "null_keys": 2, "null_times": 2}
    rows = [dict(zip(("user", "type", "s", "e"), row, strict=True)) for row in ROWS]
    with pytest.warns(tc.TocsinWarning, match="left out"):
        local = tc.detect(pattern, rows, key="user", start="s", end="e").counts
    assert counts.get == asdict(local)


def test_counts_without_a_key_in_several_patterns(spark: Any) -> None:
    frame = spark.createDataFrame([("A", 1), ("X", 2), ("B", None)], "type string, time int")
    counts = Observation("rows")
    tc.detect_all({"a": "A", "b": "B"}, frame, observation=counts).collect()
    assert counts.get == {"rows": 3, "used": 1, "null_keys": 0, "null_times": 1}


def test_only_who_counts_pays_for_it(spark: Any, tmp_path: Any) -> None:
    path = str(tmp_path / "events")
    spark.createDataFrame([("A", 1)], "type string, time int").write.parquet(path)

    def plan(**options: Any) -> str:
        found = tc.detect("A", spark.read.parquet(path), **options)
        return str(found._jdf.queryExecution().executedPlan())

    assert "EqualTo(type,A)" in plan()
    assert "CollectMetrics" not in plan()
    assert "CollectMetrics" in plan(observation=Observation())


def test_what_is_no_observation_is_refused(spark: Any) -> None:
    frame = spark.createDataFrame([("A", 1)], "type string, time int")
    with pytest.raises(tc.DefinitionError, match=r"^observation is 'rows'; pass a pyspark"):
        tc.detect("A", frame, observation="rows")
    with pytest.raises(tc.DefinitionError, match=r"^observation is given, but events is no Spark"):
        tc.detect("A", [("A", 1)], observation=Observation())
    used = Observation()
    tc.detect("A", frame, observation=used)
    with pytest.raises(tc.DefinitionError, match=r"^observation has observed another query"):
        tc.detect("A", frame, observation=used)
