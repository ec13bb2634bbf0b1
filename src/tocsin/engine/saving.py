"""A detector's state as bytes: one Arrow IPC message with a version and the plan's identity.

The message is one row: what concerns the whole detector in the schema's metadata, the rows of
state, the cells and the rows they refer to in columns of lists.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tocsin.engine.kernels.streams import Integers
from tocsin.errors import DataError

if TYPE_CHECKING:
    from tocsin.engine.detector import Detector

VERSION = 1

_LISTS = {
    "keys": ("key", "slot"),
    "slots": ("afresh", "finished"),
    "state": ("node", "slot", "tag", "start", "end", "detected", "ref"),
    "cells": ("left", "right"),
    "rows": ("row", "number", "start", "end"),
}


def save(detector: Detector) -> bytes:
    """Everything that a detector needs to continue, and nothing it does not."""
    detector.forget()
    keys = detector.keys
    states = [np.empty((7, 0), np.int64)]
    for node, store in enumerate(detector.stores):
        if store is not None:
            slots = np.arange(min(keys.size, store.count.size))
            rows = store.take(slots)
            states.append(np.vstack((np.full(rows.shape[1], node), slots[rows[0]], rows[1:])))
    tables = {
        "keys": np.stack((keys.known, keys.slot)),
        "slots": np.stack((keys.afresh, keys.finished.astype(np.int64)))[:, : keys.size],
        "state": np.concatenate(states, axis=1),
        "cells": detector.lineage.cells[:, : detector.lineage.filled],
        "rows": detector.rows.kept[:, : detector.rows.used],
    }
    facts = {
        "began": detector.began,
        "upto": detector.upto,
        "next": detector.rows.next,
    }
    table = pa.table({name: _listed(tables[name], _LISTS[name]) for name in _LISTS})
    table = table.replace_schema_metadata(
        {
            "tocsin.state.version": str(VERSION),
            "tocsin.plan": detector.plan.identity,
            "tocsin.detector": json.dumps(facts),
        }
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def load(detector: Detector, saved: bytes) -> None:
    """Let a fresh detector continue where a saved one stopped, or say why it cannot."""
    try:
        table = pa.ipc.open_stream(saved).read_all()
        about = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        version, plan = about["tocsin.state.version"], about["tocsin.plan"]
    except (pa.ArrowInvalid, OSError, KeyError, UnicodeDecodeError) as error:
        raise DataError(
            "these bytes are no saved state", hint="load what Detector.save gave, unchanged"
        ) from error
    if version != str(VERSION):
        raise DataError(
            f"the saved state has version {version}, this Tocsin reads version {VERSION}",
            hint="start afresh, or continue with the Tocsin that saved it",
        )
    if plan != detector.plan.identity:
        raise DataError(
            "the saved state belongs to other patterns or settings "
            f"(plan {plan}, this is {detector.plan.identity})",
            hint="start afresh, or continue with the patterns it was saved from",
        )
    facts = json.loads(about["tocsin.detector"])
    lists = {name: _unlisted(table.column(name)[0], _LISTS[name]) for name in _LISTS}
    _fill(detector, facts, lists)


def _fill(detector: Detector, facts: dict[str, Any], lists: dict[str, Integers]) -> None:
    detector.began, detector.upto = facts["began"], facts["upto"]
    keys = detector.keys
    keys.known, keys.slot = lists["keys"]
    keys.size = lists["slots"].shape[1]
    keys.afresh, keys.finished = lists["slots"][0], lists["slots"][1].astype(np.bool_)
    keys.free = sorted(set(range(keys.size)) - set(keys.slot.tolist()), reverse=True)
    detector.lineage.cells = np.ascontiguousarray(lists["cells"])
    detector.lineage.filled = lists["cells"].shape[1]
    detector.rows.kept, detector.rows.first = np.ascontiguousarray(lists["rows"]), facts["next"]
    detector.rows.used = lists["rows"].shape[1]
    state = lists["state"]
    slots = np.arange(keys.size)
    for node, store in enumerate(detector.stores):
        if store is not None:
            own = state[1:, state[0] == node]
            store.make_room(keys.size)
            store.put(slots, np.ascontiguousarray(own))


def _listed(table: Integers, names: tuple[str, ...]) -> pa.Array:
    struct = pa.StructArray.from_arrays([pa.array(line) for line in table], list(names))
    return pa.ListArray.from_arrays(pa.array([0, table.shape[1]], pa.int32()), struct)


def _unlisted(value: Any, names: tuple[str, ...]) -> Integers:
    struct = value.values
    return np.stack([np.asarray(struct.field(name), np.int64) for name in names])
