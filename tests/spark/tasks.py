"""What runs in a partition, without Spark around it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
from spark.answers import Answer, Question, sorted_answer

from tocsin.errors import TocsinWarning
from tocsin.spark.packing import BUCKET, Packing
from tocsin.spark.partition import Task
from tocsin.tables.arguments import columns, expression
from tocsin.tables.hits import Reading
from tocsin.tables.observed import observe
from tocsin.tables.packed import bit_order, pack
from tocsin.tables.planning import plans
from tocsin.tables.predicates import defined
from tocsin.tables.source import read


def task_of(question: Question) -> tuple[Task, pa.Table]:
    """What Spark would run for a question, and the rows that it would hand over."""
    said: dict[str, Any] = dict(question.options)
    reading = Reading(*(said[name] for name in ("semantics", "basis", "report")))
    named = {name: expression(p, name) for name, p in question.patterns.items()}
    patterns = tuple(defined(named, said.get("define")).values())
    times = {name: said[name] for name in ("time", "start", "end") if name in said}
    source, keys = read(question.table, **times), columns("key", said["key"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TocsinWarning)  # some events occur nowhere
        seen = observe(
            source,
            bit_order(patterns),
            keys=keys,
            unit=said.get("unit"),
            until=said["until"],
            zone=ZoneInfo(said.get("timezone", "UTC")),
        )
    made = plans(patterns, reading, tick=seen.axis.tick, durative=source.start != source.end)
    clocks = any(plan.has_clocks for plan in made)
    task = Task(
        labels=tuple(question.patterns),
        patterns=patterns,
        reading=reading,
        names=tuple(dict.fromkeys((*keys, source.start, source.end, "id"))),
        keys=keys,
        carry=("id",),
        order_by=(),
        start=source.start,
        end=source.end,
        axis=seen.axis,
        bounded=clocks or (said["until"] is None and any(plan.has_timers for plan in made)),
        until=seen.until if said["until"] is not None else None,
    )
    return task, _rows(task, question.table, seen, all_of_them=clocks)


def _rows(task: Task, table: pa.Table, seen: Any, *, all_of_them: bool) -> pa.Table:
    words = pack(seen.matches, bit_order(task.patterns), np.arange(table.num_rows))
    found = table.select(task.names)
    for number, word in enumerate(words):
        found = found.append_column(f"word_{number}", pa.array(word))
    if task.bounded:
        ends = table.column(task.end).to_numpy()
        for name, value in (("first", ends.min()), ("last", ends.max())):
            found = found.append_column(name, pa.array(np.full(ends.size, value)))
    return found if all_of_them else found.filter(pa.array(words.any(axis=0)))


def packed(task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows as they come out of a shuffle, the times that were watched beside them."""
    packing = Packing((0,), len(task.keys), len(bit_order(task.patterns)), 0)
    for batch in batches:
        bounds = ["first", "last"] if task.bounded else []
        rows = batch.drop_columns(bounds)
        rows = rows.append_column(BUCKET, pa.array(np.zeros(rows.num_rows, np.int32)))
        for packets in packing.run([rows]):
            times = [batch.column(name).take([0] * packets.num_rows) for name in bounds]
            yield pa.record_batch(
                [*packets.columns, *times], names=[*packets.schema.names, *bounds]
            )


def run(task: Task, rows: pa.Table, *, batch: int) -> Answer:
    """What a task finds in rows that come in batches of a size."""
    found = list(task.run(packed(task, rows.to_batches(max_chunksize=batch))))
    return sorted_answer([row for some in found for row in some.to_pylist()])
