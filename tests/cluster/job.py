"""A program that is submitted to Spark: detects in a table or in a stream, and tells how far it is.

    spark-submit … job.py table EVENTS RESULT
    spark-submit … job.py stream FOLDER

A stream is read from FOLDER/events, its answer goes to FOLDER/answer, its checkpoint to
FOLDER/checkpoint; it ends when it has taken in the files that were there when it began.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import Any

from pyspark.sql import SparkSession

import tocsin as tc

PATTERNS = {
    "pairs": "(A ; B) within 50 - C",
    "all": "aperiodic*(A, B, C)",
    "quiet": "absent(A, 400)",
}
SCHEMA = "user bigint, time bigint, type string, id bigint"
UNTIL = 6000
"""Up to when silence is looked for."""
DELAY = 60
"""By how much rows of a stream can be late."""


def tell(**facts: Any) -> None:
    """Say something to whoever started this."""
    print(json.dumps(facts), flush=True)


def where(_: int) -> tuple[str, str]:
    """On an executor: where Tocsin and the kernels' machine code are."""
    import tocsin
    from tocsin.engine.kernels.compiling import cache_folder

    return tocsin.__file__, str(cache_folder("streams"))


def tell_stages(spark: SparkSession, ended: threading.Event) -> None:
    """Say how many tasks of each running stage are done, whenever that has changed."""
    tracker, told = spark.sparkContext.statusTracker(), None
    while not ended.wait(0.02):
        for number in tracker.getActiveStageIds():
            stage = tracker.getStageInfo(number)
            if stage is not None and told != (told := (number, stage.numCompletedTasks)):
                tell(stage=number, done=stage.numCompletedTasks, of=stage.numTasks)


def table(spark: SparkSession, events: str, result: str) -> None:
    """Detect in a table."""
    tell(places=spark.sparkContext.parallelize(range(4), 4).map(where).distinct().collect())
    ended = threading.Event()
    threading.Thread(target=tell_stages, args=(spark, ended), daemon=True).start()
    found = tc.detect_all(
        PATTERNS, spark.read.parquet(events), key="user", carry=["id"], until=UNTIL
    )
    found.write.parquet(result)
    ended.set()


def stream(spark: SparkSession, folder: str) -> None:
    """Detect in a stream, a file at a time."""
    events = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    found = tc.detect_all(
        PATTERNS, events.parquet(f"{folder}/events"),
        key="user", carry=["id"], until=UNTIL, watermark=DELAY,
    )  # fmt: skip
    writer = found.writeStream.format("parquet").trigger(availableNow=True)
    query = writer.option("checkpointLocation", f"{folder}/checkpoint").start(f"{folder}/answer")
    tell(started=True)
    told = None
    while query.isActive:
        time.sleep(0.02)
        if query.lastProgress and told != (told := query.lastProgress["batchId"]):
            tell(batch=told, late=query.lastProgress["observedMetrics"]["tocsin"]["late"])
    query.awaitTermination()


def main() -> None:
    what, *arguments = sys.argv[1:]
    spark = SparkSession.builder.getOrCreate()
    {"table": table, "stream": stream}[what](spark, *arguments)
    tell(ended=True)
    spark.stop()


if __name__ == "__main__":
    main()
