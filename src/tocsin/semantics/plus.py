"""`plus(A, τ)`: the instant τ after A (SPEC §3); the same in every context (SPEC §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Plus
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, instant


def occurrences(node: Plus, history: History, operand: list[Occurrence]) -> Iterator[Occurrence]:
    """The instant end(a) + τ, if timers run that long."""
    for a in operand:
        moment = a.end + history.ticks(node.offset)
        if history.runs_to(moment):
            yield instant(moment, a.detected, a.parts)
