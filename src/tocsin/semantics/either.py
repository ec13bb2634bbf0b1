"""`either(X, Y)`: X or Y, once if of the same events (SPEC §3); the same in every context (§5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Either
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, Part, in_order


def occurrences(
    node: Either, history: History, left: list[Occurrence], right: list[Occurrence]
) -> Iterator[Occurrence]:
    """The union, of equal parts the first; what has no parts is of no events, and stays."""
    seen: set[frozenset[Part]] = set()
    for o in in_order([*left, *right]):
        if not o.parts or o.parts not in seen:
            yield o
        seen.add(o.parts)
