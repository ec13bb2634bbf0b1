"""Detection in a table: primitives in Catalyst, one shuffle by key, kernels in each partition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import reduce
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from pyspark.sql import types as t

from tocsin.engine.checking import check_times
from tocsin.engine.plan import Plan
from tocsin.errors import DefinitionError
from tocsin.language.nodes import At, Every
from tocsin.spark.columns import Columns, axis_of, time_type
from tocsin.spark.counts import counted
from tocsin.spark.labels import labels
from tocsin.spark.measures import with_measures
from tocsin.spark.memory import memory_of
from tocsin.spark.packing import BUCKET, PACKED, Packing
from tocsin.spark.partition import Task
from tocsin.spark.primitives import Primitives, functions, quoted
from tocsin.spark.workers import settle
from tocsin.tables.arguments import zone as zone_of
from tocsin.tables.call import Call
from tocsin.tables.packed import bit_order, words_for
from tocsin.tables.planning import plans
from tocsin.tables.times import Axis

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

PARTITIONS = "spark.sql.shuffle.partitions"
RECORDS = "spark.sql.execution.arrow.maxRecordsPerBatch"


@dataclass(frozen=True)
class Query:
    """A call on a DataFrame, with everything decided that a query of Spark needs."""

    call: Call
    columns: Columns
    axis: Axis
    until: int | None
    primitives: Primitives
    plans: Sequence[Plan]
    schema: t.StructType
    """Of the result, without the measures."""
    memory: int
    """About how many bytes a partition may take."""

    @classmethod
    def of(cls, call: Call, frame: DataFrame) -> Query:
        """What is wrong with the call is said here; nothing runs."""
        columns = Columns.of(frame)
        axis = axis_of(
            columns, call.start, call.end, unit=call.unit, zone=session_zone(call, frame)
        )
        until = None if call.until is None else axis.until(call.until)
        schema = _result_schema(call, columns, time_type(axis))
        for name in call.order_by:
            columns.find_key(name, "order_by")
        patterns = tuple(call.patterns.values())
        primitives = Primitives(frame, columns, bit_order(patterns), type=call.type)
        found = plans(patterns, call.reading, tick=axis.tick, durative=call.start != call.end)
        for plan in found:
            check_times(plan, axis.zone)
        return cls(call, columns, axis, until, primitives, found, schema, memory_of(frame))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that go through the shuffle."""
        call = self.call
        return tuple(dict.fromkeys((*call.keys, call.start, call.end, *call.order_by, *call.carry)))

    @property
    def times(self) -> tuple[str, ...]:
        """The column of times, or those of starts and ends."""
        return tuple(dict.fromkeys((self.call.start, self.call.end)))

    @property
    def clocks(self) -> bool:
        """Whether a clock, or silence, shows every key that has a row, whatever the row is."""
        return any(plan.has_clocks for plan in self.plans)

    @property
    def bounded(self) -> bool:
        """Whether it must be known from when to when the whole table lasts."""
        timers = any(plan.has_timers for plan in self.plans)
        return self.clocks or (self.until is None and timers)

    def known(self, f: Any) -> Column:
        """Whether a row has a key and times."""
        return _all(f.col(quoted(name)).isNotNull() for name in (*self.call.keys, *self.times))

    def needed(self, f: Any) -> list[Column]:
        """The columns `names` as column_0, …, and the words of bits as word_0, …"""
        columns = [f.col(quoted(name)).alias(f"column_{n}") for n, name in enumerate(self.names)]
        words = [word.alias(f"word_{n}") for n, word in enumerate(self.primitives.words())]
        return columns + words

    def used(self, rows: DataFrame, f: Any) -> DataFrame:
        """The rows that matter, with the columns that are needed."""
        if self.clocks:
            return rows.select(*self.needed(f))
        if not self.primitives.many:
            return rows.filter(self.primitives.some()).select(*self.needed(f))
        # Spark would ask all conditions before it makes the columns, and then again. It does not
        # move a filter past a column that might have another value there.
        fixed = f.spark_partition_id() * 0
        words = [f"word_{n}" for n in range(words_for(self.primitives.primitives))]
        found = rows.select(*self.needed(f))
        found = found.withColumns({name: f.col(name).bitwiseOR(fixed) for name in words})
        return found.filter(self.primitives.any_of([f.col(name) for name in words]))

    def packed(self, used: DataFrame, f: Any) -> DataFrame:
        """The rows in packets, those of a key in one partition."""
        keys = [f.col(f"column_{self.names.index(name)}") for name in self.call.keys]
        conf = used.sparkSession.conf
        buckets = int(str(conf.get(PARTITIONS))) if keys else 1
        packing = Packing(
            labels=tuple(labels(buckets)),
            keys=len(keys),
            primitives=len(self.primitives.primitives),
            records=int(str(conf.get(RECORDS))),
        )

        def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            settle()
            return packing.run(batches)

        bucket = f.pmod(f.hash(*keys), f.lit(buckets)) if keys else f.lit(0)
        packets = used.withColumn(BUCKET, bucket).mapInArrow(pack, PACKED)
        return packets.repartition("label") if keys else packets.repartition(1)

    def task(self) -> Task:
        """What runs in each partition."""
        call = self.call
        return Task(
            labels=tuple(call.patterns),
            patterns=tuple(call.patterns.values()),
            reading=call.reading,
            names=self.names,
            keys=call.keys,
            carry=call.carry,
            order_by=call.order_by,
            start=call.start,
            end=call.end,
            axis=self.axis,
            bounded=self.bounded,
            until=self.until,
            memory=self.memory,
        )


