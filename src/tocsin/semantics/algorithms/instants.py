"""What the algorithms are fed with: instant by instant, the current instance of each primitive."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from tocsin.errors import DataError
from tocsin.language.nodes import Expression
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence


def instants(
    expression: Expression, history: History
) -> Iterator[tuple[int, dict[str, Occurrence]]]:
    """The instants at which a primitive of the expression occurs, in order, with its instances.

    Of several rows of one primitive at one instant the first in the order of SPEC §1 is taken;
    the papers' primitives occur once at a time.

    >>> from tocsin.language.nodes import Primitive
    >>> history = History.of([("A", 1), ("B", 1), ("A", 4)])
    >>> [(t, sorted(now)) for t, now in instants(Primitive("A") & Primitive("B"), history)]
    [(1, ['A', 'B']), (4, ['A'])]
    """
    steps: dict[int, dict[str, Occurrence]] = {}
    for primitive in expression.primitives():
        for instance in history.of_primitive(primitive.name):
            if instance.start != instance.end:
                raise DataError(
                    f"{primitive.name!r} lasts from {instance.start} to {instance.end}, but the "
                    "papers' algorithms are for events without duration",
                    hint="use the oracle's definitions",
                )
            steps.setdefault(instance.end, {}).setdefault(primitive.name, instance)
    yield from sorted(steps.items(), key=lambda step: step[0])


def start(instance: Occurrence | None) -> float:
    """start(e), where ε starts before every time."""
    return -inf if instance is None else instance.start
