"""Running a plan over some rows: kernel after kernel, each with what its operands gave."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import tzinfo

import numpy as np

from tocsin.engine.choices import choices_of
from tocsin.engine.kernels.primitive import take_instants, take_intervals
from tocsin.engine.kernels.settling import settle
from tocsin.engine.kernels.starts import keep_for_starts
from tocsin.engine.kernels.streams import EMPTY, KEY, START, Call, Integers, Stream
from tocsin.engine.plan import WORD, Node, Plan
from tocsin.engine.serving import kernel_for, must_settle, settling
from tocsin.language import nodes


@dataclass
class Events:
    """The rows of a call, sorted by key and then in the order among equals (SPEC §1)."""

    key: Integers
    """The row's key, as its place in the call."""
    start: Integers
    end: Integers
    """The same array as `start` where no event lasts."""
    known: Integers
    """When each row is known: the same array as `end`, but where rows are used on arrival."""
    bits: Integers
    """Words of bits, one word a row of this table: which primitives the row is."""
    first: int = 0
    """The number of the first row; later calls number on."""
    numbers: Integers = field(default_factory=lambda: EMPTY.key)
    """The numbers of the rows, where they are not one after the other."""


@dataclass
class Lineage:
    """The cells that say what occurrences are made of."""

    cells: Integers
    filled: int = 0
    settled: int = 0
    """How many there were before the last run."""


class Runner:
    """Runs the nodes of a plan, one after the other, over the keys of one call."""

    def __init__(self, plan: Plan, zone: tzinfo) -> None:
        self.plan = plan
        self.choices, self.inside = choices_of(plan)
        self.kernels = [
            None if isinstance(node.expression, nodes.Primitive) else kernel_for(plan, node, zone)
            for node in plan.nodes
        ]
        self.settling = [
            settling(plan, node) if must_settle(plan, node) else None for node in plan.nodes
        ]

    def run(
        self, call: Call, events: Events, states: list[Integers], lineage: Lineage
    ) -> tuple[list[Stream], list[Integers]]:
        """The stream and the new state of every node."""
        instants = events.start is events.end and not self.plan.on_arrival
        taken = self._instants(events) if instants else {}
        streams: list[Stream] = []
        after: list[Integers] = []
        possible: dict[int, tuple[Integers, Integers]] = {}
        for i, node in enumerate(self.plan.nodes):
            kernel, how = self.kernels[i], self.settling[i]
            if i in taken or kernel is None:
                streams.append(taken[i] if i in taken else self._intervals(node, events))
                after.append(states[i])
                continue
            operands = [streams[o] for o in node.operands]
            out, used, state, lineage.cells, lineage.filled = kernel(
                call, states[i], lineage.cells, lineage.filled, *operands
            )
            if how is not None:
                out, used = settle(out, used, lineage.cells, *how)
            if node.starts:
                kept = keep_for_starts(state, *possible[node.operands[1]])
                state = np.ascontiguousarray(kept)
            if node.tells is not None:
                possible[i] = _possible_starts(node, state, [possible[o] for o in node.tells])
            key, start, end, detected, ref = out
            streams.append(
                Stream(key[:used], start[:used], end[:used], detected[:used], ref[:used])
            )
            after.append(state)
        return streams, after

    def _instants(self, events: Events) -> dict[int, Stream]:
        """The streams of the nodes that are choices between rows, where no row lasts."""
        taken = dict.fromkeys(self.inside, EMPTY)
        for choices in self.choices:
            (key, time, ref), begins, ends = take_instants(
                events.bits[choices.word], events.key, events.end, events.first, events.numbers,
                self.plan.shift, WORD * choices.word, choices.members, choices.ranks, choices.once,
            )  # fmt: skip
            for node, begin, end in zip(choices.nodes, begins, ends, strict=False):
                times = time[begin:end]
                taken[node] = Stream(key[begin:end], times, times, times, ref[begin:end])
        return taken

    def _intervals(self, node: Node, events: Events) -> Stream:
        """The stream of a primitive whose rows may last."""
        primitive = self.plan.primitives.index(node.expression.name)  # type: ignore[attr-defined]
        word, bit = divmod(primitive, WORD)
        key, start, end, known, ref = take_intervals(
            events.bits[word], bit, events.key, events.start, events.end, events.known,
            events.first, events.numbers, self.plan.shift, primitive,
            node.semantics.startswith("restricted"),
        )  # fmt: skip
        return Stream(key, end if self.plan.basis == "point" else start, end, known, ref)


def _possible_starts(
    node: Node, state: Integers, others: list[tuple[Integers, Integers]]
) -> tuple[Integers, Integers]:
    """When later occurrences of a node can have started: keys and starts, sorted together."""
    if isinstance(node.expression, nodes.Sequence | nodes.Conjunction):
        others = [(state[KEY], state[START]), *others]
    keys, starts = (np.concatenate(column) for column in zip(*others, strict=True))
    order = np.lexsort((starts, keys))
    keys, starts = keys[order], starts[order]
    first = np.ones(keys.size, np.bool_)
    first[1:] = (keys[1:] != keys[:-1]) | (starts[1:] != starts[:-1])
    return keys[first], starts[first]
