"""`absent(A, τ)`: no A for τ (SPEC §3); the same in every context (SPEC §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Absent
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, instant


def occurrences(node: Absent, history: History, operand: list[Occurrence]) -> Iterator[Occurrence]:
    """The instant t + τ when no A is detected in (t, t + τ]; once per silence, no parts.

    t is when A was last detected, or when observation began.
    """
    if history.began is None:
        return
    detections = {a.detected for a in operand}
    for t in {history.began} | detections:
        moment = t + history.ticks(node.span)
        silent = not any(t < detected <= moment for detected in detections)
        if silent and history.runs_to(moment):
            yield instant(moment, moment)
