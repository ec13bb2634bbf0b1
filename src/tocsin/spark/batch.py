"""Detection in a table: primitives in Catalyst, one shuffle by key, kernels in each partition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from pyspark.sql import types as t

from tocsin.errors import DefinitionError
from tocsin.language.nodes import At, Every, Expression
from tocsin.spark.columns import Columns, axis_of, time_type
from tocsin.spark.counts import counted
from tocsin.spark.measures import with_measures
from tocsin.spark.partition import Task
from tocsin.spark.primitives import Primitives, functions, quoted
from tocsin.tables.arguments import zone as zone_of
from tocsin.tables.ask_local import plans
from tocsin.tables.hits import Reading
from tocsin.tables.packed import bit_order

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True)
class Call:
    """The arguments of `tocsin.detect_all`, checked as far as they need no DataFrame."""

    patterns: Mapping[str, Expression]
    reading: Reading
    keys: tuple[str, ...]
    start: str
    end: str
    """The same as `start` where events have one time."""
    type: str
    carry: tuple[str, ...]
    order_by: tuple[str, ...]
    measures: Mapping[str, str]
    unit: str | None
    until: Any
    timezone: str | None


def detect(call: Call, frame: DataFrame, observation: Any = None) -> DataFrame:
    """The occurrences of some patterns in a DataFrame, as a DataFrame.

    Nothing runs before the result is asked for; what is wrong with the call is said at once. An
    `Observation` counts the rows meanwhile.
    """
    if frame.isStreaming:
        raise DefinitionError(
            "events is a streaming DataFrame, which this version does not take",
            hint="detect in a table, as spark.read gives it",
        )
    columns, f = Columns.of(frame), functions(frame)
    zone = session_zone(call, frame)
    axis = axis_of(columns, call.start, call.end, unit=call.unit, zone=zone)
    until = None if call.until is None else axis.until(call.until)
    schema = _result_schema(call, columns, time_type(axis))
    for name in call.order_by:
        columns.find_key(name, "order_by")
    patterns = tuple(call.patterns.values())
    primitives = Primitives(frame, columns, bit_order(patterns), type=call.type)
    found = plans(patterns, call.reading, tick=axis.tick, durative=call.start != call.end)
    clocks = any(plan.has_clocks for plan in found)
    bounded = clocks or (until is None and any(plan.has_timers for plan in found))

    names = tuple(dict.fromkeys((*call.keys, call.start, call.end, *call.order_by, *call.carry)))
    times = tuple(dict.fromkeys((call.start, call.end)))
    known = _all(f.col(quoted(name)).isNotNull() for name in (*call.keys, *times))
    seen, some = frame, primitives.some()
    if observation is not None:
        seen = counted(frame, observation, keys=call.keys, times=times, some=some)
    rows = seen.filter(known)
    needed = [f.col(quoted(name)).alias(f"column_{n}") for n, name in enumerate(names)]
    needed += [word.alias(f"word_{n}") for n, word in enumerate(primitives.words())]
    # A clock shows every key that has a row, whatever the row is.
    used = (rows if clocks else rows.filter(some)).select(*needed)
    keys = [f.col(f"column_{names.index(name)}") for name in call.keys]
    used = used.repartition(*keys) if keys else used.repartition(1)
    if bounded:
        last = f.col(quoted(call.end))
        bounds = frame.filter(known).agg(f.min(last).alias("first"), f.max(last).alias("last"))
        used = used.crossJoin(f.broadcast(bounds))
    task = Task(
        labels=tuple(call.patterns),
        patterns=patterns,
        reading=call.reading,
        names=names,
        keys=call.keys,
        carry=call.carry,
        order_by=call.order_by,
        start=call.start,
        end=call.end,
        unit=call.unit,
        zone=zone,
        bounded=bounded,
        until=until,
    )

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return task.run(batches)

    result = used.mapInArrow(run, schema)
    return with_measures(result, call.measures, call.patterns, call.reading.semantics)


def session_zone(call: Call, frame: DataFrame) -> ZoneInfo:
    """The zone of clocks in patterns: the given one, or the session's (SPEC §2)."""
    if call.timezone is not None:
        return zone_of(call.timezone)
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
