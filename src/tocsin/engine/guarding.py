"""Guards that have nobody left to forbid: a key that only ever saw guards keeps none of them.

A guard forbids an occurrence that began, or an opener that ended, no later than the guard. If an
opener's operators hold nothing of a key, whatever they find of it later is made of later rows
alone, and no guard so far concerns it. On arrival later rows may be from before, and all guards
stay.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.streams import NONE
from tocsin.engine.plan import Plan
from tocsin.engine.state import Store
from tocsin.language import nodes

_OPENER = {nodes.Negation: 0, nodes.NotBetween: 1, nodes.Aperiodic: 0, nodes.Periodic: 0}
"""The operators that keep guards, each with the place of the operand that they forbid."""


def guarded(plan: Plan) -> list[tuple[int, list[int]]]:
    """The nodes that keep guards, each with all nodes that its openers are made by.

    >>> from tocsin.engine.plan import make_plan
    >>> from tocsin.language.parser import parse
    >>> guarded(make_plan({"p": parse("(A ; B) - C")}))
    [(4, [0, 1, 2])]
    """
    found: list[tuple[int, list[int]]] = []
    if plan.on_arrival:
        return found
    for number, node in enumerate(plan.nodes):
        kind = type(node.expression)
        if kind not in _OPENER or (kind is nodes.Negation and plan.durative):
            continue  # a lasting event comes when it ends, but could be forbidden since its start
        makers = {node.operands[_OPENER[kind]]}
        for maker in range(number - 1, -1, -1):
            if maker in makers:
                makers.update(plan.nodes[maker].operands)
        found.append((number, sorted(makers)))
    return found


def let_guards_go(
    stores: list[Store | None], guards: list[tuple[int, list[int]]], slots: int
) -> None:
    """Empty the state of guards, for all slots where neither they nor their openers hold more."""
    for number, makers in guards:
        store = stores[number]
        if store is None:
            continue
        store.make_room(slots)
        store.tidy()
        owner = np.repeat(np.arange(store.count.size), store.count)
        idle = np.ones(store.count.size, np.bool_)
        idle[owner[store.refs != NONE]] = False
        for maker in makers:
            others = stores[maker]
            if others is not None:
                others.make_room(slots)
                idle[:slots] &= others.count[:slots] == 0
        store.count[idle] = 0
