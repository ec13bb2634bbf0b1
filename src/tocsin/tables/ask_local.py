"""Asking the local engine: the observed table as one batch of sorted columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from tocsin.engine.blocks import Batch
from tocsin.engine.detector import Detector
from tocsin.engine.found import Found
from tocsin.engine.plan import Plan
from tocsin.language.nodes import Expression, Primitive
from tocsin.tables.hits import Hits, Reading, together
from tocsin.tables.observed import Observed
from tocsin.tables.packed import pack
from tocsin.tables.planning import plans
from tocsin.tables.progress import tell


def ask(observed: Observed, patterns: Sequence[Expression], reading: Reading) -> Hits:
    """The occurrences of all patterns, found together where that is possible."""
    durative = observed.starts is not observed.ends
    found = plans(patterns, reading, tick=observed.axis.tick, durative=durative)
    return together([_ask(observed, patterns, plan) for plan in found])


def _ask(observed: Observed, patterns: Sequence[Expression], plan: Plan) -> Hits:
    if observed.began is None or observed.until is None:
        return together([_hits(int(name), _NOTHING, plan) for name in plan.results])
    detector = Detector(plan, zone=observed.axis.zone, until=observed.until)
    detector.began = observed.began
    upto = max(observed.until, int(observed.ends.max()))
    if observed.arrival is not None:
        upto = int(observed.arrival.max())
    primitives = {p.name: p for name in plan.results for p in patterns[int(name)].primitives()}
    batch = _batch(observed, plan, [primitives[name] for name in plan.primitives])
    total = batch.key.size
    found = detector.advance(batch, upto, lambda rows: tell("detecting", rows, total))
    return together([_hits(int(name), own, plan) for name, own in found.items()])


def _batch(observed: Observed, plan: Plan, primitives: list[Primitive]) -> Batch:
    """The rows that matter, sorted: without timers only those that are some primitive."""
    rows = observed.sorted
    if not plan.has_timers and not observed.used.all():
        rows = rows.some(observed.used[rows.order])
    bits = pack(observed.matches, primitives, rows.order)
    if observed.arrival is None:
        return Batch(rows.groups, rows.starts, rows.ends, bits, rows.order)
    ends = observed.ends[rows.order]  # for they go by arrival, as if that were their end
    return Batch(rows.groups, rows.starts, ends, bits, rows.order, arrival=rows.ends)


def _hits(number: int, found: Found, plan: Plan) -> Hits:
    names = pa.array(plan.primitives, pa.string())
    return Hits(
        np.full(found.key.size, number, np.int64),
        found.key,
        found.start,
        found.end,
        found.detected,
        found.offsets,
        names.take(pa.array(found.part_primitive)),
        found.part_row,
    )


_NONE = np.empty(0, np.int64)
_NOTHING = Found(_NONE, _NONE, _NONE, _NONE, np.zeros(1, np.int64), _NONE, _NONE, _NONE, _NONE)
