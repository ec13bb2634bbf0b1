"""The front door: events in, occurrences out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Unpack, overload

from tocsin.analysis.multiplicity import most_of_any, multiplicity
from tocsin.errors import DefinitionError
from tocsin.language.nodes import Expression
from tocsin.tables.answer import answer
from tocsin.tables.arguments import expression, zone
from tocsin.tables.call import Call, DetectArguments, asked
from tocsin.tables.engines import ENGINES
from tocsin.tables.measures import measured
from tocsin.tables.observed import observe
from tocsin.tables.results import Counts, Occurrences, Shape, marked
from tocsin.tables.source import Source, comes_from, read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@overload
def detect(
    pattern: str | Expression, events: DataFrame, **arguments: Unpack[DetectArguments]
) -> DataFrame: ...
@overload
def detect(
    pattern: str | Expression, events: Any, **arguments: Unpack[DetectArguments]
) -> Occurrences: ...
def detect(
    pattern: str | Expression,
    events: Any,
    *,
    key: str | Sequence[str] | None = None,
    time: str = "time",
    start: str | None = None,
    end: str | None = None,
    type: str = "type",
    define: Mapping[str, str] | None = None,
    carry: str | Sequence[str] = (),
    order_by: str | Sequence[str] = (),
    measures: Mapping[str, str] | None = None,
    unit: str | None = None,
    semantics: str = "restricted",
    basis: str = "interval",
    report: str = "overlapping",
    policy: str = "synchronous",
    until: int | datetime | str | None = None,
    timezone: str | None = None,
    engine: str = "local",
    observation: Any = None,
    watermark: str | int | timedelta | None = None,
    late: str = "drop",
    buckets: int | None = None,
) -> Any:
    """Find every occurrence of a pattern in a table of events.

    pattern: text or an expression.
    events: tuples (name, time) or (name, start, end), dicts, a pandas or Arrow table, the path of
        a csv, jsonl or parquet file or of a folder of them, or a Spark DataFrame.
    key: the column, or columns, for each value of which the pattern is looked for on its own.
    time, start, end: the column of an event's time, or those of its start and end.
    type: the column whose value is an event's name, where nothing else defines it.
    define: what rows an event's name stands for, as Spark SQL conditions by name.
    carry: columns that the events of an occurrence bring along.
    order_by: columns that say which of several events at the same time comes first.
    measures: further columns of the result, as Spark SQL by name.
    unit: what integer times count (us, ms, s, min, h, d, w), for durations with units.
    semantics, basis, report: how the pattern is read (SPEC §3-§6).
    policy: `synchronous`, in order of time, or on arrival, in the order of the rows or as a
        stream brings them: `asynchronous-partial` or `asynchronous-total` (SPEC §8); the result
        says so.
    until: how long timers run; by default until the last time in the table.
    timezone: in which `at`, `every` and SQL read the clock; by default UTC, and in Spark the
        session's, which SQL always goes by there.
    engine: who detects: `local`, compiled, or `oracle`, the definitions themselves.
    observation: a `pyspark.sql.Observation` that counts the rows of a Spark DataFrame meanwhile:
        rows, used, null_keys and null_times; elsewhere `Occurrences.counts` has them.
    watermark, late, buckets: of streams only, see docs/streams.md: how late rows may be, whether
        those that are later come out marked (`keep`) or not at all (`drop`), and into how many
        parts state is cut.

    The answer is `Occurrences`; from a Spark DataFrame it is a DataFrame with the key columns,
    pattern, start, end, detected, events and the measures.

    >>> from tocsin import detect
    >>> rows = [
    ...     {"user": "ann", "type": "failed", "time": 1, "ip": "10.0.0.7"},
    ...     {"user": "bob", "type": "ok", "time": 2, "ip": "10.0.0.8"},
    ...     {"user": "ann", "type": "ok", "time": 3, "ip": "10.0.0.9"},
    ... ]
    >>> found = detect("failed ; ok", rows, key="user", carry=["ip"], measures={"to": "ok.ip"})
    >>> found
    1 occurrence
      1..3 failed@1 ok@3 to='10.0.0.9' of 'ann'
    >>> found[0].key, found[0].events[0].ip, found[0].to
    ('ann', '10.0.0.7', '10.0.0.9')
    """
    wanted = expression(pattern, "the pattern")
    return detect_all(
        {str(wanted): wanted},
        events,
        key=key,
        time=time,
        start=start,
        end=end,
        type=type,
        define=define,
        carry=carry,
        order_by=order_by,
        measures=measures,
        unit=unit,
        semantics=semantics,
        basis=basis,
        report=report,
        policy=policy,
        until=until,
        timezone=timezone,
        engine=engine,
        observation=observation,
        watermark=watermark,
        late=late,
        buckets=buckets,
    )


@overload
def detect_all(
    patterns: Mapping[str, str | Expression],
    events: DataFrame,
    **arguments: Unpack[DetectArguments],
) -> DataFrame: ...
@overload
def detect_all(
    patterns: Mapping[str, str | Expression], events: Any, **arguments: Unpack[DetectArguments]
) -> Occurrences: ...
def detect_all(
    patterns: Mapping[str, str | Expression],
    events: Any,
    *,
    key: str | Sequence[str] | None = None,
    time: str = "time",
    start: str | None = None,
    end: str | None = None,
    type: str = "type",
    define: Mapping[str, str] | None = None,
    carry: str | Sequence[str] = (),
    order_by: str | Sequence[str] = (),
    measures: Mapping[str, str] | None = None,
    unit: str | None = None,
    semantics: str = "restricted",
    basis: str = "interval",
    report: str = "overlapping",
    policy: str = "synchronous",
    until: int | datetime | str | None = None,
    timezone: str | None = None,
    engine: str = "local",
    observation: Any = None,
    watermark: str | int | timedelta | None = None,
    late: str = "drop",
    buckets: int | None = None,
) -> Any:
    """Find every occurrence of several patterns, given by name; the rest is as in `detect`.

    >>> from tocsin import detect_all
    >>> events = [("A", 1), ("B", 3), ("C", 4)]
    >>> [(o.pattern, o.end) for o in detect_all({"ab": "A ; B", "bc": "B ; C"}, events)]
    [('ab', 3), ('bc', 4)]
    """
    call = asked(
        patterns,
        key=key,
        time=time,
        start=start,
        end=end,
        type=type,
        define=define,
        carry=carry,
        order_by=order_by,
        measures=measures,
        unit=unit,
        semantics=semantics,
        basis=basis,
        report=report,
        policy=policy,
        until=until,
        timezone=timezone,
        engine=engine,
    )
    if comes_from(events, "pyspark"):
        from tocsin.spark import entry  # Spark takes a while to import

        _check_engine(engine)
        how = entry.Streaming(watermark=watermark, late=late, buckets=buckets)
        return entry.detect(call, events, observation, how)
    _check_unobserved(observation)
    shape = Shape(key if isinstance(key, str) else call.keys or None, call.carry, policy=policy)
    return _detect(call, read(events, type=type, time=time, start=start, end=end), shape)


def _detect(call: Call, source: Source, shape: Shape) -> Occurrences:
    """On this machine, by the engine that was asked for."""
    if source.is_blank:
        return Occurrences.none(shape, call.measures)
    session_zone, patterns = call.timezone or zone("UTC"), list(call.patterns.values())
    observed = observe(
        source,
        [p for pattern in patterns for p in pattern.primitives()],
        keys=call.keys,
        order_by=call.order_by,
        carry=call.carry,
        type=call.type,
        unit=call.unit,
        until=call.until,
        zone=session_zone,
        on_arrival=call.reading.on_arrival,
    )
    hits = ENGINES[call.engine](observed, patterns, call.reading).in_order()
    hits = hits.as_points() if call.reading.on_arrival else hits
    table = answer(observed, hits, list(call.patterns), keys=call.keys, carry=call.carry)
    table = marked(table, shape.policy)
    used = int(observed.used.sum())
    counts = Counts(len(source), used, observed.null_keys, observed.null_times)
    found = Occurrences(table, replace(shape, axis=observed.axis), counts)
    most = most_of_any(multiplicity(p, call.reading.semantics) for p in patterns)
    return measured(found, call.measures, most, zone=session_zone)


def _check_engine(engine: str) -> None:
    if engine == "oracle":
        raise DefinitionError(
            "engine is 'oracle', but events is a Spark DataFrame",
            hint="pass events.toArrow() if it fits into memory, or leave engine out",
        )


def _check_unobserved(observation: Any) -> None:
    if observation is not None:
        raise DefinitionError(
            "observation is given, but events is no Spark DataFrame",
            hint="leave it out; the result's counts say the same",
        )
