"""When a detector's timers are due: until then, nothing comes into being without a row."""

from __future__ import annotations

from datetime import UTC, time, tzinfo
from typing import TYPE_CHECKING

from tocsin.engine import calendar
from tocsin.engine.kernels.streams import BEFORE, END, START, TAG, Integers
from tocsin.language import nodes
from tocsin.language.durations import MICROSECONDS

if TYPE_CHECKING:
    from tocsin.engine.detector import Detector

NEVER = 2**63 - 1


def next_due(detector: Detector, zone: tzinfo = UTC) -> int:
    """The first instant that has to be looked at though no row comes; to be asked for after
    `forget`.

    >>> import numpy as np
    >>> from tocsin.engine.blocks import Batch
    >>> from tocsin.engine.detector import Detector
    >>> from tocsin.engine.plan import make_plan
    >>> from tocsin.language.parser import parse
    >>> detector = Detector(make_plan({"p": parse("plus(A, 10)")}))
    >>> bits, five = np.ones((1, 1), np.int64), np.array([5])
    >>> _ = detector.advance(Batch(five, five, five, bits, five), upto=7)
    >>> detector.forget()
    >>> next_due(detector)
    15
    """
    due = NEVER
    for node, store in zip(detector.plan.nodes, detector.stores, strict=True):
        if store is not None and store.used:
            state = store.table[: store.used].T
            due = min(due, _due(detector, node.expression, state, zone))
    return due if due <= detector.until else NEVER


def _due(detector: Detector, node: nodes.Expression, state: Integers, zone: tzinfo) -> int:
    """For one node that has state; columns as in a `Store`, without the key."""
    tick, tag = detector.plan.tick, state[TAG - 1]
    match node:
        case nodes.Plus(offset=offset) | nodes.Delay(offset=offset):
            return _earliest(state[END - 1], offset.in_ticks(tick))
        case nodes.Absent(span=span):
            return _earliest(state[START - 1][tag == 0], span.in_ticks(tick))
        case nodes.Periodic():
            ticks = state[START - 1][tag == 1]
            return _earliest(ticks[ticks != BEFORE], 0)  # BEFORE: past the end of time
        case nodes.At() | nodes.Every():
            return _strikes(detector, node, zone)
    return NEVER


def _earliest(moments: Integers, offset: int) -> int:
    return int(moments.min()) + offset if moments.size else NEVER


def _strikes(detector: Detector, node: nodes.At | nodes.Every, zone: tzinfo) -> int:
    """When a clock strikes next."""
    tick, low = detector.plan.tick, (detector.upto or 0) + 1
    high = NEVER
    if isinstance(node, nodes.Every):
        high = low + node.period.in_ticks(tick)
    elif isinstance(node.moment, time):
        high = low + 3 * MICROSECONDS["d"] // (tick or 1)  # a day can have 25 hours
    found = calendar.instants(node, low, min(high, NEVER), tick, zone)
    return int(found[0]) if found.size else NEVER
