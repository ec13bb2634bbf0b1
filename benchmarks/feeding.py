"""Files of events for a stream to follow, streams over them, and what these say of themselves."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from streams import SECOND, THREE

SPARK_SCHEMA = "key bigint, time timestamp, type string"
EPOCH = 1_767_225_600 * SECOND  # 2026-01-01: a watermark before 1970 is none
WATERMARK = "1s"
FILES = 2

Detect = Callable[[DataFrame], DataFrame]
"""What to make of a stream of events."""


def cut(number: int, rows: int, keys: int, seconds: int = 10, known: int | None = None) -> pa.Table:
    """The rows of one of many micro-batches, in order of time, each of one of so many keys.

    `known` says how many keys there are; those of this cut are spread evenly among them.
    """
    rng = np.random.default_rng((number, rows, keys))
    span = seconds * SECOND
    time = EPOCH + number * span + np.sort(rng.integers(1, span, rows))
    key = rng.integers(0, keys, rows) * ((known or keys) // keys)
    return pa.table(
        {
            "key": key,
            "time": pa.array(time).cast(pa.timestamp("us", "UTC")),
            "type": pa.array(THREE).take(pa.array(rng.integers(0, len(THREE), rows))),
        }
    )


@dataclass
class Feed:
    """A folder with what comes for each micro-batch."""

    folder: Path
    batches: int = 0

    def put(self, table: pa.Table) -> None:
        """What comes for one more micro-batch: a file for each core. Spark takes files by age."""
        self.folder.mkdir(parents=True, exist_ok=True)
        size = -(-table.num_rows // FILES)
        for number in range(FILES):
            path = self.folder / f"{self.batches:04}-{number}.parquet"
            pq.write_table(table.slice(number * size, size), path)
            os.utime(path, (self.batches, self.batches))
        self.batches += 1

    @classmethod
    def of(cls, folder: Path, batches: int, rows: int, keys: int) -> Feed:
        """As many micro-batches as asked for, all of the same size."""
        feed = cls(folder)
        for number in range(batches):
            feed.put(cut(number, rows, keys))
        return feed

    def table(self, session: SparkSession) -> DataFrame:
        """All rows, as a table."""
        return session.read.schema(SPARK_SCHEMA).parquet(str(self.folder))


@dataclass
class Run:
    """A query that has taken in a feed."""

    progress: list[Any]
    checkpoint: Path
    batches: list[Any] = field(init=False)
    """Of the micro-batches that had rows, what Spark says of each."""

    def __post_init__(self) -> None:
        self.batches = [p for p in self.progress if p["numInputRows"]]

    def seconds(self, low: int = 1, high: int | None = None) -> float:
        """The median time of some micro-batches; the first also has to start workers."""
        return median(self.durations("triggerExecution")[low:high]) / 1000

    def durations(self, phase: str) -> list[float]:
        """How many milliseconds a phase took, for each micro-batch."""
        return [p["durationMs"].get(phase, 0) for p in self.batches]

    def operator(self, name: str) -> list[float]:
        """A metric of the stateful operator, for each micro-batch."""
        return [p["stateOperators"][0][name] for p in self.batches]

    @property
    def found(self) -> tuple[Any, ...]:
        """How many rows came out of all micro-batches, and a sum over all their values."""
        seen = [p["observedMetrics"]["found"] for p in self.progress]
        return sum(s["rows"] for s in seen), sum(s["total"] or 0 for s in seen) % 2**64

    def state_bytes(self, after: int) -> int:
        """How many bytes of state there were after so many micro-batches."""
        return sum(self.batches[after - 1]["observedMetrics"]["tocsin"]["state_bytes"].values())

    def written(self) -> list[int]:
        """The bytes that each micro-batch with rows added to the state's log on disk."""
        sizes: dict[int, int] = {}
        for path in self.checkpoint.glob("state/*/*/*.changelog"):
            version = int(path.name.split("_")[0].split(".")[0])
            sizes[version] = sizes.get(version, 0) + path.stat().st_size
        return [sizes.get(p["batchId"] + 1, 0) for p in self.batches]


def follow(session: SparkSession, feed: Feed, detect: Detect, checkpoint: Path) -> Run:
    """Let a stream take in a feed, micro-batch by micro-batch, as fast as it can."""
    shutil.rmtree(checkpoint, ignore_errors=True)
    events = session.readStream.schema(SPARK_SCHEMA).option("maxFilesPerTrigger", FILES)
    result = detect(events.parquet(str(feed.folder)))
    values = f.xxhash64("key", "start", "end").cast("decimal(38, 0)")
    counted = result.observe("found", f.count("*").alias("rows"), f.sum(values).alias("total"))
    query = (
        counted.writeStream.format("noop")
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return Run(list(query.recentProgress), checkpoint)


def slope(sizes: Sequence[float], costs: Sequence[float]) -> tuple[float, float]:
    """What one more costs, and what nothing costs."""
    each, fixed = np.polyfit(sizes, costs, 1)
    return float(each), float(fixed)
