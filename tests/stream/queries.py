"""Real streaming queries over a folder: files come, a query takes them in and stops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession

Detect = Callable[[DataFrame], DataFrame]


@dataclass
class Folder:
    """Where events come from, where the answer and the checkpoint go."""

    spark: SparkSession
    path: Path
    files: int = 0
    progress: list[Any] = field(default_factory=list)

    @property
    def events(self) -> Path:
        return self.path / "events"

    def put(self, table: pa.Table) -> None:
        """Let a file of events come."""
        self.events.mkdir(exist_ok=True)
        pa.parquet.write_table(table, self.events / f"{self.files:03}.parquet")
        self.files += 1

    def stream(self) -> DataFrame:
        """The events as a stream."""
        path = str(self.events)
        schema = self.spark.read.parquet(path).schema
        return self.spark.readStream.schema(schema).parquet(path)

    def run(self, detect: Detect) -> None:
        """Take in all files that are new, from the checkpoint on, and stop."""
        query = (
            detect(self.stream())
            .writeStream.format("parquet")
            .option("checkpointLocation", str(self.path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(self.path / "answer"))
        )
        try:
            query.awaitTermination()
        finally:
            self.progress += query.recentProgress

    def answer(self) -> list[dict[str, Any]]:
        """All rows that came out."""
        return self.spark.read.parquet(str(self.path / "answer")).toArrow().to_pylist()

    def count(self, name: str) -> int:
        """The sum of a metric over all micro-batches."""
        metrics = [p["observedMetrics"]["tocsin"] for p in self.progress]
        return sum(m[name] or 0 for m in metrics)
