"""Asking the oracle: pattern by pattern and key by key, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from tocsin.language.nodes import Expression
from tocsin.semantics import History, Occurrence, Part, report
from tocsin.tables.hits import Hits, Reading
from tocsin.tables.observed import Observed


def ask(observed: Observed, patterns: Sequence[Expression], reading: Reading) -> Hits:
    """The occurrences of all patterns."""
    found: list[tuple[int, int, Occurrence]] = []
    members: dict[int, list[int]] = {}
    for row in observed.sorted.order.tolist():
        members.setdefault(int(observed.groups[row]), []).append(row)
    starts, ends, axis = observed.starts.tolist(), observed.ends.tolist(), observed.axis
    arrival = ends if observed.arrival is None else observed.arrival.tolist()
    for number, pattern in enumerate(patterns):
        rows = {p.name: observed.matches[p].to_pylist() for p in pattern.primitives()}
        for group, own in members.items():
            parts = tuple(
                Part(rank, name, row, starts[row], ends[row], arrival[row])
                for name, matched in rows.items()
                for rank, row in enumerate(own)
                if matched[row]
            )
            history = History(
                parts,
                observed.began,
                observed.until,
                axis.tick,
                axis.zone,
                policy=reading.policy,
            )
            for occurrence in report(
                pattern,
                history,
                semantics=reading.semantics,
                basis=reading.basis,
                report=reading.report,
            ):
                found.append((number, group, occurrence))
    return _columns(found)


def _columns(found: list[tuple[int, int, Occurrence]]) -> Hits:
    parts = [sorted(occurrence.parts, key=_by_time) for _, _, occurrence in found]
    flat = [part for own in parts for part in own]
    return Hits(
        np.array([number for number, _, _ in found], np.int64),
        np.array([group for _, group, _ in found], np.int64),
        np.array([o.start for _, _, o in found], np.int64),
        np.array([o.end for _, _, o in found], np.int64),
        np.array([o.detected for _, _, o in found], np.int64),
        np.cumsum([0, *(len(own) for own in parts)]),
        pa.array([part.name for part in flat], pa.string()),
        np.array([part.row for part in flat], np.int64),
    )


def _by_time(part: Part) -> tuple[int, Part]:
    """The order of parts: by time, also where ranks go by arrival."""
    return part.end, part
