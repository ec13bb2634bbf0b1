"""Which kernel serves which node, and with which settings: decided once for a plan."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from functools import partial
from typing import Any

import numpy as np

from tocsin.engine import calendar
from tocsin.engine.arriving import prune_each_other
from tocsin.engine.kernels import meanings
from tocsin.engine.kernels.absent import fall_silent
from tocsin.engine.kernels.any_of import any_of
from tocsin.engine.kernels.aperiodic_star import close_bodies
from tocsin.engine.kernels.both import join_naturally
from tocsin.engine.kernels.conjunction import conjoin, conjoin_first
from tocsin.engine.kernels.disjunction import disjoin
from tocsin.engine.kernels.either import let_through
from tocsin.engine.kernels.meanings import NUMBERS
from tocsin.engine.kernels.negation import negate, negate_timely
from tocsin.engine.kernels.nth import count
from tocsin.engine.kernels.pairing import APERIODIC, NOT_BETWEEN, SEQUENCE, pair
from tocsin.engine.kernels.periodic import tick_all
from tocsin.engine.kernels.periodic_star import close_ticks
from tocsin.engine.kernels.sequence import follow_first
from tocsin.engine.kernels.settling import ARRIVALS, INTERVALS, POINTS
from tocsin.engine.kernels.shifting import shift
from tocsin.engine.kernels.streams import EMPTY, KEY, START, Call, Integers, Stream
from tocsin.engine.kernels.time_events import strike
from tocsin.engine.kernels.within import limit
from tocsin.engine.plan import FOREVER, WORD, Facts, Node, Plan
from tocsin.language import nodes

Kernel = Callable[..., Any]
"""Takes the call, the state, the cells and how many of them are filled, then the operands;
gives the output and how much of it is used, the new state, the cells and their number."""


def kernel_for(plan: Plan, node: Node, zone: tzinfo) -> Kernel:
    """The kernel of a node that is no primitive, its settings filled in."""
    meaning, window, tick = NUMBERS[node.semantics], span(node.window), plan.tick
    facts = [plan.nodes[o].facts for o in node.operands]
    timely = not any(fact.late for fact in facts)
    total = prune_each_other(plan, node)
    match node.expression:
        case nodes.Nothing():
            return _nothing
        case nodes.At() | nodes.Every() as clock:
            return partial(_strike, clock, tick, zone)
        case nodes.Disjunction():
            restricted = node.semantics.startswith("restricted")
            return partial(disjoin, restricted, plan.basis == "point" and not plan.on_arrival)
        case nodes.Conjunction():
            unique = all(fact.unique for fact in facts)
            if node.semantics.startswith("restricted") and timely and unique:
                return partial(conjoin_first, window)
            return partial(conjoin, meaning, window, timely, total)
        case nodes.Sequence() if node.semantics == "restricted" and _is_plain(*facts):
            return partial(follow_first, window)
        case nodes.Sequence():
            return _pairing(SEQUENCE, meaning, window, total, facts, (0, 1))
        case nodes.NotBetween():
            return _pairing(NOT_BETWEEN, meaning, window, total, facts, (1, 2, 0))
        case nodes.Aperiodic():
            return _pairing(APERIODIC, meaning, window, total, facts, (0, 1, 2))
        case nodes.Negation():
            return negate if facts[0].late else partial(negate_timely, span(facts[0].longest))
        case nodes.Within(window=duration):
            return partial(limit, duration.in_ticks(tick))
        case nodes.AnyOf(count=needed):
            return partial(_any_of, (meaning, window, timely, total, needed, len(facts)))
        case nodes.AperiodicStar():
            timely = not facts[0].late
            prompt = timely and facts[1].prompt and facts[2].prompt
            longest = span(node.longest)
            return partial(close_bodies, meaning, timely, prompt, total, plan.on_arrival, longest)
        case nodes.PeriodicStar(period=period):
            return partial(close_ticks, meaning, period.in_ticks(tick), facts[1].prompt)
        case nodes.Periodic(period=period):
            return partial(tick_all, meaning, period.in_ticks(tick), not facts[0].late)
        case nodes.Plus(offset=offset):
            return partial(shift, offset.in_ticks(tick), False)
        case nodes.Delay(offset=offset):
            return partial(shift, offset.in_ticks(tick), True)
        case nodes.Nth(index=index):
            return partial(count, index)
        case nodes.Absent(span=silence):
            return partial(fall_silent, silence.in_ticks(tick))
        case nodes.Both():
            return partial(join_naturally, (1 << plan.shift) - 1, _shared(plan, node))
        case nodes.Either():
            return _either
    raise AssertionError(f"no kernel for {type(node.expression).__name__}")


def must_settle(plan: Plan, node: Node) -> bool:
    """Whether a kernel's output can be out of order, or more than is kept."""
    several = "restricted" in (node.semantics, node.settled)
    facts = [plan.nodes[o].facts for o in node.operands]
    match node.expression:
        case nodes.At() | nodes.Every() | nodes.Absent() | nodes.Nothing():
            return False
        case nodes.Negation() | nodes.Within():
            return several and not facts[0].unique
        case nodes.Disjunction():
            return several and node.semantics != "restricted"
        case nodes.Sequence() | nodes.Conjunction() if plan.basis == "interval":
            if node.semantics.startswith("restricted"):
                return not all(fact.unique for fact in facts)
    return True


