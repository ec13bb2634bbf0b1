"""The stateful operator: a thin skin between Spark's handle and a bucket."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from tocsin.spark.labels import CONTROL
from tocsin.spark.packets import to_table
from tocsin.spark.stream.answers import packets
from tocsin.spark.stream.header import Control
from tocsin.spark.stream.memory import Name
from tocsin.spark.stream.packing import NO_END
from tocsin.spark.stream.setup import Setup
from tocsin.spark.workers import settle
from tocsin.tables.times import Axis

if TYPE_CHECKING:
    import pandas as pd

    from tocsin.spark.stream.bucket import Bucket

STATE = "tocsin"
"""What Spark calls all that is kept."""

KEPT = ("kind string, pattern string, number bigint, piece int", "value binary")
VISITED = "packet binary, rows bigint, late bigint, waiting bigint, sizes array<bigint>"
"""Rows of the result in packets; and, without a packet, a row for each visit."""


class SparkMemory:
    """What Spark keeps for the bucket at hand."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def get(self, name: Name, piece: int) -> bytes | None:
        """What was put there last."""
        found = self.state.getValue((*name, piece))
        return None if found is None else found[0]

    def put(self, name: Name, piece: int, value: bytes) -> None:
        """Keep something."""
        self.state.updateValue((*name, piece), (value,))

    def delete(self, name: Name, piece: int) -> None:
        """Keep it no longer."""
        self.state.removeKey((*name, piece))


class Processor(StatefulProcessor):
    """Visits a bucket when a micro-batch has come, or only time has passed."""

    def __init__(self, setup: Setup, axis: Axis) -> None:
        self.setup, self.axis = setup, axis

    def init(self, handle: Any) -> None:
        """Called by Spark in each task."""
        settle()
        self.handle = handle
        self.memory = SparkMemory(handle.getMapState(STATE, *KEPT))

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[pd.DataFrame]:
        """Called by Spark for each bucket that a task brought something to, so for all."""
        tables, least = [], NO_END
        for frame in rows:
            tables += [to_table(packet) for packet in frame["packet"] if packet]
            least = min(least, int(frame["least"].min()))
        if key[0] == CONTROL:
            Control(self.setup, self.memory).check()
            return
        bucket = self._bucket()
        watermark = timerValues.getCurrentWatermarkInMs()
        if bucket.wakes is not None and bucket.wakes <= watermark:
            self.handle.deleteTimer(bucket.wakes)  # this is the visit that it was for
        yield from self._visit(bucket, tables, None if least == NO_END else least, watermark)

    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[pd.DataFrame]:
        """Called by Spark when the watermark has moved and no row came."""
        bucket = self._bucket()
        yield from self._visit(bucket, [], None, timerValues.getCurrentWatermarkInMs())

    def close(self) -> None:
        """Called by Spark at the end of each task."""

    def _bucket(self) -> Bucket:
        from tocsin.spark.stream.bucket import Bucket  # Numba takes a while; only workers need it

        return Bucket(self.setup, self.memory)

    def _visit(
        self, bucket: Bucket, tables: list[pa.Table], least: int | None, watermark: int
    ) -> Iterator[pd.DataFrame]:
        # On arrival nothing waits, so nothing becomes due.
        before, wakes = bucket.wakes, None if self.setup.reading.on_arrival else watermark + 1
        visit = bucket.visit(tables, least, self.setup.ticks(watermark), wakes)
        if wakes is not None and before != wakes:
            self.handle.registerTimer(wakes)
        late = 0 if visit.late is None else len(visit.late)
        sizes = [visit.sizes[label] for label in self.setup.labels]
        for packet in packets(visit, self.setup, self.axis):
            yield _row(packet.to_pybytes(), 0, 0, 0, [])
        yield _row(None, visit.rows, late, visit.waiting, sizes)


def _row(*values: Any) -> pd.DataFrame:
    import pandas as pd

    names = ("packet", "rows", "late", "waiting", "sizes")
    return pd.DataFrame({name: [value] for name, value in zip(names, values, strict=True)})
