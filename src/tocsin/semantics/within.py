"""`A within τ` (SPEC §3)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Within
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence


def occurrences(node: Within, history: History, operand: list[Occurrence]) -> Iterator[Occurrence]:
    """a with end(a) − start(a) ≤ τ."""
    window = history.ticks(node.window)
    return (a for a in operand if fits(a, window))


def fits(a: Occurrence, window: int | None) -> bool:
    """Whether a lasts no longer than a window; None is no window at all."""
    return window is None or a.end - a.start <= window
