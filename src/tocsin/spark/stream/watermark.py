"""The watermark of a stream: the user's own, or one on a column that we make for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import types as t

from tocsin.engine.describing import BOUNDED, describe
from tocsin.errors import DefinitionError
from tocsin.language.durations import Duration
from tocsin.spark.batch import Query
from tocsin.spark.primitives import functions, quoted
from tocsin.tables.times import AWARE, INTEGERS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

DELAY = "spark.watermarkDelayMs"
"""What Spark writes into the metadata of a column that has a watermark."""

COLUMN = "tocsin watermark"


def watermarked(asked: Query, frame: DataFrame, given: Any) -> tuple[DataFrame, str, int | None]:
    """The stream with a watermark, the column that has it, and its delay in milliseconds.

    On arrival nothing waits for a watermark; it only bounds what is kept, and there need be none
    where that is bounded anyway: then there is no delay.
    """
    end = asked.columns.find(asked.call.end, "end")
    marked = [field.name for field in asked.columns.fields if DELAY in (field.metadata or {})]
    if marked and marked != [end.name]:
        raise DefinitionError(
            f"the stream has its watermark on {', '.join(map(repr, marked))}, but the events' time "
            f"is {end.name!r}",
            hint=f"let withWatermark name {end.name!r}, or name {marked[0]!r} as the time",
        )
    if marked and given is not None:
        raise DefinitionError(
            f"watermark is {given!r}, but the stream has one already",
            hint="leave one of both out; Spark takes no second one",
        )
    if marked:
        return frame, end.name, int(end.metadata[DELAY])
    if given is None and _needs_none(asked):
        return frame, end.name, None
    if given is None:
        raise _missing(asked, end)
    delay = _milliseconds(asked, given)
    f = functions(frame)
    column = _as_timestamp(f, f.col(quoted(end.name)), end.dataType, asked)
    frame = frame.withColumn(COLUMN, column).withWatermark(quoted(COLUMN), f"{delay} milliseconds")
    return frame, COLUMN, delay


def _needs_none(asked: Query) -> bool:
    """Whether rows are used on arrival, and all that is kept of them is bounded."""
    lines = [line for plan in asked.plans for line in describe(plan)]
    return asked.call.reading.on_arrival and all(line.bound == BOUNDED for line in lines)


def _missing(asked: Query, end: t.StructField) -> DefinitionError:
    if asked.axis.kind == AWARE:
        hint = f"write df.withWatermark({end.name!r}, '10 minutes'), or watermark='10min'"
    elif asked.axis.tick is None:
        hint = "say by how much, as watermark=10, in ticks"
    else:
        hint = "say by how much, as watermark='10min'"
    if asked.call.reading.on_arrival:
        return DefinitionError(
            "the stream has no watermark, so what is kept of it would grow without end", hint=hint
        )
    return DefinitionError(
        "the stream has no watermark, so nobody knows how late rows can be", hint=hint
    )


def _milliseconds(asked: Query, given: Any) -> int:
    """A delay as Spark counts it; ticks that nobody knows the length of count as such."""
    try:
        duration = Duration.of(given)
    except DefinitionError as error:
        raise DefinitionError(f"watermark is {given!r}: {error.what}", hint=error.hint) from None
    if asked.axis.tick is None:
        return duration.in_ticks(None)
    if not duration.timed and asked.axis.kind != INTEGERS:
        raise DefinitionError(
            f"watermark is {given!r}, but the times are {asked.axis.kind}",
            hint="write a duration, as watermark='10min'",
        )
    microseconds = duration.count if duration.timed else duration.count * asked.axis.tick
    return -(-microseconds // 1000)


def _as_timestamp(f: Any, column: Column, kind: t.DataType, asked: Query) -> Any:
    """Spark has watermarks on timestamps only."""
    if isinstance(kind, t.TimestampType):
        return column
    if isinstance(kind, t.TimestampNTZType):
        epoch = f.lit("1970-01-01").cast("timestamp_ntz")
        return f.timestamp_micros(f.timestamp_diff("MICROSECOND", epoch, column))
    if isinstance(kind, t.DateType):
        return f.timestamp_micros(f.unix_date(column).cast("bigint") * f.lit(86_400_000_000))
    if asked.axis.tick is None:
        return f.timestamp_millis(column.cast("bigint"))
    return f.timestamp_micros(column.cast("bigint") * f.lit(asked.axis.tick))
