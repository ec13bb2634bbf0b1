"""What a detector keeps, key by key, for people who want to look inside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tocsin.engine.detector import Detector
from tocsin.engine.found import Table
from tocsin.engine.kernels.streams import DETECTED, END, KEY, REF, START, TAG, Stream
from tocsin.engine.plan import Node
from tocsin.language import nodes


@dataclass(frozen=True)
class Part:
    """An event of something kept."""

    name: str
    row: int
    """What the caller calls its row."""
    start: int
    end: int


@dataclass(frozen=True)
class Kept:
    """One thing that a node keeps for a key."""

    key: int
    node: int
    what: str
    times: tuple[int, ...]
    """Start, end and detection of an occurrence, or start and end; or one instant; or none."""
    parts: tuple[Part, ...]


def contents(detector: Detector) -> Iterator[Kept]:
    """Everything that is kept, node by node, and for each by key.

    >>> from tocsin.engine.blocks import Batch
    >>> from tocsin.engine.plan import make_plan
    >>> from tocsin.language.parser import parse
    >>> detector = Detector(make_plan({"p": parse("A ; B")}))
    >>> one = np.array([5])
    >>> _ = detector.advance(Batch(one, one, one, np.array([[1]]), one), upto=9)
    >>> [(kept.key, kept.what, kept.times, kept.parts[0].name) for kept in contents(detector)]
    [(5, 'waits', (5, 5, 5), 'A')]
    """
    keys, slots = detector.keys.known, detector.keys.slot.astype(np.int64)
    for number, (node, store) in enumerate(zip(detector.plan.nodes, detector.stores, strict=True)):
        if store is None:
            continue
        store.make_room(detector.keys.size)
        state = store.take(slots)
        table = Table(state.shape[1])
        stream = Stream(state[KEY], state[START], state[END], state[DETECTED], state[REF])
        table.add(
            stream, keys, detector.lineage.cells, detector.rows, detector.plan.shift, share=1.0
        )
        found = table.found
        for place, tag in enumerate(state[TAG].tolist()):
            what, telling = _named(node, tag)
            times = (int(found.start[place]), int(found.end[place]), int(found.detected[place]))
            if detector.plan.on_arrival:  # then detection is a matter of order, not of time
                telling = min(telling, 2)
            yield Kept(
                int(found.key[place]),
                number,
                what,
                times[:telling],
                tuple(
                    Part(
                        detector.plan.primitives[int(found.part_primitive[part])],
                        int(found.part_row[part]),
                        int(found.part_start[part]),
                        int(found.part_end[part]),
                    )
                    for part in range(int(found.offsets[place]), int(found.offsets[place + 1]))
                ),
            )


def _named(node: Node, tag: int) -> tuple[str, int]:
    """What a row of state is, as its kernel tags it, and how many of its times say something."""
    match node.expression:
        case nodes.Negation():
            return "guard", 2
        case nodes.NotBetween() | nodes.Aperiodic() if tag == 1:
            return "guard", 2
        case nodes.Sequence() if tag == 2:
            return "the largest start so far", 1
        case nodes.AperiodicStar() if tag == 1:
            return "lies between", 3
        case nodes.Periodic():
            return (("open", 3), ("next tick", 1), ("closer", 3))[tag]
        case nodes.Plus() | nodes.Delay():
            return "its time has not come", 3
        case nodes.Nth(index=index):
            return f"{tag} of {index}", 3
        case nodes.Absent():
            return "silent since, reported" if tag else "silent since", 1
        case nodes.At() | nodes.Every():
            return "the clock was read up to", 1
        case nodes.Either():
            return "let through", 0
    return "waits", 3
