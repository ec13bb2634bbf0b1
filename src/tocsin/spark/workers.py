"""Python's workers: started while somebody still says what they are to do, and quick at it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


def prepare(session: SparkSession, workers: int) -> Thread:
    """Let some workers start and import what detection needs, which takes them a second; they wait
    for work for a minute. The thread ends when they are ready, or when the session is stopped."""

    def work() -> None:
        with suppress(Exception):  # whoever needs workers hears why there are none
            rows = session.range(0, workers, numPartitions=workers)
            rows.mapInArrow(imported, "id bigint").write.format("noop").mode("append").save()

    thread = Thread(target=work, name="tocsin workers", daemon=True)
    thread.start()
    return thread


def imported(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches as they are, once everything is imported."""
    import tocsin.spark.answers
    import tocsin.spark.feeding
    import tocsin.spark.partition  # noqa: F401

    yield from batches


def settle() -> None:
    """Called by a worker when it begins a task.

    After each task PySpark collects garbage, and would look for it among all that has ever been
    imported, which takes longer than a small task.
    """
    _keep(len(sys.modules))


@cache
def _keep(modules: int) -> None:
    """Only when there are new modules: what tasks leave behind is to be collected."""
    gc.freeze()
