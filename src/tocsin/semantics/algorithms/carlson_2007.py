"""Figure 5.2 of paper 003: the restricted meaning of the five operators, with bounded state.

The figure runs at every tick; as its section 5.3 allows, this runs only at the instants at which
a primitive of the expression occurs, for nothing changes at the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from tocsin.errors import DefinitionError
from tocsin.language.nodes import (
    Conjunction,
    Disjunction,
    Expression,
    Negation,
    Nothing,
    Primitive,
    Sequence,
    Within,
)
from tocsin.semantics.algorithms.instants import instants, start
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, join


@dataclass
class Variables:
    """The variables of one subexpression E^i = E^j op E^k (table 5.1).

    `Q` and `S` are kept in ascending order: every new `left` starts and ends later than the one
    before it, so the order of `Q` by start is also its order by end.
    """

    expression: Expression
    operands: tuple[Variables, ...]
    size: int
    """subexp(E^i): how many subexpressions it has, itself included."""
    window: int = 0
    a: Occurrence | None = None
    left: Occurrence | None = None
    right: Occurrence | None = None
    t: float = -inf
    Q: list[Occurrence] = field(default_factory=list)
    S: list[int] = field(default_factory=list)


Keep = Callable[[list[Occurrence], list[int]], list[Occurrence]]
"""From the stored instances and the possible starts of E^k to the instances worth storing."""


def figure_5_4(stored: list[Occurrence], starts: list[int]) -> list[Occurrence]:
    """For each possible start the best match that ended before it: two nested loops."""
    kept: set[Occurrence] = set()
    for t in starts:
        best: Occurrence | None = None
        for e in stored:
            if e.end < t and start(best) < e.start:
                best = e
        if best is not None:
            kept.add(best)
    return sorted(kept, key=lambda e: e.start)


def figure_5_5(stored: list[Occurrence], starts: list[int]) -> list[Occurrence]:
    """The same in one pass from the end, since both are ordered."""
    kept: list[Occurrence] = []
    sp, qp = len(starts), len(stored)
    while sp > 0 and qp > 0:
        t, e = starts[sp - 1], stored[qp - 1]
        if e.end < t:
            if not kept or kept[-1] is not e:
                kept.append(e)
            sp -= 1
        else:
            qp -= 1
    return kept[::-1]


class Detector:
    """Detects one expression; `step` is the body of figure 5.2.

    >>> from tocsin.language.nodes import Primitive
    >>> a, b = Primitive("A"), Primitive("B")
    >>> for found in detect(a >> b, History.of([("A", 1), ("A", 2), ("B", 4), ("B", 5)])):
    ...     print(found)
    [2, 4] A@2 B@4
    [2, 5] A@2 B@5
    """

    def __init__(self, expression: Expression, history: History, keep: Keep = figure_5_5) -> None:
        self.keep = keep
        self.variables: list[Variables] = []
        waiting: list[Variables] = []
        for node in expression.postorder():
            if type(node) not in OPERATORS:
                raise DefinitionError(
                    f"figure 5.2 has no operator {type(node).__name__}",
                    hint="it detects patterns made of | & ; - and within",
                )
            first = len(waiting) - len(node.children)
            operands = tuple(waiting[first:])
            size = 1 + sum(operand.size for operand in operands)
            own = Variables(node, operands, size)
            if isinstance(node, Within):
                own.window = history.ticks(node.window)
            waiting[first:] = [own]
            self.variables.append(own)

    def step(self, now: dict[str, Occurrence]) -> Occurrence | None:
        """One instant: from the current instances of the primitives to that of the expression."""
        for i in self.variables:
            if isinstance(i.expression, Primitive):
                i.a = now.get(i.expression.name)
            else:
                OPERATORS[type(i.expression)](i, self.keep)
        return self.variables[-1].a


def detect(expression: Expression, history: History, keep: Keep = figure_5_5) -> list[Occurrence]:
    """Every occurrence that figure 5.2 detects in a history, in the order of detection."""
    detector = Detector(expression, history, keep)
    found = (detector.step(now) for _, now in instants(expression, history))
    return [instance for instance in found if instance is not None]


def _leaf(i: Variables, keep: Keep) -> None:
    i.a = None


def _disjunction(i: Variables, keep: Keep) -> None:
    j, k = i.operands
    i.a = k.a if start(j.a) <= start(k.a) else j.a
    i.S = _times(j.S, k.S)


def _conjunction(i: Variables, keep: Keep) -> None:
    j, k = i.operands
    if start(i.left) < start(j.a):
        i.left = j.a
    if start(i.right) < start(k.a):
        i.right = k.a
    if i.left is None or i.right is None:
        i.a = None
    elif j.a is not None and start(k.a) <= start(j.a):
        i.a = join(j.a, i.right)
    elif k.a is not None:
        i.a = join(i.left, k.a)
    else:
        i.a = None
    i.S = _times(j.S, k.S, [e.start for e in (i.left, i.right) if e is not None])


def _negation(i: Variables, keep: Keep) -> None:
    j, k = i.operands
    i.t = max(i.t, start(k.a))
    i.a = j.a if i.t < start(j.a) else None
    i.S = j.S


def _sequence(i: Variables, keep: Keep) -> None:
    j, k = i.operands
    stored = _with(i.Q, i.left)
    best: Occurrence | None = None
    for e in stored:
        if e.end < start(k.a) and start(best) < e.start:
            best = e
    i.a = join(k.a, best) if k.a is not None and best is not None else None
    i.Q = keep(stored, k.S)
    if start(i.left) < start(j.a):
        i.left = j.a
    i.S = _times(j.S, [e.start for e in _with(i.Q, i.left)])


def _within(i: Variables, keep: Keep) -> None:
    (j,) = i.operands
    short = j.a is not None and j.a.end - j.a.start <= i.window
    i.a = j.a if short else None
    i.S = j.S


def _with(stored: list[Occurrence], last: Occurrence | None) -> list[Occurrence]:
    """Q ∪ {l}, in order; `last` is the newest of them all, and may be stored already."""
    if last is None or (stored and stored[-1] == last):
        return stored
    return [*stored, last]


def _times(*sets: list[int]) -> list[int]:
    return sorted({t for times in sets for t in times})


OPERATORS: dict[type[Expression], Callable[[Variables, Keep], None]] = {
    Primitive: _leaf,
    Nothing: _leaf,
    Disjunction: _disjunction,
    Conjunction: _conjunction,
    Negation: _negation,
    Sequence: _sequence,
    Within: _within,
}
