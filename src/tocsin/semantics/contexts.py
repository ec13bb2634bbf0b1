"""What the contexts have in common: who arrives when, and who is chosen (SPEC §5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tocsin.semantics.occurrence import Occurrence


def arrivals(*operands: Iterable[Occurrence]) -> list[tuple[int, Occurrence]]:
    """The occurrences of all operands in order of detection, each with its operand's place.

    At one moment the operands go by their place, so initiators are to be named before deciders;
    within an operand by the order of SPEC §1.
    """
    everyone = ((place, x) for place, operand in enumerate(operands) for x in operand)
    return sorted(everyone, key=lambda arrival: (arrival[1].detected, arrival[0], arrival[1].order))


def age(x: Occurrence) -> tuple[object, ...]:
    """The oldest has the least: least end, then least start, then first in SPEC §1's order."""
    return x.end, x.start, x.order


def recent(eligible: Sequence[Occurrence]) -> Occurrence:
    """Largest end, then largest start, then last in SPEC §1's order."""
    return max(eligible, key=age)


def oldest(eligible: Sequence[Occurrence]) -> Occurrence:
    """Least end, then least start, then first in SPEC §1's order."""
    return min(eligible, key=age)


def choose(context: str, eligible: Sequence[Occurrence]) -> list[list[Occurrence]]:
    """The groups of eligible occurrences of which each makes one occurrence with the decider."""
    if not eligible:
        return []
    match context:
        case "recent":
            return [[recent(eligible)]]
        case "chronicle":
            return [[oldest(eligible)]]
        case "continuous":
            return [[x] for x in eligible]
        case "cumulative":
            return [list(eligible)]
    raise AssertionError(f"{context!r} is no context")


def without(waiting: Sequence[Occurrence], gone: Iterable[Occurrence]) -> list[Occurrence]:
    """Those still waiting after some are consumed."""
    consumed = set(gone)
    return [x for x in waiting if x not in consumed]


def members(groups: Iterable[Iterable[Occurrence]]) -> list[Occurrence]:
    """All occurrences of all groups."""
    return [x for group in groups for x in group]
