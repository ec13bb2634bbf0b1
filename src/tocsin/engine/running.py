"""Which kernel serves which node, and with which settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from tocsin.engine import calendar
from tocsin.engine.choices import choices_of
from tocsin.engine.kernels import meanings
from tocsin.engine.kernels.absent import fall_silent
from tocsin.engine.kernels.any_of import any_of
from tocsin.engine.kernels.both import join_naturally
from tocsin.engine.kernels.conjunction import conjoin, conjoin_first
from tocsin.engine.kernels.disjunction import disjoin
from tocsin.engine.kernels.either import let_through
from tocsin.engine.kernels.meanings import NUMBERS
from tocsin.engine.kernels.negation import negate, negate_timely
from tocsin.engine.kernels.nth import count
from tocsin.engine.kernels.pairing import APERIODIC, NOT_BETWEEN, SEQUENCE, pair
from tocsin.engine.kernels.periodic import tick_all
from tocsin.engine.kernels.primitive import take_instants, take_intervals
from tocsin.engine.kernels.sequence import follow_first
from tocsin.engine.kernels.settling import settle
from tocsin.engine.kernels.shifting import shift
from tocsin.engine.kernels.stars import close_all
from tocsin.engine.kernels.starts import keep_for_starts
from tocsin.engine.kernels.streams import KEY, START, Call, Integers, Stream
from tocsin.engine.kernels.time_events import strike
from tocsin.engine.kernels.within import limit
from tocsin.engine.plan import FOREVER, WORD, Node, Plan
from tocsin.language import nodes

_NOBODY = np.empty(0, np.int64)
EMPTY = Stream(_NOBODY, _NOBODY, _NOBODY, _NOBODY, _NOBODY)


@dataclass
class Events:
    """The rows of a call, sorted by key and then in the order among equals (SPEC §1)."""

    key: Integers
    """The row's key, as its place in the call."""
    start: Integers
    end: Integers
    """The same array as `start` where no event lasts."""
    bits: Integers
    """Words of bits, one word a row of this table: which primitives the row is."""
    first: int = 0
    """The number of the first row; later calls number on."""
    numbers: Integers = field(default_factory=lambda: _NOBODY)
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

    def __init__(self, plan: Plan, zone: ZoneInfo) -> None:
        self.plan, self.zone = plan, zone
        self.choices, self.inside = choices_of(plan)

    def run(
        self, call: Call, events: Events, states: list[Integers], lineage: Lineage
    ) -> tuple[list[Stream], list[Integers]]:
        """The stream and the new state of every node."""
        taken = self._instants(events) if events.start is events.end else {}
        streams: list[Stream] = []
        after: list[Integers] = []
        for i, node in enumerate(self.plan.nodes):
            if i in taken or isinstance(node.expression, nodes.Primitive):
                streams.append(taken[i] if i in taken else self._intervals(node, events))
                after.append(states[i])
                continue
            operands = [streams[o] for o in node.operands]
            out, used, state, lineage.cells, lineage.filled = self._kernel(
                node, call, states[i], lineage, operands
            )
            if self._must_settle(node):
                out, used = settle(
                    out, used, lineage.cells,
                    "restricted" in (node.semantics, node.settled),
                    self.plan.basis == "point", _span(node.longest),
                )  # fmt: skip
            if node.starts:
                state = self._for_starts(node, state, after)
            streams.append(Stream(*(out[row, :used] for row in range(5))))
            after.append(state)
        return streams, after

    def _facts(self, node: Node, operand: int) -> Any:
        return self.plan.nodes[node.operands[operand]].facts

    def _must_settle(self, node: Node) -> bool:
        """Whether a kernel's output can be out of order, or more than is kept."""
        several = "restricted" in (node.semantics, node.settled)
        match node.expression:
            case nodes.At() | nodes.Every() | nodes.Absent() | nodes.Nothing():
                return False
            case nodes.Negation() | nodes.Within():
                return several and not self._facts(node, 0).unique
            case nodes.Disjunction():
                return several and node.semantics != "restricted"
            case nodes.Sequence() | nodes.Conjunction() if self.plan.basis == "interval":
                if node.semantics.startswith("restricted"):
                    return not all(self._facts(node, o).unique for o in (0, 1))
        return True

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
        key, start, end, ref = take_intervals(
            events.bits[word], bit, events.key, events.start, events.end, events.first,
            events.numbers, self.plan.shift, primitive, node.semantics.startswith("restricted"),
        )  # fmt: skip
        return Stream(key, end if self.plan.basis == "point" else start, end, end, ref)

    def _kernel(
        self, node: Node, call: Call, state: Integers, lineage: Lineage, operands: list[Stream]
    ) -> Any:
        meaning, window = NUMBERS[node.semantics], _span(node.window)
        common = (call, state, lineage.cells, lineage.filled)
        tick = self.plan.tick
        match node.expression:
            case nodes.Nothing():
                return np.empty((5, 0), np.int64), 0, *common[1:]
            case nodes.At() | nodes.Every() as clock:
                instants = calendar.instants(clock, *_unread(call, state), tick, self.zone)
                return strike(instants, *common)
            case nodes.Disjunction():
                restricted = node.semantics.startswith("restricted")
                return disjoin(restricted, self.plan.basis == "point", *common, *operands)
            case nodes.Conjunction():
                timely = not (self._facts(node, 0).late or self._facts(node, 1).late)
                unique = self._facts(node, 0).unique and self._facts(node, 1).unique
                if node.semantics.startswith("restricted") and timely and unique:
                    return conjoin_first(window, *common, *operands)
                return conjoin(meaning, window, timely, *common, *operands)
            case nodes.Sequence():
                a, x = operands
                if node.semantics == "restricted" and self._is_plain(node):
                    return follow_first(window, *common, a, x)
                return self._pair(SEQUENCE, node, 1, common, a, x, EMPTY)
            case nodes.NotBetween():
                guards, a, x = operands
                return self._pair(NOT_BETWEEN, node, 2, common, a, x, guards)
            case nodes.Aperiodic():
                a, x, guards = operands
                return self._pair(APERIODIC, node, 1, common, a, x, guards)
            case nodes.Negation():
                facts = self._facts(node, 0)
                if facts.late:
                    return negate(*common, *operands)
                return negate_timely(_span(facts.longest), *common, *operands)
            case nodes.Within(window=duration):
                return limit(duration.in_ticks(tick), *common, *operands)
            case nodes.AnyOf(count=needed):
                timely = not any(self._facts(node, o).late for o in range(len(operands)))
                merged, place = _together(operands)
                return any_of(
                    meaning, window, timely, needed, len(operands), *common, merged, place
                )
            case nodes.AperiodicStar():
                openers, bodies, closers = operands
                timely = not self._facts(node, 0).late
                return close_all(meaning, 0, *common, openers, closers, bodies, timely)
            case nodes.PeriodicStar(period=period):
                openers, closers = operands
                ticks = period.in_ticks(tick)
                return close_all(meaning, ticks, *common, openers, closers, EMPTY, True)
            case nodes.Periodic(period=period):
                timely = not self._facts(node, 0).late
                return tick_all(meaning, period.in_ticks(tick), timely, *common, *operands)
            case nodes.Plus(offset=offset):
                return shift(offset.in_ticks(tick), False, *common, *operands)
            case nodes.Delay(offset=offset):
                return shift(offset.in_ticks(tick), True, *common, *operands)
            case nodes.Nth(index=index):
                return count(index, *common, *operands)
            case nodes.Absent(span=span):
                return fall_silent(span.in_ticks(tick), *common, *operands)
            case nodes.Both():
                return join_naturally((1 << self.plan.shift) - 1, *common, *operands)
            case nodes.Either():
                out, used, *_ = disjoin(False, False, *common, *operands)
                union = Stream(*(out[row, :used] for row in range(5)))
                return let_through(*common, union)
        raise AssertionError(f"no kernel for {type(node.expression).__name__}")

    def _is_plain(self, node: Node) -> bool:
        """Whether a sequence's decider is an instant and no operand is late or several at once."""
        first, second = self._facts(node, 0), self._facts(node, 1)
        return second.prompt and second.unique and first.unique and not first.late

    def _pair(
        self, kind: int, node: Node, decider: int, common: Any, a: Stream, x: Stream, g: Stream
    ) -> Any:
        facts = self._facts(node, decider)
        meaning = NUMBERS[node.semantics]
        return pair(
            kind, meaning, _span(node.window), facts.prompt, not facts.late, *common, a, x, g
        )

    def _for_starts(self, node: Node, state: Integers, after: list[Integers]) -> Integers:
        """Keep for each possible start of the decider the one initiator it would choose."""
        holders = [after[i] for i in node.starts or ()]
        keys = np.concatenate([state[KEY] for state in holders])
        starts = np.concatenate([state[START] for state in holders])
        order = np.lexsort((starts, keys))
        return np.ascontiguousarray(keep_for_starts(state, keys[order], starts[order]))


def _span(ticks: int) -> int:
    """A window as kernels take it."""
    return meanings.FOREVER if ticks >= FOREVER else ticks


def _unread(call: Call, state: Integers) -> tuple[int, int]:
    """From when to when a clock has to be read for some key; the state says up to when it was."""
    if not call.opens.size:
        return 0, -1
    opens = call.opens.copy()
    opens[state[KEY]] = state[START] + 1
    return int(opens.min()), int(call.timers.max())


def _together(operands: list[Stream]) -> tuple[Stream, Integers]:
    """Several streams as one, in order of arrival: by key, detection, operand (SPEC §5)."""
    place = np.repeat(np.arange(len(operands)), [o.key.size for o in operands])
    columns = [np.concatenate(column) for column in zip(*operands, strict=True)]
    order = np.lexsort((place, columns[3], columns[0]))
    return Stream(*(column[order] for column in columns)), place[order]
