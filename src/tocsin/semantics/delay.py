"""`delay(A, τ)`: A, extended by τ (SPEC §3); the same in every context (SPEC §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Delay
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence


def occurrences(node: Delay, history: History, operand: list[Occurrence]) -> Iterator[Occurrence]:
    """start(a) to end(a) + τ, if timers run that long."""
    for a in operand:
        end = a.end + history.ticks(node.offset)
        if history.runs_to(end):
            yield Occurrence(a.start, end, max(end, a.detected), a.parts)
