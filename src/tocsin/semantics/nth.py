"""`A#i`: every i-th A (SPEC §3); the same in every context (SPEC §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Nth
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, in_order, join


def occurrences(node: Nth, history: History, operand: list[Occurrence]) -> Iterator[Occurrence]:
    """The occurrence number i, 2i, 3i, …: from the first to the last of each i, parts of all i."""
    ordered = in_order(operand)
    for last in range(node.index, len(ordered) + 1, node.index):
        yield join(*ordered[last - node.index : last])