def detect(call: Call, frame: DataFrame, observation: Any = None) -> DataFrame:
    """The occurrences of some patterns in a DataFrame, as a DataFrame.

    Nothing runs before the result is asked for; what is wrong with the call is said at once. An
    `Observation` counts the rows meanwhile.
    """
    if call.reading.on_arrival:
        raise DefinitionError(
            f"policy is {call.reading.policy!r}, but the rows of a Spark table stand in no order "
            "in which they could arrive",
            hint="use policy='synchronous', or pass events.toArrow() if it fits into memory",
        )
    query, f = Query.of(call, frame), functions(frame)
    known, seen = query.known(f), frame
    if observation is not None:
        some = query.primitives.some()
        seen = counted(frame, observation, keys=call.keys, times=query.times, some=some)
    used = query.used(seen.filter(known), f)
    packed = query.packed(used, f)
    if query.bounded:
        last = f.col(quoted(call.end))
        bounds = frame.filter(known).agg(f.min(last).alias("first"), f.max(last).alias("last"))
        packed = packed.crossJoin(f.broadcast(bounds))
    task = query.task()

    def run(packets: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        settle()
        return task.run(packets)

    result = packed.mapInArrow(run, query.schema)
    return with_measures(result, call.measures, call.patterns, call.reading.semantics)


def session_zone(call: Call, frame: DataFrame) -> tzinfo:
    """The zone of clocks in patterns: the given one, or the session's (SPEC §2)."""
    if call.timezone is not None:
        return call.timezone
    clocks = (At, Every)
    every = [node for pattern in call.patterns.values() for node in pattern.postorder()]
    name = str(frame.sparkSession.conf.get("spark.sql.session.timeZone"))
    if not any(isinstance(node, clocks) for node in every):
        return ZoneInfo("UTC")  # nobody asks; Spark knows zones that have no name, as +02:00
    return zone_of(name)


def _result_schema(call: Call, columns: Columns, time: t.DataType) -> t.StructType:
    """Key columns, pattern, start, end, detected and events, whatever the pattern is."""
    keys = [t.StructField(name, columns.find_key(name).dataType) for name in call.keys]
    span = [t.StructField("start", time), t.StructField("end", time)]
    carried = [t.StructField(name, columns.find_carried(name).dataType) for name in call.carry]
    event = t.StructType([t.StructField("name", t.StringType()), *span, *carried])
    return t.StructType(
        [
            *keys,
            t.StructField("pattern", t.StringType()),
            *span,
            t.StructField("detected", time),
            t.StructField("events", t.ArrayType(event)),
        ]
    )


def _all(conditions: Iterable[Column]) -> Column:
    return reduce(lambda a, b: a & b, conditions)
