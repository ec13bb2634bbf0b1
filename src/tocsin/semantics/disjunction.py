"""`A | B` (SPEC §3); the same in every context (SPEC §5)."""

from __future__ import annotations

from tocsin.language.nodes import Disjunction
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence


def occurrences(
    node: Disjunction, history: History, left: list[Occurrence], right: list[Occurrence]
) -> list[Occurrence]:
    """Those of A and those of B."""
    return [*left, *right]


def by_preference(
    node: Disjunction, history: History, left: list[Occurrence], right: list[Occurrence]
) -> list[Occurrence]:
    """Of equal starts B's is kept (figure 5.2; SPEC §4)."""
    return [*right, *left]