def settling(plan: Plan, node: Node) -> tuple[bool, int, int]:
    """What `settle` is to do: restrict, make points, drop what lasts too long."""
    restricted, longest = "restricted" in (node.semantics, node.settled), span(node.longest)
    if plan.basis == "interval":
        return restricted, INTERVALS, longest
    if not plan.on_arrival:
        return restricted, POINTS, longest
    if isinstance(node.expression, nodes.AperiodicStar):  # the kernel has seen to that
        longest = span(FOREVER)
    return restricted, ARRIVALS, longest


def span(ticks: int) -> int:
    """A window as kernels take it."""
    return meanings.FOREVER if ticks >= FOREVER else ticks


def _is_plain(first: Facts, second: Facts) -> bool:
    """Whether a sequence's decider is an instant and no operand is late or several at once."""
    return second.prompt and second.unique and first.unique and not first.late


def _shared(plan: Plan, node: Node) -> int:
    """The primitives that both operands can have, as bits; 0 if there are too many for that."""
    left, right = ({p.name for p in child.primitives()} for child in node.expression.children)
    if len(plan.primitives) > WORD:
        return 0
    return sum(1 << plan.primitives.index(name) for name in left & right)


def _pairing(
    kind: int, meaning: int, window: int, total: bool, facts: list[Facts], order: tuple[int, ...]
) -> Kernel:
    """`order` says which operands are the initiator, the decider and, if any, the guard."""
    initiator, decider = facts[order[0]], facts[order[1]]
    settings = (kind, meaning, window, decider.prompt, not decider.late, initiator.late, total)

    def paired(call: Call, state: Any, cells: Any, filled: int, *operands: Stream) -> Any:
        streams = [operands[o] for o in order]
        guards = streams[2] if len(order) > 2 else EMPTY
        return pair(*settings, call, state, cells, filled, streams[0], streams[1], guards)

    return paired


def _nothing(call: Call, state: Integers, cells: Integers, filled: int) -> Any:
    return np.empty((5, 0), np.int64), 0, state, cells, filled


def _strike(
    clock: Any, tick: int | None, zone: tzinfo,
    call: Call, state: Integers, cells: Integers, filled: int,
) -> Any:  # fmt: skip
    instants = calendar.instants(clock, *_unread(call, state), tick, zone)
    return strike(instants, call, state, cells, filled)


def _unread(call: Call, state: Integers) -> tuple[int, int]:
    """From when to when a clock has to be read for some key; the state says up to when it was."""
    if not call.opens.size:
        return 0, -1
    opens = call.opens.copy()
    opens[state[KEY]] = state[START] + 1
    return int(opens.min()), int(call.timers.max())


def _any_of(
    settings: tuple[Any, ...],
    call: Call, state: Integers, cells: Integers, filled: int, *operands: Stream,
) -> Any:  # fmt: skip
    """The operands go in as one stream, in order of arrival: key, detection, operand (SPEC §5)."""
    place = np.repeat(np.arange(len(operands)), [o.key.size for o in operands])
    columns = [np.concatenate(column) for column in zip(*operands, strict=True)]
    order = np.lexsort((place, columns[3], columns[0]))
    merged = Stream(*(column[order] for column in columns))
    return any_of(*settings, call, state, cells, filled, merged, place[order])


def _either(
    call: Call, state: Integers, cells: Integers, filled: int, left: Stream, right: Stream
) -> Any:
    out, used, *_ = disjoin(False, False, call, state, cells, filled, left, right)
    union = Stream(*out[:, :used])
    return let_through(call, state, cells, filled, union)
