"""How far Spark has come, for whoever wants to know."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from tocsin.tables.progress import tell

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVERY = 0.3
"""Seconds between two looks."""


@contextmanager
def watched(session: SparkSession, what: str) -> Iterator[None]:
    """Tell of the tasks that are done, as long as the work inside takes."""
    tracker, over = session.sparkContext.statusTracker(), Event()

    def look() -> None:
        while not over.wait(EVERY):
            done, total = tasks(tracker)
            if total:
                tell(what, done, total)

    thread = Thread(target=copy_context().run, args=(look,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def tasks(tracker: Any) -> tuple[int, int]:
    """How many tasks of the running stages are done, and how many there are."""
    done = total = 0
    for stage in tracker.getActiveStageIds():
        found = tracker.getStageInfo(stage)
        if found is not None:
            done, total = done + found.numCompletedTasks, total + found.numTasks
    return done, total
