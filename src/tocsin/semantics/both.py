"""`both(X, Y)`: X and Y of the same events (SPEC §3); the same in every context (SPEC §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Both
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, join


def occurrences(
    node: Both, history: History, left: list[Occurrence], right: list[Occurrence]
) -> Iterator[Occurrence]:
    """x ⊕ y where every primitive name that is in both has the same rows in both."""
    return (join(x, y) for x in left for y in right if _agree(x, y))


def _agree(x: Occurrence, y: Occurrence) -> bool:
    shared = {part.name for part in x.parts} & {part.name for part in y.parts}
    return {p for p in x.parts if p.name in shared} == {p for p in y.parts if p.name in shared}
