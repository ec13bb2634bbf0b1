"""A law with patterns for its letters: what it says of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from tocsin.errors import DefinitionError
from tocsin.language.durations import Duration
from tocsin.language.nodes import Expression, Primitive
from tocsin.language.parser import parse
from tocsin.language.substitution import substitute
from tocsin.laws.table import Law


def instantiate(
    law: Law,
    operands: Mapping[str, Expression],
    durations: Mapping[str, Duration | int | str] | None = None,
) -> tuple[Expression, Expression]:
    """Both sides of a law, with the patterns `operands` for A, B, C and `durations` for t, u.

    >>> from tocsin.laws.table import LAWS
    >>> a, b = parse("X ; Y"), parse("Z")
    >>> for side in instantiate(LAWS["003", 20], {"A": a, "B": b}, {"t": 5}):
    ...     print(side)
    (X ; Y & Z) within 5
    ((X ; Y) within 5 & Z) within 5
    """
    if law.primitive and not isinstance(operands[law.primitive], Primitive):
        raise DefinitionError(
            f"law {law.number} holds only where {law.condition}",
            hint=f"{operands[law.primitive]} is none",
        )
    spans = _spans(durations or {})
    sides = (_pattern(side.format(**spans)) for side in (law.left, law.right))
    left, right = (substitute(side, operands) for side in sides)
    return left, right


def _spans(durations: Mapping[str, Duration | int | str]) -> dict[str, str]:
    spans = {letter: Duration.of(value) for letter, value in durations.items()}
    if len({span.timed for span in spans.values()}) > 1:
        raise DefinitionError(
            "of a duration in ticks and one in units neither is the shorter",
            hint="write both in ticks or both with units",
        )
    if spans:
        spans["min"] = min(spans.values(), key=lambda span: span.count)
    return {letter: str(span) for letter, span in spans.items()}


@lru_cache(maxsize=1024)
def _pattern(text: str) -> Expression:
    return parse(text)
