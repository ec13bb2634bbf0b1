"""Figures 2 and 4 of paper 000: the algebra of 2004, in which `A ;τ B` is `(A ; B) within τ`.

The figures run at every tick; this runs only at the instants at which a primitive of the
expression occurs. Between two of them nothing changes but that stored instances grow too old, so
they are dropped at the beginning of an instant instead of at the end of every tick.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import TypeAlias

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

Step: TypeAlias = Callable[["Variables", int], None]


@dataclass
class Variables:
    """The variables of one subexpression E^i = E^j op E^k; `window` is τ' of a sequence."""

    expression: Expression
    operands: tuple[Variables, ...]
    run: Step
    instantaneous: bool
    """ins(E^i) of definition 6.1: every instance starts when it ends."""
    window: float = inf
    a: Occurrence | None = None
    left: Occurrence | None = None
    right: Occurrence | None = None
    t: float = -inf
    q: list[Occurrence] = field(default_factory=list)


class Detector:
    """Detects one expression; `step` is the body of figure 2.

    With `constant="where possible"`, a sequence whose second operand is instantaneous runs as
    figure 4 does, with one stored instance; with `constant="never"`, all run as in figure 2.

    >>> from tocsin.language.nodes import Primitive
    >>> a, b = Primitive("A"), Primitive("B")
    >>> for found in detect(a >> b, History.of([("A", 1), ("A", 2), ("B", 4), ("B", 5)])):
    ...     print(found)
    [2, 4] A@2 B@4
    """

    def __init__(
        self, expression: Expression, history: History, constant: str = "where possible"
    ) -> None:
        if constant not in ("where possible", "never"):
            raise DefinitionError(
                f"constant is {constant!r}", hint="write 'where possible' or 'never'"
            )
        self.variables: list[Variables] = []
        waiting: list[Variables] = []
        for node in expression.postorder():
            if isinstance(node, Within):
                if not isinstance(node.operand, Sequence):
                    raise DefinitionError(
                        "the algebra of 2004 restricts only sequences",
                        hint="write 'within' directly on A ; B",
                    )
                waiting[-1].window = history.ticks(node.window)
                continue
            if type(node) not in OPERATORS:
                raise DefinitionError(
                    f"figure 2 has no operator {type(node).__name__}",
                    hint="it detects patterns made of | & - ; and (A ; B) within τ",
                )
            first = len(waiting) - len(node.children)
            operands = tuple(waiting[first:])
            run = OPERATORS[type(node)]
            if run is _sequence_figure_2 and constant != "never" and operands[1].instantaneous:
                run = _sequence_figure_4
            own = Variables(node, operands, run, _instantaneous(node, operands))
            waiting[first:] = [own]
            self.variables.append(own)

    def step(self, time: int, now: dict[str, Occurrence]) -> Occurrence | None:
        """One instant: from the current instances of the primitives to that of the expression."""
        for i in self.variables:
            if isinstance(i.expression, Primitive):
                i.a = now.get(i.expression.name)
            else:
                i.run(i, time)
        return self.variables[-1].a


def detect(
    expression: Expression, history: History, constant: str = "where possible"
) -> list[Occurrence]:
    """Every occurrence that figures 2 and 4 detect in a history, in the order of detection."""
    detector = Detector(expression, history, constant)
    found = (detector.step(time, now) for time, now in instants(expression, history))
    return [instance for instance in found if instance is not None]


def _instantaneous(node: Expression, operands: tuple[Variables, ...]) -> bool:
    if isinstance(node, Disjunction):
        return all(operand.instantaneous for operand in operands)
    if isinstance(node, Negation):
        return operands[0].instantaneous
    return isinstance(node, Primitive | Nothing)


def _leaf(i: Variables, time: int) -> None:
    i.a = None


def _disjunction(i: Variables, time: int) -> None:
    j, k = i.operands
    i.a = k.a if start(j.a) <= start(k.a) else j.a


def _conjunction(i: Variables, time: int) -> None:
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


def _negation(i: Variables, time: int) -> None:
    j, k = i.operands
    i.t = max(i.t, start(k.a))
    i.a = j.a if i.t < start(j.a) else None


def _sequence_figure_2(i: Variables, time: int) -> None:
    j, k = i.operands
    i.q = [e for e in i.q if e.start >= time - i.window]
    best: Occurrence | None = None
    if k.a is not None:
        for e in i.q:
            if e.end < k.a.start and start(best) < e.start:
                best = e
        i.q = [e for e in i.q if e.end >= k.a.start]
    i.a = join(k.a, best) if k.a is not None and best is not None else None
    if j.a is not None and i.t < j.a.start:
        i.q.append(j.a)
        i.t = j.a.start


def _sequence_figure_4(i: Variables, time: int) -> None:
    j, k = i.operands
    if start(i.left) < time - i.window:
        i.left = None
    if k.a is None or i.left is None:
        i.a = None
    else:
        i.a = join(i.left, k.a)
        i.left = None
    if j.a is not None and i.t < j.a.start:
        i.left = j.a
        i.t = j.a.start


OPERATORS: dict[type[Expression], Step] = {
    Primitive: _leaf,
    Nothing: _leaf,
    Disjunction: _disjunction,
    Conjunction: _conjunction,
    Negation: _negation,
    Sequence: _sequence_figure_2,
}
