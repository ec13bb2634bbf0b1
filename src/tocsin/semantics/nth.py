"""`A#i`: every i-th A (SPEC §3); the same in every context (SPEC §5)."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.language.nodes import Nth
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, join


def occurrences(node: Nth, history: History, operand: list[Occurrence]) -> Iterator[Occurrence]:
    """The occurrence number i, 2i, 3i, …: from the first to the last of each i, parts of all i."""
    for last in range(node.index, len(operand) + 1, node.index):
        yield join(*operand[last - node.index : last])
