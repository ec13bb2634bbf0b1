"""Detection in a stream, as it is defined: rows to packets, buckets by label, packets to rows.

    rows ── primitives, watermark, filter ──▶ packets by bucket ──▶ one visit per bucket and
    micro-batch, with its state ──▶ packets of occurrences ──▶ rows

What the workers do is in `packing`, `processor` and `answers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import types as t

from tocsin.errors import DefinitionError
from tocsin.language.settings import check_name
from tocsin.spark.batch import PARTITIONS, Query
from tocsin.spark.labels import labels
from tocsin.spark.measures import with_measures
from tocsin.spark.primitives import functions, quoted
from tocsin.spark.session import ROCKSDB as ROCKSDB
from tocsin.spark.stream import answers
from tocsin.spark.stream.header import header_of
from tocsin.spark.stream.packing import PACKED, Packing
from tocsin.spark.stream.processor import VISITED, Processor
from tocsin.spark.stream.setup import HASH, Setup
from tocsin.spark.stream.unpacking import unpacked
from tocsin.spark.stream.watermark import DELAY, watermarked
from tocsin.spark.workers import settle
from tocsin.tables.call import Call
from tocsin.tables.times import AWARE
from tocsin.tables.warn import warn

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
METRICS = "tocsin"
"""What the counts are called in a query's progress."""


@dataclass(frozen=True)
class Streaming:
    """What a call says that only concerns streams."""

    watermark: Any = None
    buckets: Any = None
    late: Any = "drop"


def detect(call: Call, frame: DataFrame, how: Streaming) -> DataFrame:
    """The occurrences of some patterns in a streaming DataFrame, as a streaming DataFrame."""
    check_name("late", how.late, ("drop", "keep"))
    if how.late == "keep":
        _check_collision(call)
    asked = Query.of(call, frame)
    _check_provider(frame)
    setup = _setup(asked, _buckets(frame, how.buckets, bool(call.keys)), how.late == "keep")
    packing = Packing(setup, tuple(labels(setup.buckets)))

    def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        settle()
        return packing.run(batches)

    packed, delay = _rows(asked, frame, how.watermark)
    mode = "None" if delay is None else "EventTime"
    visited = (
        packed.mapInArrow(pack, PACKED)
        .groupBy("label")
        .transformWithStateInPandas(Processor(setup, asked.axis), VISITED, "Append", mode)
    )
    schema = asked.schema
    if setup.keep_late:
        schema = t.StructType([*schema, t.StructField(answers.LATE, t.BooleanType())])
    found = _counted(asked, visited).mapInArrow(unpacked, schema)
    result = _timed(asked, found, delay)
    if call.reading.on_arrival:
        result = result.withColumn("policy", functions(result).lit(call.reading.policy))
    return with_measures(result, call.measures, call.patterns, call.reading.semantics)


def _rows(asked: Query, frame: DataFrame, watermark: Any) -> tuple[DataFrame, int | None]:
    """The rows that matter, with the columns that are needed, and the watermark's delay, if there
    is a watermark."""
    f = functions(frame)
    frame, column, delay = watermarked(asked, frame, watermark)
    wanted = asked.known(f)
    if not asked.clocks:
        wanted &= asked.primitives.some()
    # Spark would filter before it looks at times, and rows that are no event would not move the
    # watermark. A condition on the time itself has to come after that.
    used = frame.filter(f.when(f.col(quoted(column)).isNotNull(), wanted))
    keys = [f.col(quoted(name)) for name in asked.call.keys]
    place = f.hash(*keys) if keys else f.lit(0)
    return used.select(*asked.needed(f), place.alias(HASH)), delay


def _counted(asked: Query, visited: DataFrame) -> DataFrame:
    """Only the packets; what the visits say of themselves goes into the query's progress."""
    f = functions(visited)
    counts = [f.sum(name).alias(name) for name in ("rows", "late", "waiting")]
    sizes = [
        f.sum(f.get("sizes", f.lit(number))).alias(label)
        for number, label in enumerate(asked.call.patterns)
    ]
    observed = visited.observe(METRICS, *counts, f.struct(*sizes).alias("state_bytes"))
    return observed.filter(f.col("packet").isNotNull()).select("packet")


def _timed(asked: Query, found: DataFrame, delay: int | None) -> DataFrame:
    """The result with `detected` as its event time, so that further operators can go by it."""
    if asked.axis.kind != AWARE or delay is None:
        return found
    f = functions(found)
    columns = [f.col(quoted(name)) for name in found.columns]
    place = found.columns.index("detected")
    columns[place] = columns[place].alias("detected", metadata={DELAY: delay})
    return found.select(*columns)


def _setup(asked: Query, buckets: int, keep_late: bool) -> Setup:
    call = asked.call
    return Setup(
        labels=tuple(call.patterns),
        patterns=tuple(call.patterns.values()),
        reading=call.reading,
        names=asked.names,
        keys=call.keys,
        carry=call.carry,
        order_by=call.order_by,
        start=call.start,
        end=call.end,
        unit=call.unit,
        tick=asked.axis.tick,
        zone=asked.axis.zone,
        until=asked.until,
        keep_late=keep_late,
        header=header_of(asked, buckets),
        buckets=buckets,
    )


def _buckets(frame: DataFrame, given: Any, keyed: bool) -> int:
    """Into how many buckets keys go: one for each of Spark's partitions, if nobody says."""
    if not keyed:
        return 1
    if given is not None:
        if isinstance(given, bool) or not isinstance(given, int) or not 0 < given <= 1 << 15:
            raise DefinitionError(
                f"buckets is {given!r}", hint="write how many there are to be, as 8"
            )
        return given
    partitions = int(str(frame.sparkSession.conf.get(PARTITIONS)))
    cores = _cores(frame)
    if cores is not None and partitions > 4 * cores:
        warn(
            f"Spark would spread a stream over {partitions} partitions, on {cores} cores; each "
            "costs time in every micro-batch, so set spark.sql.shuffle.partitions to about "
            f"{2 * cores} before the first start (a checkpoint keeps the number)"
        )
    return partitions


def _cores(frame: DataFrame) -> int | None:
    try:
        return int(frame.sparkSession.sparkContext.defaultParallelism)
    except Exception:  # Spark Connect does not say
        return None


def _check_collision(call: Call) -> None:
    for use, names in (("key", call.keys), ("measures", call.measures)):
        for name in names:
            if name.lower() == answers.LATE:
                hint = f"rename the column, for instance to '{name}_'"
                raise DefinitionError(
                    f"{use} names {name!r}, a name that the result uses itself",
                    hint="give the measure another name" if use == "measures" else hint,
                )


def _check_provider(frame: DataFrame) -> None:
    provider = str(frame.sparkSession.conf.get(PROVIDER))
    if not provider.endswith("RocksDBStateStoreProvider"):
        raise DefinitionError(
            "a stream's state is kept in RocksDB, but the session is set to "
            f"{provider.rpartition('.')[2]}",
            hint=f"say spark.conf.set({PROVIDER!r}, {ROCKSDB!r}) before",
        )
