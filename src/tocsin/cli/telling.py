"""A running stream, seen from the command line: what it finds, and how far it has come."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from shutil import rmtree
from threading import Event
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from tocsin.cli.status import StatusLine
from tocsin.errors import TocsinError
from tocsin.spark.beginning import tell, told
from tocsin.spark.collecting import Collected, collect
from tocsin.spark.refusals import failures
from tocsin.spark.tally import Tally

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EVERY = 0.3
"""Seconds between two looks."""

SETTLE = 5.0
"""Seconds that Spark has to finish with what has been told."""

MOMENT = 0.5
"""Seconds in which a signal may come twice; some tell a process, and then its whole group."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Telling:
    """What comes of a stream, micro-batch by micro-batch.

    Spark waits with a micro-batch until it has been told, and then notes in its checkpoint that it
    is done. Stopped in between it will do it again, so what has been told is noted too.
    """

    def __init__(self, checkpoint: Path, folder: Path, tally: Tally, line: StatusLine) -> None:
        self.tally, self.line = tally, line
        self.ended_by = 0
        """The signal that ended it, if one did."""
        self._asked = 0.0
        self._checkpoint, self._folder = checkpoint, folder
        self._told, self._last = told(checkpoint), -1
        self._waiting: SimpleQueue[tuple[int, Collected, Event]] = SimpleQueue()
        self._over = Event()
        self._query: Any = None

    def take(self, frame: DataFrame, batch: int) -> None:
        """Called by Spark: find what a micro-batch has, and wait until it has been told."""
        folder = self._folder / f"found-{batch}"
        found = collect(frame, folder)
        if batch > self._told:
            done = Event()
            self._waiting.put((batch, found, done))
            while not done.wait(EVERY):
                if self._over.is_set():
                    raise TocsinError("the stream has been stopped")
            tell(self._checkpoint, batch)
        rmtree(folder)

    @contextmanager
    def running(self, query: Any) -> Iterator[None]:
        """As long as a query runs; Ctrl-C ends what is told of it, and then it is stopped."""
        self._query = query
        before = {number: signal.signal(number, self._end) for number in _SIGNALS}
        try:
            yield
        finally:
            self._over.set()
            self._settle()
            with suppress(PySparkException):  # it may have failed in the meantime
                query.stop()
            for progress in query.recentProgress:
                self.tally.add(progress)
            self.line.clear()
            for number, handler in before.items():
                signal.signal(number, handler)

    def batches(self) -> Iterator[tuple[int, Collected]]:
        """What is found, as it is found, until there is no more or somebody ends it.

        A micro-batch has been told when the next one is asked for.
        """
        while not self._over.is_set():
            self.tally.add(self._query.lastProgress)
            if self.tally.counts.rows:
                self.line.show(str(self.tally))
            try:
                batch, found, done = self._waiting.get(timeout=EVERY)
            except Empty:
                if not self._query.isActive:
                    with failures():
                        self._query.awaitTermination()
                    return
                continue
            self.line.clear()
            self.tally.give(found)
            yield batch, found
            sys.stdout.flush()
            self._last = batch
            done.set()

    def _settle(self) -> None:
        """Let Spark note, and count, what has been told last."""
        patience = monotonic() + SETTLE
        while self._query.isActive and monotonic() < patience:
            progress = self._query.lastProgress or {"batchId": -1}
            if progress["batchId"] >= self._last:
                return
            sleep(EVERY / 10)

    def _end(self, number: int, frame: Any) -> None:
        """Somebody wants it to end; whoever says it again, a moment later, wants it at once."""
        if self.ended_by and monotonic() > self._asked + MOMENT:
            raise KeyboardInterrupt
        if not self.ended_by:
            self.ended_by, self._asked = number, monotonic()
        self._over.set()
