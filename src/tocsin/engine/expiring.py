"""What can go where rows are used on arrival, but none comes any more from up to some time: a
watermark's doing.

Whatever is found later has a later row, so its time is after that: later deciders, guards and
initiators alike. That makes much of what waits needless; each rule says why.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tocsin.engine.arriving import GUARDS
from tocsin.engine.kernels.streams import BEFORE, START, TAG, Integers
from tocsin.engine.plan import FOREVER, Node
from tocsin.engine.state import Store
from tocsin.language import nodes

LAST = 2**63 - 1

PREFERRED = {
    "recent": (
        nodes.Sequence,
        nodes.Conjunction,
        nodes.AnyOf,
        nodes.NotBetween,
        nodes.Aperiodic,
        nodes.AperiodicStar,
    ),
    "restricted": (nodes.Sequence, nodes.Conjunction, nodes.NotBetween),
}
"""Where every later decider would rather have the latest of those that are all before it."""

WAITING = (*PREFERRED["recent"], nodes.Negation)
"""The operators whose state is occurrences that wait."""


def expire(node: Node, store: Store, past: int) -> None:
    """Let go of all that rows after some time can have no use for."""
    if not isinstance(node.expression, WAITING):
        return
    store.tidy()
    if store.used:
        store.keep_only(~_expired(node, store, past))


def _expired(node: Node, store: Store, past: int) -> NDArray[np.bool_]:
    """Which rows of a tidy store can go."""
    kind = type(node.expression)
    tag, time = store.column(TAG), store.column(START)
    owner = np.repeat(np.arange(store.count.size), store.count)
    early = time <= past
    if kind is nodes.Negation:  # a guard forbids what is at its own time
        return early
    initiator = (tag == 0) | (kind in (nodes.Conjunction, nodes.AnyOf))
    gone = np.zeros(time.size, np.bool_)
    if kind in GUARDS:
        # Whom a guard is not before, every later decider finds forbidden; and later initiators
        # come after the guard.
        guards = early & ~initiator
        gone = early & (~initiator | (time <= _latest(time, owner, guards)[owner]))
    if node.window < FOREVER:
        gone |= initiator & (time < max(past + 1 - node.window, BEFORE))
    if kind in PREFERRED.get(node.semantics, ()):
        group = owner * (int(tag.max()) + 1) + tag
        outdone = time < _latest(time, group, early & initiator)[group]
        gone |= early & initiator & outdone
    if kind is nodes.AperiodicStar:
        # A body goes with openers before it, and later openers are not.
        first = -_latest(-time, owner, initiator & ~gone)
        gone |= early & ~initiator & (time <= first[owner])
    return gone


def _latest(time: Integers, group: Integers, which: NDArray[np.bool_]) -> Integers:
    """For each group the largest time of some rows; where there is none, one before all."""
    latest = np.full(int(group.max()) + 1, -LAST, np.int64)
    np.maximum.at(latest, group[which], time[which])
    return latest
