"""Answers of every engine in one form, so that they can be compared."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

import tocsin as tc
from tocsin.errors import TocsinWarning

WAYS = ((1, 10_000), (2, 3), (7, 1))
"""Over how many partitions rows go, and how many make an Arrow batch."""

Answer = list[tuple[Any, ...]]
"""Sorted: pattern, key, detected, end, start, and for each event its name, times and id."""

RESULT = ("asked", "pattern", "start", "end", "detected", "events", "policy")


@dataclass
class Question:
    """Patterns to look for in a table whose column `id` tells the rows apart."""

    patterns: dict[str, Any]
    table: pa.Table
    options: dict[str, Any]

    def ask(self, engine: str) -> Answer:
        """What an engine finds, without Spark."""
        return sorted_answer(self._detect(self.table, engine=engine).to_arrow().to_pylist())

    def ask_spark(self, spark: SparkSession) -> DataFrame:
        """What Spark is to find."""
        frame: DataFrame = self._detect(spark.createDataFrame(self.table))
        return frame

    def _detect(self, events: Any, **options: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TocsinWarning)
            return tc.detect_all(self.patterns, events, carry=["id"], **self.options, **options)


def ask_together(spark: SparkSession, questions: Sequence[Question]) -> dict[int, Answer]:
    """The answers to many questions of one schema in one job, since every job takes a while."""
    asked = [
        question.ask_spark(spark).withColumn("asked", f.lit(number))
        for number, question in enumerate(questions)
    ]
    rows = defaultdict(list)
    for row in reduce(DataFrame.unionByName, asked).toArrow().to_pylist():
        rows[row["asked"]].append(row)
    return {number: sorted_answer(rows[number]) for number in range(len(questions))}


@contextmanager
def spread(spark: SparkSession, partitions: int, batch: int) -> Iterator[None]:
    """Rows go over so many partitions, and so many make an Arrow batch."""
    wanted = {
        "spark.sql.shuffle.partitions": partitions,
        "spark.sql.execution.arrow.maxRecordsPerBatch": batch,
    }
    before = {name: spark.conf.get(name) for name in wanted}
    try:
        for name, value in wanted.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, str(value))


def sorted_answer(rows: list[dict[str, Any]]) -> Answer:
    """Rows of a result, in the form that can be compared."""
    return sorted(
        (
            row["pattern"],
            tuple(row[name] for name in row if name not in RESULT),
            *(row[name] for name in ("detected", "end", "start")),
            tuple((e["name"], e["start"], e["end"], e["id"]) for e in row["events"]),
        )
        for row in rows
    )
