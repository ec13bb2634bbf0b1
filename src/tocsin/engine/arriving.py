"""What a plan keeps where rows are used on arrival, in words.

Later rows may be from any time, so no window lets anything go, and no guard can be spared.
"""

from __future__ import annotations

from tocsin.engine.plan import Node, Plan
from tocsin.language import nodes

INITIATORS: dict[type, tuple[int, ...]] = {
    nodes.Sequence: (0,),
    nodes.Conjunction: (0, 1),
    nodes.NotBetween: (1,),
    nodes.Aperiodic: (0,),
    nodes.AperiodicStar: (0,),
}
"""Which operands wait for a decider; of `any`, all do."""

GUARDS: dict[type, int] = {nodes.Negation: 1, nodes.NotBetween: 0, nodes.Aperiodic: 2}
"""Which operand forbids."""

_CONSUMING = ("chronicle", "continuous", "cumulative")


def prune_each_other(plan: Plan, node: Node) -> bool:
    """Whether, of the initiators of an operand, only the recent is left (SPEC §8)."""
    return plan.policy == "asynchronous-total" and node.semantics == "recent"


def kept_on_arrival(plan: Plan, node: Node) -> tuple[str, bool] | None:
    """What a node keeps, and whether that is bounded; None if that is as it is in order of time.

    >>> from tocsin.engine.plan import make_plan
    >>> from tocsin.language.parser import parse
    >>> settings = {"semantics": "recent", "basis": "point", "policy": "asynchronous-total"}
    >>> plan = make_plan({"p": parse("not(B; A, C)")}, **settings)
    >>> kept_on_arrival(plan, plan.nodes[-1])
    ('the most recent of 1; every one of 0', False)
    """
    kind = type(node.expression)
    everyone = range(len(node.operands)) if kind is nodes.AnyOf else INITIATORS.get(kind, ())
    waiting = " and of ".join(str(node.operands[place]) for place in everyone)
    total = prune_each_other(plan, node)
    kept = []
    if waiting and total:
        kept.append(f"the most recent of {waiting}")
    elif waiting:
        stays = kind is nodes.Aperiodic and node.semantics == "continuous"
        consumed = " not yet consumed" if node.semantics in _CONSUMING and not stays else ""
        kept.append(f"every one of {waiting}{consumed}")
    if kind is nodes.AperiodicStar:
        kept.append(f"every one of {node.operands[1]}" + (" after it" if total else ""))
    if kind in GUARDS:
        kept.append(f"every one of {node.operands[GUARDS[kind]]}")
    if not kept:
        return None
    return "; ".join(kept), total and len(kept) == 1
