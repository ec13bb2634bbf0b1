"""Python's workers: started while somebody still says what they are to do, and quick at it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


def prepare(context: SparkContext, workers: int) -> Thread:
    """Let some workers start, which takes a second or two; they wait for work for a minute. The
    thread ends when they are ready, or when the context is stopped."""

    def work() -> None:
        context.parallelize(range(workers), workers).foreachPartition(_nothing)

    return _aside("tocsin workers", work)


def practise(session: SparkSession) -> Thread:
    """Let Spark plan and run a query with a worker, so that it has done so once when somebody asks;
    the thread ends as `prepare`'s does."""

    def work() -> None:
        rows = session.range(1).mapInArrow(_the_same, "id bigint")
        rows.write.format("noop").mode("append").save()

    return _aside("tocsin practice", work)


def _aside(name: str, work: Callable[[], None]) -> Thread:
    def tried() -> None:
        with suppress(Exception):  # whoever needs workers hears why there are none
            work()

    thread = Thread(target=tried, name=name, daemon=True)
    thread.start()
    return thread


def _nothing(rows: Iterable[int]) -> None:
    pass


def _the_same(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
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
