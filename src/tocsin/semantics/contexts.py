"""What the contexts have in common: who arrives when, and who is chosen (SPEC §5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence


def arrivals(*operands: Iterable[Occurrence]) -> list[tuple[int, Occurrence]]:
    """The occurrences of all operands in order of detection, each with its operand's place.

    At one moment the operands go by their place, so initiators are to be named before deciders;
    within an operand by the order of SPEC §1.
    """
    everyone = ((place, x) for place, operand in enumerate(operands) for x in operand)
    return sorted(everyone, key=lambda arrival: (arrival[1].detected, arrival[0], arrival[1].order))


def steps(*operands: Iterable[Occurrence]) -> Iterator[list[tuple[int, Occurrence]]]:
    """The same, those of one moment together."""
    by_moment = groupby(arrivals(*operands), key=lambda arrival: arrival[1].detected)
    return (list(step) for _, step in by_moment)


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


def prune_each_other(context: str, history: History) -> bool:
    """Whether initiators prune each other: of those that wait at the end of a moment only the
    recent stays (SPEC §8, asynchronous total)."""
    return context == "recent" and history.policy == "asynchronous-total"


NOBODY, CHOSEN, CANDIDATES = "nobody", "those chosen", "all candidates"
"""Who leaves when a decider has decided."""


def decide(
    context: str,
    history: History,
    initiators: Iterable[Occurrence],
    deciders: Iterable[Occurrence],
    *,
    candidate: Callable[[Occurrence, Occurrence], bool],
    free: Callable[[Occurrence, Occurrence], bool] = lambda a, x: True,
    make: Callable[[list[Occurrence], Occurrence], Iterable[Occurrence]],
    leaving: Mapping[str, str],
    outdone: Callable[[Occurrence, int], None] = lambda survivor, moment: None,
) -> Iterator[Occurrence]:
    """What deciders make of the initiators that wait for them, as both arrive.

    A candidate that is free, so that no guard forbids it, is eligible. `leaving` says for the
    context who is gone afterwards; whoever is not named stays. Where initiators prune each other,
    `outdone` is told before each moment who is left.
    """
    waiting: list[Occurrence] = []
    for step in steps(initiators, deciders):
        if waiting and prune_each_other(context, history):
            waiting = [recent(waiting)]
            outdone(waiting[0], step[0][1].detected)
        for place, x in step:
            if place == 0:
                waiting.append(x)
                continue
            candidates = [a for a in waiting if candidate(a, x)]
            groups = choose(context, [a for a in candidates if free(a, x)])
            for group in groups:
                yield from make(group, x)
            gone = {CHOSEN: members(groups), CANDIDATES: candidates, NOBODY: []}[leaving[context]]
            waiting = without(waiting, gone)


def without(waiting: Sequence[Occurrence], gone: Iterable[Occurrence]) -> list[Occurrence]:
    """Those still waiting after some are consumed."""
    consumed = set(gone)
    return [x for x in waiting if x not in consumed]


def members(groups: Iterable[Iterable[Occurrence]]) -> list[Occurrence]:
    """All occurrences of all groups."""
    return [x for group in groups for x in group]
