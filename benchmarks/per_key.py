"""What a stream is measured against: one call per key, and an operator that does nothing.

Workers import this module by itself.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.streaming.state import GroupStateTimeout
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

SECOND = 1_000_000
FOUND = "key bigint, start timestamp, end timestamp"
STATE = "waiting binary, last bigint"  # PySpark 4.3 does not get arrays back as they were


def straightforward(events: DataFrame) -> DataFrame:
    """(B ; B) within 2s - (P | T), as one writes it by hand: state for each key, a call for each.

    As with Tocsin, rows wait for the watermark, so it finds the same.
    """
    return (
        events.withWatermark("time", "1 second")
        .groupBy("key")
        .applyInPandasWithState(visit, FOUND, STATE, "append", GroupStateTimeout.EventTimeTimeout)
    )


def visit(key: tuple[int], frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
    """What Spark calls for each key that has rows, or whose time has come."""
    packed, last = state.get if state.exists else (None, None)
    rows = pickle.loads(packed) if packed else []
    for frame in frames:
        times = (frame["time"].astype("int64") // 1000).tolist()
        rows += zip(times, frame["type"].tolist(), strict=True)
    rows.sort()
    mark = state.getCurrentWatermarkMs() * 1000
    due = [row for row in rows if row[0] <= mark]
    waiting = rows[len(due) :]
    found, last = pairs(due, last)
    state.update((pickle.dumps(waiting), last))
    if waiting:
        state.setTimeoutTimestamp(max(waiting[0][0], mark) // 1000 + 1)
    if found:
        starts, ends = zip(*found, strict=True)
        columns = {
            "start": pd.to_datetime(starts, unit="us"),
            "end": pd.to_datetime(ends, unit="us"),
        }
        yield pd.DataFrame({"key": key[0], **columns})


def pairs(
    rows: list[tuple[int, str]], last: int | None
) -> tuple[list[tuple[int, int]], int | None]:
    """The pairs of B that rows in order complete, and the B that is open then."""
    found = []
    place = 0
    while place < len(rows):
        time = rows[place][0]
        names = set()
        while place < len(rows) and rows[place][0] == time:
            names.add(rows[place][1])
            place += 1
        if "P" in names or "T" in names:
            last = None
        elif "B" in names:
            if last is not None and time - last <= 2 * SECOND:
                found.append((last, time))
            last = time
    return found, last


class Nothing(StatefulProcessor):
    """An operator that keeps nothing and gives nothing."""

    def init(self, handle: Any) -> None:
        """Called by Spark in each task."""

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[pd.DataFrame]:
        """Called by Spark for each bucket."""
        for _ in rows:
            pass
        return iter(())

    def close(self) -> None:
        """Called by Spark at the end of each task."""


def idle(labels: list[int]) -> Any:
    """A query of the same shape as Tocsin's, in which all rows are dropped on the way."""

    def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            pass
        yield pa.record_batch({"label": pa.array(labels, pa.int64())})

    def unpack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches

    def detect(events: DataFrame) -> DataFrame:
        return (
            events.withWatermark("time", "1 second")
            .mapInArrow(pack, "label bigint")
            .groupBy("label")
            .transformWithStateInPandas(Nothing(), FOUND, "Append", "EventTime")
            .mapInArrow(unpack, FOUND)
        )

    return detect
