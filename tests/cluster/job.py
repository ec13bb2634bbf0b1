"""A program that is submitted to a cluster: detects in a table, and tells how far it is.

spark-submit … job.py EVENTS RESULT
"""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

from pyspark.sql import SparkSession

import tocsin as tc

PATTERNS = {
    "pairs": "(A ; B) within 50 - C",
    "all": "aperiodic*(A, B, C)",
    "quiet": "absent(A, 400)",
}


def tell(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


def tell_progress(spark: SparkSession, ended: threading.Event) -> None:
    """Say how many tasks of each running stage are done, whenever that has changed."""
    tracker, told = spark.sparkContext.statusTracker(), None
    while not ended.wait(0.02):
        for number in tracker.getActiveStageIds():
            stage = tracker.getStageInfo(number)
            if stage is not None and told != (told := (number, stage.numCompletedTasks)):
                tell(stage=number, done=stage.numCompletedTasks, of=stage.numTasks)


def where(_: int) -> tuple[str, str]:
    """On an executor: where Tocsin and the kernels' machine code are."""
    import tocsin
    from tocsin.engine.kernels.compiling import cache_folder

    return tocsin.__file__, str(cache_folder("streams"))


def main() -> None:
    events, result = sys.argv[1:]
    spark = SparkSession.builder.getOrCreate()
    ended = threading.Event()
    tell(places=spark.sparkContext.parallelize(range(4), 4).map(where).distinct().collect())
    threading.Thread(target=tell_progress, args=(spark, ended), daemon=True).start()
    found = tc.detect_all(PATTERNS, spark.read.parquet(events), key="user", carry=["id"])
    found.write.parquet(result)
    ended.set()
    spark.stop()


if __name__ == "__main__":
    main()
