"""`A - B` (SPEC §3); the same in every context (SPEC §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Negation
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence


def occurrences(
    node: Negation, history: History, operand: list[Occurrence], absent: list[Occurrence]
) -> Iterator[Occurrence]:
    """a with no b ⊂ [start(a), end(a)] that is detected by then (SPEC §1, causality)."""
    return (
        a
        for a in operand
        if not any(b.is_inside(a.start, a.end) and b.detected <= a.detected for b in absent)
    )
