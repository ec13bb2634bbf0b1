"""Occurrences: an interval, the moment it was detected, and the rows that caused it (SPEC §1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True, order=True, slots=True)
class Part:
    """A row as an occurrence of one primitive.

    `rank` is the row's place in the order among equals (SPEC §1): whoever makes the history sorts
    the rows by end, start, tie-break and carried columns. Here only ranks and names are compared.
    """

    rank: int
    name: str
    row: int = field(compare=False)
    start: int = field(compare=False)
    end: int = field(compare=False)
    arrival: int = field(compare=False, default=0)
    """When it arrived; it matters where events are used on arrival (SPEC §8)."""


@dataclass(frozen=True)
class Occurrence:
    """One time that a pattern happened."""

    start: int
    end: int
    detected: int
    parts: frozenset[Part] = frozenset()

    @cached_property
    def order(self) -> tuple[int, int, int, tuple[Part, ...]]:
        """The order among occurrences (SPEC §1, ties): composites compare by their sorted parts."""
        return self.detected, self.end, self.start, tuple(sorted(self.parts))

    def is_inside(self, low: int, high: int) -> bool:
        """`x ⊂ [low, high]` (SPEC §3)."""
        return low <= self.start and self.end <= high

    def __str__(self) -> str:
        late = f"!{self.detected}" if self.detected != self.end else ""
        parts = " ".join(f"{p.name}@{p.end}" for p in sorted(self.parts))
        return f"[{self.start}, {self.end}]{late} {parts}".strip()


def instant(time: int, detected: int, parts: frozenset[Part] = frozenset()) -> Occurrence:
    """A point in time, made by a timer or read off a clock."""
    return Occurrence(time, time, max(time, detected), parts)


def join(*occurrences: Occurrence) -> Occurrence:
    """`a ⊕ b ⊕ …`: least start, largest end, largest detected, union of parts (SPEC §1).

    >>> print(join(Occurrence(3, 5, 5), Occurrence(1, 4, 9)))
    [1, 5]!9
    """
    return Occurrence(
        min(o.start for o in occurrences),
        max(o.end for o in occurrences),
        max(o.detected for o in occurrences),
        frozenset().union(*(o.parts for o in occurrences)),
    )


def in_order(occurrences: Iterable[Occurrence]) -> list[Occurrence]:
    """The occurrences, each once, in the order of SPEC §1."""
    return sorted(set(occurrences), key=lambda o: o.order)
