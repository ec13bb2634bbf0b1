"""A checkpoint's state, read through Spark's state data source, as plain data.

Reading changes nothing, and may happen while the stream runs: it sees the last micro-batch that
was committed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tocsin.engine.describing import describe
from tocsin.errors import DataError, DefinitionError, did_you_mean
from tocsin.spark.refusals import told
from tocsin.spark.stream.inspecting import Event, Inspector, Item, OfKey, header_in
from tocsin.spark.stream.memory import Name, Plain
from tocsin.spark.stream.processor import STATE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def check_folder(checkpoint: Path) -> None:
    """Refuse at once what is no checkpoint with state."""
    if not checkpoint.is_dir():
        raise DataError(f"{checkpoint} is no folder", hint="name a stream's checkpointLocation")
    if not (checkpoint / "state").is_dir():
        raise _nothing_of_ours(checkpoint)


def look_into(
    session: SparkSession,
    checkpoint: Path,
    wanted: Mapping[str, str],
    *,
    limit: int,
    details: bool,
) -> dict[str, Any]:
    """What a checkpoint keeps: in all, and of the largest keys that have the values wanted."""
    inspector: Inspector | None = None
    found: list[OfKey] = []
    with _damage(checkpoint):
        for memory in memories(session, checkpoint):
            header = header_in(memory)
            if header is None:
                continue
            if inspector is None:
                inspector = Inspector(header)
                _check_keys(wanted, inspector.setup.keys)
            found += inspector.look(memory, wanted, limit=limit, details=details)
            found = sorted(found, key=lambda one: (-one.bytes, -one.rows, repr(one.key)))[:limit]
    if inspector is None:
        raise _nothing_of_ours(checkpoint)
    return _data(checkpoint, inspector, found, details)


def memories(session: SparkSession, checkpoint: Path) -> Iterator[Plain]:
    """What is kept for each bucket, one partition of Spark's after the other."""
    rows = (
        session.read.format("statestore")
        .option("path", str(checkpoint))
        .option("operatorId", _operator(session, checkpoint))
        .option("stateVarName", STATE)
        .load()
        .selectExpr("partition_id", "key.label", "user_map_key.*", "user_map_value.value")
        .toLocalIterator()
    )
    for _, partition in groupby(rows, lambda row: row.partition_id):
        buckets: dict[int, Plain] = {}
        for row in partition:
            name = Name(row.kind, row.pattern, row.number)
            buckets.setdefault(row.label, Plain()).put(name, row.piece, bytes(row.value))
        yield from buckets.values()


def _operator(session: SparkSession, checkpoint: Path) -> int:
    """Which of a query's stateful operators is ours."""
    operators = session.read.format("state-metadata").load(str(checkpoint)).collect()
    for operator in operators:
        if f'"{STATE}"' in (operator.operatorProperties or ""):
            return int(operator.operatorId)
    raise _nothing_of_ours(checkpoint)


def _nothing_of_ours(checkpoint: Path) -> DataError:
    return DataError(
        f"{checkpoint} holds no state of Tocsin's",
        hint="name the checkpointLocation of a stream that has had a micro-batch",
    )


@contextmanager
def _damage(checkpoint: Path) -> Iterator[None]:
    """Say that Spark cannot read its own files."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        causes = re.findall(r"^Caused by: [\w.$]+: (.+)", str(error), re.MULTILINE)
        raise DataError(
            f"Spark cannot read the state: {causes[-1] if causes else told(error)}",
            where=str(checkpoint),
            hint="if the stream cannot either, restore the checkpoint from a copy",
        ) from None


def _check_keys(wanted: Mapping[str, str], keys: tuple[str, ...]) -> None:
    for name in wanted:
        if name not in keys:
            known = ", ".join(map(repr, keys)) or "no key"
            raise DefinitionError(
                f"the stream has no key {name!r}",
                hint=did_you_mean(name, list(keys)) or f"it has {known}",
            )


def _data(
    checkpoint: Path, inspector: Inspector, found: list[OfKey], details: bool
) -> dict[str, Any]:
    setup, total, axis = inspector.setup, inspector.total, inspector.axis

    def moment(ticks: int | None) -> Any:
        return None if ticks is None else axis.value(ticks)

    def event(one: Event) -> dict[str, Any]:
        times = {"start": moment(one.start), "end": moment(one.end)}
        return {"name": one.name, **times, **one.carried}

    def item(one: Item) -> dict[str, Any]:
        names = ("at",) if len(one.times) == 1 else ("start", "end", "detected")
        times = {name: moment(t) for name, t in zip(names, one.times, strict=False)}
        events = {"events": [event(e) for e in one.events]} if one.events else {}
        line = lines[one.pattern][one.node]
        return {"pattern": one.pattern, "node": one.node, "finds": line.text, "what": one.what} | (
            times | events
        )

    def key(one: OfKey) -> dict[str, Any]:
        sizes = {"bytes": one.bytes, "kept": one.items, "waiting": one.rows}
        if not details:
            return {"key": one.key} | sizes
        inside = {"state": [item(i) for i in one.kept], "rows": [event(e) for e in one.waiting]}
        return {"key": one.key} | sizes | inside

    lines = {label: describe(plan) for label, plan in inspector.plans.items()}
    return {
        "checkpoint": str(checkpoint),
        "tocsin": inspector.facts["tocsin"],
        "buckets": setup.buckets,
        "semantics": setup.reading.semantics,
        "policy": setup.reading.policy,
        "decided": moment(total.decided),
        "waiting": total.rows,
        "patterns": [
            {"name": label, "pattern": str(pattern), "bytes": total.bytes[label]}
            for label, pattern in zip(setup.labels, setup.patterns, strict=True)
        ],
        "keys": total.keys,
        "shown": [key(one) for one in found],
    }
