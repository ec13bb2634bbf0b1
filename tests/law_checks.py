"""What a law claims, as a check on one instance of it; shared by true laws and broken ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from histories import histories
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from patterns_2004 import patterns_of_2004
from strategies import FIVE, expressions

from tocsin.language import nodes
from tocsin.language.nodes import Expression, Primitive
from tocsin.laws.instantiate import instantiate
from tocsin.laws.table import Law
from tocsin.semantics import meaning
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence

ON_TIME: tuple[type[Expression], ...] = (
    *FIVE,
    nodes.NotBetween,
    nodes.AnyOf,
    nodes.Aperiodic,
    nodes.Periodic,
    nodes.Plus,
    nodes.Delay,
    nodes.Nth,
    nodes.Absent,
    nodes.Both,
    nodes.Either,
)
"""The operators with detected = end; the laws hold for them as operands (SPEC §4)."""


@dataclass(frozen=True)
class Instance:
    """A law with patterns for its letters, and a history to try it on."""

    left: Expression
    right: Expression
    history: History

    def __repr__(self) -> str:
        rows = sorted(self.history.parts, key=lambda part: part.row)
        events = [(p.name, p.start, p.end) for p in rows]
        return f"{self.left}  and  {self.right}  on History.of({events})"


@st.composite
def instances(draw: DrawFn, law: Law, operators: Collection[type[Expression]] = FIVE) -> Instance:
    """Instances of a law; durative events too, but for laws about instantaneous primitives."""
    sides = law.left + law.right
    operands = {letter: draw(_operands(law, operators)) for letter in "ABC" if letter in sides}
    if law.primitive:
        operands[law.primitive] = draw(st.sampled_from("ABC").map(Primitive))
    spans = {letter: draw(st.integers(0, 9)) for letter in "tu" if f"{{{letter}}}" in sides}
    left, right = instantiate(law, operands, spans)
    for _ in range(4):
        # Events that last leave little room for sequences, so most of the time there are none.
        lasting = not law.primitive and law.paper == "003" and draw(st.integers(0, 2)) == 2
        history = draw(histories(names="ABC", min_events=6, max_events=9, durative=lasting))
        # That two empty sets are equal says little: try for a history in which there is something.
        if any(meaning(side, history, semantics="unrestricted") for side in (left, right)):
            break
    return Instance(left, right, history)


def _operands(law: Law, operators: Collection[type[Expression]]) -> SearchStrategy[Expression]:
    """Mostly small patterns: of three large ones in a row there is seldom an occurrence."""
    return st.sampled_from([0, 1, 1, 2]).flatmap(
        lambda depth: (
            patterns_of_2004(depth)
            if law.paper == "000"
            else expressions(operators=operators, names="ABC", max_depth=depth)
        )
    )


def intervals(occurrences: Iterable[Occurrence]) -> set[tuple[int, int]]:
    return {(o.start, o.end) for o in occurrences}


def is_restriction(kept: Collection[Occurrence], whole: Collection[Occurrence]) -> bool:
    """res(whole, kept): definition 4.9 of 003, condition by condition."""
    ends = [k.end for k in kept]
    return (
        set(kept) <= set(whole)
        and all(any(w.start <= k.start and w.end == k.end for k in kept) for w in whole)
        and len(ends) == len(set(ends))
    )


def restrictions(whole: Collection[Occurrence]) -> SearchStrategy[list[Occurrence]]:
    """Any S' with res(whole, S'), not only the one we keep."""
    by_end: dict[int, list[Occurrence]] = {}
    for o in sorted(whole, key=lambda o: o.order):
        by_end.setdefault(o.end, []).append(o)
    latest = (max(o.start for o in those) for those in by_end.values())
    choices = [
        st.sampled_from([o for o in those if o.start == start])
        for those, start in zip(by_end.values(), latest, strict=True)
    ]
    return st.tuples(*choices).map(list)


def equal_sets(instance: Instance) -> bool:
    """≡ of 003 (definition 4.10): both sides have the same occurrences, parts and all."""
    left, right = _both(instance, "unrestricted")
    return set(left) == set(right)


def equal_under_restriction(instance: Instance) -> bool:
    """Propositions 4.4 and 4.5 of 003 for what we keep: valid for both sides, equal intervals."""
    left, right = _both(instance, "unrestricted")
    kept_left, kept_right = _both(instance, "restricted")
    return (
        is_restriction(kept_left, right)
        and is_restriction(kept_right, left)
        and intervals(kept_left) == intervals(kept_right)
    )


def equal_intervals(instance: Instance) -> bool:
    """The same intervals under `restricted`, whatever the operands are made of."""
    left, right = _both(instance, "restricted")
    return intervals(left) == intervals(right)


def congruent(instance: Instance) -> bool:
    """≅ of 000 (definition 4.1)."""
    left, right = _both(instance, "restricted-2004")
    return intervals(left) == intervals(right)


def _both(instance: Instance, semantics: str) -> tuple[list[Occurrence], list[Occurrence]]:
    return (
        meaning(instance.left, instance.history, semantics=semantics),
        meaning(instance.right, instance.history, semantics=semantics),
    )
