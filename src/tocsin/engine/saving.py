"""A detector's state as bytes: one Arrow IPC message with a version and the plan's identity.

The message is one row: what concerns the whole detector in the schema's metadata, the rows of
state, the cells and the rows they refer to in columns of lists.
"""

from __future__ import annotations

import json
import zlib
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tocsin.engine.kernels.streams import Integers
from tocsin.engine.state import Store
from tocsin.errors import DataError

if TYPE_CHECKING:
    from tocsin.engine.detector import Detector

VERSION = 1

_LISTS = {
    "keys": ("key", "afresh", "finished"),
    "state": ("node", "key", "tag", "start", "end", "detected", "ref"),
    "cells": ("left", "right"),
    "rows": ("row", "number", "start", "end"),
}


def save(detector: Detector) -> bytes:
    """Everything that a detector needs to continue, and nothing it does not."""
    detector.forget()
    return write(detector)


def write(detector: Detector) -> bytes:
    """Everything that a detector has, which is best asked for after it has forgotten."""
    keys = detector.keys
    slots = keys.slot.astype(np.int64)
    states = [np.empty((7, 0), np.int64)]
    for node, store in enumerate(detector.stores):
        if store is not None:
            store.make_room(keys.size)
            rows = store.take(slots)
            states.append(np.vstack((np.full(rows.shape[1], node), rows)))
    tables = {
        "keys": np.stack((keys.known, keys.afresh[slots], keys.finished[slots].astype(np.int64))),
        "state": np.concatenate(states, axis=1),
        "cells": detector.lineage.cells[:, : detector.lineage.filled],
        "rows": detector.rows.kept[:, : detector.rows.used],
    }
    facts = json.dumps({"began": detector.began, "upto": detector.upto, "next": detector.rows.next})
    table = pa.table({name: _listed(tables[name], _LISTS[name]) for name in _LISTS})
    table = table.replace_schema_metadata(
        {
            "tocsin.state.version": str(VERSION),
            "tocsin.plan": detector.plan.identity,
            "tocsin.detector": facts,
            "tocsin.sum": str(_sum(facts, tables)),
        }
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def load(detector: Detector, saved: bytes | pa.Buffer) -> None:
    """Let a fresh detector continue where a saved one stopped, or say why it cannot."""
    try:
        table = pa.ipc.open_stream(saved).read_all()
        about = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        version, plan = about["tocsin.state.version"], about["tocsin.plan"]
    except _WRONG as error:
        raise _no_state() from error
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
    try:
        table.validate(full=True)
        lists = {name: _unlisted(table.column(name)[0], _LISTS[name]) for name in _LISTS}
        intact = about["tocsin.sum"] == str(_sum(about["tocsin.detector"], lists))
    except _WRONG as error:
        raise _no_state() from error
    if not intact:
        raise _no_state()
    _fill(detector, json.loads(about["tocsin.detector"]), lists)


def subset(detector: Detector, keys: Integers) -> Detector:
    """A detector of some keys only, given by their sorted numbers."""
    part, own = copy(detector), detector.keys
    slots = own.slot[np.searchsorted(own.known, keys)].astype(np.int64)
    part.keys = replace(
        own,
        known=keys.copy(),
        slot=np.arange(keys.size),
        afresh=own.afresh[slots],
        finished=own.finished[slots],
        free=[],
        size=keys.size,
    )
    part.lineage = replace(detector.lineage, cells=detector.lineage.cells.copy())
    part.rows = replace(detector.rows, kept=detector.rows.kept.copy())
    part.stores = []
    for store in detector.stores:
        chosen = None
        if store is not None:
            chosen = Store()
            store.make_room(own.size)
            chosen.make_room(keys.size)
            chosen.put(part.keys.slot, store.take(slots))
        part.stores.append(chosen)
    part.forget()
    return part


_WRONG = (pa.ArrowException, OSError, LookupError, ValueError, TypeError, AttributeError)
"""What reading bytes as a state can raise when they are none."""


def _no_state() -> DataError:
    return DataError(
        "these bytes are no saved state", hint="load what Detector.save gave, unchanged"
    )


def _sum(facts: str, tables: dict[str, Integers]) -> int:
    """A checksum: machine code follows these numbers without looking where they lead."""
    total = zlib.crc32(facts.encode())
    for name in _LISTS:
        total = zlib.crc32(np.ascontiguousarray(tables[name], np.int64).data, total)
    return total


def _fill(detector: Detector, facts: dict[str, Any], lists: dict[str, Integers]) -> None:
    detector.began, detector.upto = facts["began"], facts["upto"]
    keys = detector.keys
    keys.known, keys.afresh = lists["keys"][0], lists["keys"][1]
    keys.finished = lists["keys"][2].astype(np.bool_)
    keys.size = keys.known.size
    keys.slot = slots = np.arange(keys.size)
    detector.lineage.cells = np.ascontiguousarray(lists["cells"])
    detector.lineage.filled = lists["cells"].shape[1]
    detector.rows.kept, detector.rows.first = np.ascontiguousarray(lists["rows"]), facts["next"]
    detector.rows.used = lists["rows"].shape[1]
    state = lists["state"]
    stops = np.searchsorted(state[0], np.arange(len(detector.stores)), side="right")
    for store, start, stop in zip(detector.stores, [0, *stops], stops, strict=False):
        if store is not None:
            store.make_room(keys.size)
            store.put(slots, np.ascontiguousarray(state[1:, start:stop]))


def _listed(table: Integers, names: tuple[str, ...]) -> pa.Array:
    struct = pa.StructArray.from_arrays([pa.array(line) for line in table], list(names))
    return pa.ListArray.from_arrays(pa.array([0, table.shape[1]], pa.int32()), struct)


def _unlisted(value: Any, names: tuple[str, ...]) -> Integers:
    struct = value.values
    return np.stack([np.asarray(struct.field(name), np.int64) for name in names])
