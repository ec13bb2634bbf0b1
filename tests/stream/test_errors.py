"""What is wrong with a stream is said when it is defined, in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

import tocsin as tc
from tocsin.errors import TocsinWarning
from tocsin.spark.stream.query import PROVIDER
from tocsin.spark.stream.watermark import COLUMN


@pytest.fixture
def stream(rocks: Any) -> Any:
    """A stream with times of every kind."""
    rate = rocks.readStream.format("rate").load()
    return rate.selectExpr(
        "timestamp ts", "cast(timestamp as timestamp_ntz) ntz", "cast(timestamp as date) day",
        "value n", "'A' type", "'ann' user",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time": "ts"}, "the stream has no watermark, so nobody knows how late rows can be; write "
                         r"df.withWatermark\('ts', '10 minutes'\), or watermark='10min'"),
        ({"time": "ntz"}, "the stream has no watermark, .*; say by how much, as watermark='10min'"),
        ({"time": "n"}, "the stream has no watermark, .*; say by how much, as watermark=10, in "),
        ({"time": "n", "unit": "s"}, "the stream has no watermark, .* as watermark='10min'"),
        ({"time": "ts", "watermark": 5}, "watermark is 5, but the times are timestamps with a zo"),
        ({"time": "n", "watermark": "5s"}, "the duration 5s has a unit, but the times are plain "),
        ({"time": "ts", "watermark": "5x"}, "watermark is '5x': '5x' is no duration; "),
        ({"time": "ts", "watermark": "5s", "buckets": 0}, "buckets is 0; write how many there ar"),
        ({"time": "ts", "watermark": "5s", "late": "no"}, "late is 'no'"),
        ({"time": "ts", "watermark": "5s", "observation": 1}, "observation is given, but events "
                                                              "is a stream; leave it out"),
        ({"time": "ts", "watermark": "5s", "engine": "oracle"}, "engine is 'oracle', but"),
        ({"time": "ts", "watermark": "5s", "late": "keep", "measures": {"late": "1"}}, "measures "
         "names 'late', a name that the result uses itself; give the measure another name"),
    ],
)  # fmt: skip
def test_calls(stream: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(tc.DefinitionError, match=f"^{message}"):
        tc.detect("A", stream, key="user", **options)


@pytest.mark.parametrize(
    ("pattern", "options", "message"),
    [
        ("delay(A, 5min)", {"time": "ts"}, "the stream has no watermark, so nobody knows how late"),
        ("delay(A, 5min)", {"time": "n", "watermark": 5}, "the duration 5min has a unit, but the ti"
         "mes are plain integers; say what they count, as unit='s', or write the duration in "),
        ('at("17:00")', {"time": "n", "watermark": 5}, r'at\("17:00"\) needs the time of day, but '
         "the times are plain integers; say what they count since 1970, as unit='s', or use a"),
        ('at("17:00:00.5")', {"time": "n", "unit": "s", "watermark": "5s"}, ".* falls between two"),
        ("absent(A, 5min)", {"time": "ts", "policy": "asynchronous-total", "basis": "point"},
         r"'absent\(A, 5min\)' has no meaning with policy 'asynchronous-total': events are used as "
         "they arrive, and nobody knows then what time it is; use policy='synchronous'"),
    ],
)  # fmt: skip
def test_timers(stream: Any, pattern: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(tc.DefinitionError, match=f"^{message}"):
        tc.detect(pattern, stream, key="user", **options)


def test_a_watermark_of_another_column(stream: Any) -> None:
    marked = stream.withWatermark("ts", "1 minute")
    with pytest.raises(tc.DefinitionError, match=r"^the stream has its watermark on 'ts', but the"):
        tc.detect("A", marked, time="n")
    with pytest.raises(tc.DefinitionError, match=r"^watermark is '1s', but the stream has one alr"):
        tc.detect("A", marked, time="ts", watermark="1s")


@pytest.mark.parametrize(
    ("time", "unit", "watermark", "delay"),
    [("ts", None, "90s", 90_000), ("ntz", None, "1us", 1), ("day", None, "2h", 7_200_000),
     ("n", None, 7, 7), ("n", "s", 2, 2000), ("n", "us", "1ms", 1), ("n", "h", "1h", 3_600_000)],
)  # fmt: skip
def test_times_of_every_kind(
    stream: Any, time: str, unit: str | None, watermark: Any, delay: int
) -> None:
    found = tc.detect("A ; A", stream, key="user", time=time, unit=unit, watermark=watermark)
    assert f"{COLUMN}#" in (plan := found._jdf.queryExecution().analyzed().toString())
    assert f"-T{delay}ms" in plan
    assert found.isStreaming
    assert found.columns == ["user", "pattern", "start", "end", "detected", "events"]
    marked = "spark.watermarkDelayMs" in found.schema["detected"].metadata
    assert marked == (time == "ts")


def test_more_partitions_than_cores(stream: Any) -> None:
    before = stream.sparkSession.conf.get("spark.sql.shuffle.partitions")
    stream.sparkSession.conf.set("spark.sql.shuffle.partitions", 200)
    try:
        with pytest.warns(TocsinWarning, match=r"over 200 partitions, on 2 cores; .* about 4 befo"):
            tc.detect("A", stream, key="user", time="n", watermark=1)
        tc.detect("A", stream, key="user", time="n", watermark=1, buckets=200)
    finally:
        stream.sparkSession.conf.set("spark.sql.shuffle.partitions", before)


def test_state_needs_rocksdb(stream: Any) -> None:
    other = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
    stream.sparkSession.conf.set(PROVIDER, other)
    with pytest.raises(tc.DefinitionError, match=r"^a stream's state is kept in RocksDB, but the "):
        tc.detect("A", stream, key="user", time="n", watermark=1)
