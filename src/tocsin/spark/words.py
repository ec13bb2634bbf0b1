"""What a detection does in Spark, in words, said of the very query that would run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tocsin.errors import DefinitionError
from tocsin.spark.batch import PARTITIONS, Query
from tocsin.tables.sql.parse import names, parse

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ADAPTIVE = ("spark.sql.adaptive.enabled", "spark.sql.adaptive.coalescePartitions.enabled")


def in_spark(query: Query, frame: DataFrame) -> Iterator[tuple[str, str]]:
    """What Spark does, step by step: a verb, and the rest of the sentence."""
    call, known = query.call, query.columns.names
    read = _read(query)
    yield "reads", f"{len(read)} of {len(known)} columns: {', '.join(read)}"
    nulls = f"rows whose {' or '.join((*call.keys, *query.times))} is null"
    if query.clocks:
        yield "drops", f"{nulls}, and no others: silence and clocks concern whatever has rows"
    else:
        yield "drops", f"{nulls}, and rows that are no event of the pattern"
    events = ", ".join(p.name for p in query.primitives.primitives)
    if events:
        yield "notes", f"which of the events {events} a row is, in bits, by the conditions above"
    moved = f"{', '.join(query.names)} and the bits"
    yield "moves", f"{moved}, thousands of rows in a packet, {_shuffle(query, frame)}"
    if query.bounded:
        yield (
            "looks up",
            f"the first and the last time of the whole table, in an extra pass over {call.end}, "
            "since timers and silence go by them",
        )
    yield (
        "detects",
        "in each partition, all its keys at once, by compiled kernels over Arrow batches in "
        "Python workers; the plan below says what they keep, and what takes more than about "
        f"{query.memory / 2**20:,.0f} MB goes by way of the disk",
    )
    for name, text in call.measures.items():
        yield "computes", f"{name} = {text}"


def _read(query: Query) -> list[str]:
    """The columns that are needed for anything, as the table has them."""
    call, columns = query.call, query.columns
    used = {columns.find(name, "the column").name for name in query.names}
    for primitive in query.primitives.primitives:
        if primitive.predicate is None:
            used.add(columns.find(call.type, "type").name)
        else:
            named = _named(primitive.predicate, columns.names)
            used |= {name for name in columns.names if name.lower() in named}
    return [name for name in columns.names if name in used]


def _named(predicate: str, known: list[str]) -> set[str]:
    """The columns of a condition in lower case; all, if only Spark can read it."""
    try:
        return names(parse(predicate, "the condition"))
    except DefinitionError:
        return {name.lower() for name in known}


def _shuffle(query: Query, frame: DataFrame) -> str:
    keys, conf = query.call.keys, frame.sparkSession.conf
    if not keys:
        return "to one partition, since without a key everything belongs together"
    joined = all(str(conf.get(name)).lower() == "true" for name in ADAPTIVE)
    number = f"{conf.get(PARTITIONS)} partitions ({PARTITIONS})"
    return f"in one shuffle by {', '.join(keys)} to {'at most ' if joined else ''}{number}"
