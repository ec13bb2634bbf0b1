"""Which occurrences the restricted semantics keep (SPEC §4, §6)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from tocsin.semantics.occurrence import Occurrence


def restrict(
    candidates: Iterable[Occurrence], same: Callable[[Occurrence], Hashable]
) -> list[Occurrence]:
    """Of those that are `same`, one with the largest start; of equal starts the first given."""
    kept: dict[Hashable, Occurrence] = {}
    for o in candidates:
        best = kept.get(same(o))
        if best is None or o.start > best.start:
            kept[same(o)] = o
    return list(kept.values())


def innermost(candidates: Iterable[Occurrence]) -> list[Occurrence]:
    """`res` of 000: those that contain no other; of equal intervals the first given (SPEC §6)."""
    by_interval: dict[tuple[int, int], Occurrence] = {}
    for o in candidates:
        by_interval.setdefault((o.start, o.end), o)
    return [
        o
        for o in by_interval.values()
        if not any(x is not o and x.is_inside(o.start, o.end) for x in by_interval.values())
    ]
