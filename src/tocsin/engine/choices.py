"""Which nodes are streams of rows: primitives, and choices between them.

Where no event lasts, `P | T` under restricted is the rows that are P or T, one at an instant: no
two streams need be made and merged. All such streams come from one pass over the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tocsin.engine.kernels.streams import Integers
from tocsin.engine.plan import WORD, Plan
from tocsin.language import nodes

TOGETHER = 62
"""How many streams one pass makes."""


@dataclass(frozen=True)
class Choices:
    """Some nodes whose streams one pass over a word of bits makes."""

    nodes: tuple[int, ...]
    word: int
    members: Integers
    """For each bit, and for none, which of the nodes it belongs to; the last place is nobody's."""
    ranks: Integers
    """For each node and bit: of several at one instant, the highest is kept."""
    once: int
    """The nodes that keep one at an instant."""


def choices_of(plan: Plan) -> tuple[list[Choices], list[int]]:
    """The passes that a plan needs, and the nodes that only serve inside of other choices.

    >>> from tocsin.engine.plan import make_plan
    >>> from tocsin.language.parser import parse
    >>> (choices,), inside = choices_of(make_plan({"p": parse("B ; (P | T)")}))
    >>> choices.nodes, choices.members[:4].tolist(), inside
    ((0, 3), [1, 2, 2, 4], [1, 2])
    """
    chosen: dict[int, list[int]] = {}
    for place, node in enumerate(plan.nodes):
        if isinstance(node.expression, nodes.Primitive):
            chosen[place] = [plan.primitives.index(node.expression.name)]
        elif isinstance(node.expression, nodes.Disjunction) and node.semantics == "restricted":
            left, right = node.operands
            facts = (plan.nodes[left].facts, plan.nodes[right].facts)
            if left in chosen and right in chosen and all(f.prompt and f.unique for f in facts):
                both = chosen[left] + chosen[right]
                if len({primitive // WORD for primitive in both}) == 1:
                    chosen[place] = both
    used = set(plan.results.values())
    used.update(o for i, node in enumerate(plan.nodes) if i not in chosen for o in node.operands)
    passes = []
    for word in sorted({several[0] // WORD for several in chosen.values()}):
        wanted = [i for i in chosen if i in used and chosen[i][0] // WORD == word]
        for at in range(0, len(wanted), TOGETHER):
            passes.append(_together(plan, word, wanted[at : at + TOGETHER], chosen))
    return passes, [i for i in chosen if i not in used]


def _together(plan: Plan, word: int, places: list[int], chosen: dict[int, list[int]]) -> Choices:
    members = np.zeros(65, np.int64)
    ranks = np.zeros((len(places) + 1, 65), np.int64)
    once = 0
    for n, place in enumerate(places):
        for rank, primitive in enumerate(chosen[place]):
            members[primitive - WORD * word] |= 1 << n
            ranks[n, primitive - WORD * word] = rank
        if plan.nodes[place].semantics.startswith("restricted"):
            once |= 1 << n
    members[members == 0] = 1 << len(places)
    return Choices(tuple(places), word, members, ranks, once)
