"""What a plan does and keeps, in words: for `tocsin explain --plan`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tocsin.engine.arriving import kept_on_arrival
from tocsin.engine.plan import FOREVER, Node, Plan
from tocsin.language import nodes
from tocsin.language.durations import Duration

BOUNDED, BY_WINDOW, UNBOUNDED = "bounded", "by the window", "unbounded"


@dataclass(frozen=True)
class Line:
    """One node of a plan, for people."""

    number: int
    operator: str
    operands: tuple[int, ...]
    text: str
    semantics: str
    keeps: str
    bound: str
    """Whether what it keeps per key is bounded: by the pattern, by a window, or not at all."""


def describe(plan: Plan) -> list[Line]:
    """A line for each node, operands first.

    >>> from tocsin.engine.plan import make_plan
    >>> from tocsin.language.parser import parse
    >>> for line in describe(make_plan({"p": parse("(A ; B) within 5 - C")})):
    ...     print(line.number, line.text, "|", line.keeps)
    0 A | nothing
    1 B | nothing
    2 (A ; B) within 5 | the one of 0 that started last
    3 C | nothing
    4 (A ; B) within 5 - C | the start of the last of 3
    """
    return [_line(plan, number, node) for number, node in enumerate(plan.nodes)]


def _line(plan: Plan, number: int, node: Node) -> Line:
    keeps, bound = _kept(plan, node)
    text = str(node.expression)
    if node.window != FOREVER:
        text = f"({text}) within {_span(plan, node.window)}"
    kind = type(node.expression).__name__
    return Line(number, kind, node.operands, text, node.semantics, keeps, bound)


def _kept(plan: Plan, node: Node) -> tuple[str, str]:
    on_arrival = kept_on_arrival(plan, node) if plan.on_arrival else None
    if on_arrival is not None:
        keeps, bounded = on_arrival
        return keeps, BOUNDED if bounded else UNBOUNDED
    return _KEEPS.get(type(node.expression), _nothing)(plan, node)


def _nothing(plan: Plan, node: Node) -> tuple[str, str]:
    return "nothing", BOUNDED


def _span(plan: Plan, ticks: int) -> str:
    """A number of ticks as people write it."""
    return str(Duration(ticks if plan.tick is None else ticks * plan.tick, plan.tick is not None))


def _aged(plan: Plan, node: Node, deciders_late: bool, what: str) -> tuple[str, str]:
    if node.window == FOREVER or deciders_late:
        return what, UNBOUNDED
    return f"{what}, no older than {_span(plan, node.window)}", BY_WINDOW


def _waiting(plan: Plan, node: Node, who: int, decider: int) -> tuple[str, str]:
    """What initiators wait for a decider; `who` and `decider` are places among the operands."""
    a, facts = node.operands[who], plan.nodes[node.operands[decider]].facts
    match node.semantics:
        case "recent" if facts.prompt and node.window == FOREVER:
            return f"the most recent of {a}", BOUNDED
        case "recent":
            return _aged(plan, node, facts.late, f"the most recent of {a} for every start")
        case "continuous" if isinstance(node.expression, nodes.Aperiodic):  # they stay (SPEC §5)
            return _aged(plan, node, facts.late, f"every one of {a}")
        case "chronicle" | "continuous" | "cumulative":
            return _aged(plan, node, facts.late, f"every one of {a} not yet consumed")
    return _aged(plan, node, facts.late, f"every one of {a}")


def _sequence(plan: Plan, node: Node) -> tuple[str, str]:
    a, b = node.operands
    if node.semantics == "restricted":
        if plan.nodes[b].facts.prompt:
            return f"the one of {a} that started last", BOUNDED
        if node.starts:
            return f"one of {a} for each possible start of {b}, and the last", BOUNDED
        what = f"those of {a} that one of {b} could prefer"
        return _aged(plan, node, plan.nodes[b].facts.late, what)
    if node.semantics == "restricted-2004":
        return _aged(plan, node, False, f"those of {a} that contain no other and were not paired")
    return _waiting(plan, node, 0, 1)


def _conjunction(plan: Plan, node: Node) -> tuple[str, str]:
    facts = [plan.nodes[o].facts for o in node.operands]
    left, right = node.operands
    late = any(f.late for f in facts)
    if node.semantics.startswith("restricted") and not late and all(f.unique for f in facts):
        return f"the one of {left} and the one of {right} that started last", BOUNDED
    if node.semantics == "recent" and not late and node.window == FOREVER:
        return f"the most recent of {left} and of {right}", BOUNDED
    consumed = " not yet consumed" if node.semantics in _CONSUMING else ""
    return _aged(plan, node, late, f"every one of {left} and {right}{consumed}")


_CONSUMING = ("chronicle", "continuous", "cumulative")


def _any_of(plan: Plan, node: Node) -> tuple[str, str]:
    late = any(plan.nodes[o].facts.late for o in node.operands)
    if node.semantics == "recent" and not late and node.window == FOREVER:
        return "the most recent of each operand", BOUNDED
    consumed = " not yet consumed" if node.semantics in _CONSUMING else ""
    return _aged(plan, node, late, f"every one of all operands{consumed}")


def _negation(plan: Plan, node: Node) -> tuple[str, str]:
    b = node.operands[1]
    if plan.nodes[node.operands[0]].facts.late:
        return f"every one of {b} that another does not make needless", UNBOUNDED
    return f"the start of the last of {b}", BOUNDED


def _guards(plan: Plan, node: Node, guard: int, decider: int) -> str:
    """What is kept of guards; a decider that lasts can look back past the last one."""
    prompt = plan.nodes[node.operands[decider]].facts.prompt
    which = node.operands[guard]
    return f"the last of {which}" if prompt else f"those of {which} that can still forbid"


def _not_between(plan: Plan, node: Node) -> tuple[str, str]:
    keeps, bound = _waiting(plan, node, 1, 2)
    return f"{keeps}; {_guards(plan, node, 0, 2)}", bound


def _aperiodic(plan: Plan, node: Node) -> tuple[str, str]:
    keeps, bound = _waiting(plan, node, 0, 1)
    opener, decider = (plan.nodes[o].facts for o in node.operands[:2])
    if decider.prompt and not opener.late:
        return f"{keeps}, until one of {node.operands[2]}", bound
    return f"{keeps}; {_guards(plan, node, 2, 1)}", bound


def _star(plan: Plan, node: Node) -> tuple[str, str]:
    opener, *others = node.operands
    keeps = f"every one of {opener}"
    timely = not plan.nodes[opener].facts.late
    at_once = all(plan.nodes[o].facts.prompt for o in others)
    cumulated = isinstance(node.expression, nodes.AperiodicStar)
    if node.semantics not in ("restricted", "unrestricted"):
        keeps += " not yet closed"
    elif node.semantics == "restricted" and at_once and (timely or not cumulated):
        keeps += " that a later one does not outdo"
    if cumulated:
        keeps += f"; every one of {others[0]}" + (" after the first of them" if timely else "")
    return keeps, UNBOUNDED


def _periodic(plan: Plan, node: Node) -> tuple[str, str]:
    return f"every one of {node.operands[0]} that is open, and its next tick", UNBOUNDED


def _shifted(plan: Plan, node: Node) -> tuple[str, str]:
    return f"those of {node.operands[0]} whose time has not come", BY_WINDOW


def _nth(plan: Plan, node: Node) -> tuple[str, str]:
    return f"those of {node.operands[0]} since the last {node.expression.index}", BOUNDED  # type: ignore[attr-defined]


def _absent(plan: Plan, node: Node) -> tuple[str, str]:
    return f"when {node.operands[0]} was last seen", BOUNDED


def _both(plan: Plan, node: Node) -> tuple[str, str]:
    return f"every one of {node.operands[0]} and {node.operands[1]}", UNBOUNDED


def _either(plan: Plan, node: Node) -> tuple[str, str]:
    return "the parts of everything let through", UNBOUNDED


def _clock(plan: Plan, node: Node) -> tuple[str, str]:
    return "up to when the clock was read", BOUNDED


_KEEPS: dict[type, Callable[[Plan, Node], tuple[str, str]]] = {
    nodes.Sequence: _sequence,
    nodes.Conjunction: _conjunction,
    nodes.AnyOf: _any_of,
    nodes.Negation: _negation,
    nodes.NotBetween: _not_between,
    nodes.Aperiodic: _aperiodic,
    nodes.AperiodicStar: _star,
    nodes.PeriodicStar: _star,
    nodes.Periodic: _periodic,
    nodes.Plus: _shifted,
    nodes.Delay: _shifted,
    nodes.Nth: _nth,
    nodes.Absent: _absent,
    nodes.Both: _both,
    nodes.Either: _either,
    nodes.At: _clock,
    nodes.Every: _clock,
}
"""What the kernel of each operator keeps per key, and whether that is bounded."""
