"""The detectors that can be asked, by name: which pattern happened when, for which key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tocsin.language.nodes import Expression
from tocsin.semantics import History, Occurrence, Part, report
from tocsin.tables.observed import Observed


@dataclass(frozen=True)
class Reading:
    """Under which settings patterns are read (SPEC §3-§6)."""

    semantics: str = "restricted"
    basis: str = "interval"
    report: str = "overlapping"


@dataclass(frozen=True)
class Hit:
    """An occurrence of a pattern for a key, both by their number."""

    pattern: int
    group: int
    occurrence: Occurrence
    """Its parts name rows of the observed source."""


Engine = Callable[[Observed, Sequence[Expression], Reading], Iterator[Hit]]


def oracle(observed: Observed, patterns: Sequence[Expression], reading: Reading) -> Iterator[Hit]:
    """Ask the definitions themselves, pattern by pattern and key by key."""
    starts, ends = observed.starts.to_pylist(), observed.ends.to_pylist()
    axis = observed.axis
    for number, pattern in enumerate(patterns):
        rows = {p.name: observed.matches[p].to_pylist() for p in pattern.primitives()}
        for group, members in enumerate(observed.groups):
            parts = tuple(
                Part(observed.ranks[row], name, row, starts[row], ends[row])
                for name, matched in rows.items()
                for row in members
                if matched[row]
            )
            history = History(parts, observed.began, observed.until, axis.tick, axis.zone)
            for occurrence in report(
                pattern,
                history,
                semantics=reading.semantics,
                basis=reading.basis,
                report=reading.report,
            ):
                yield Hit(number, group, occurrence)


ENGINES: dict[str, Engine] = {
    "oracle": oracle,
}
