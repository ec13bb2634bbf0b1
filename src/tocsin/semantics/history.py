"""What happened, for one key: the rows, how long was watched, and what a tick is (SPEC §1, §3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import tzinfo
from zoneinfo import ZoneInfo

from tocsin.language.durations import Duration
from tocsin.semantics.occurrence import Occurrence, Part, in_order

UTC = ZoneInfo("UTC")


@dataclass(frozen=True)
class History:
    """The rows of one key as parts, and the time over which they were observed.

    `began` and `until` bound what timers and clocks can do; both are over all keys, and None where
    nothing was observed. Observation begins with the first row known, so with the least end: a row
    that lasts is known when it ends, and an answer must not depend on what is yet to come.
    `tick` is how many microseconds one step of time lasts, None if nobody knows.
    """

    parts: tuple[Part, ...]
    began: int | None
    until: int | None
    tick: int | None = None
    zone: tzinfo = UTC
    resumed: bool = False
    """After a restart (`report="repeated"`) the instant `began` itself belongs to the past."""

    @classmethod
    def of(
        cls,
        events: Iterable[tuple[str, int] | tuple[str, int, int]],
        *,
        until: int | None = None,
        tick: int | None = None,
        zone: tzinfo = UTC,
    ) -> History:
        """A history from tuples `(name, time)` or `(name, start, end)`, in any order.

        >>> print(*History.of([("B", 4), ("A", 1, 3)]).of_primitive("A"))
        [1, 3] A@3
        """
        rows = [(name, times[0], times[-1]) for name, *times in events]
        ranks = sorted(range(len(rows)), key=lambda i: (rows[i][2], rows[i][1], i))
        parts = [Part(rank, rows[i][0], i, *rows[i][1:]) for rank, i in enumerate(ranks)]
        last = max((p.end for p in parts), default=None)
        began = min((p.end for p in parts), default=None)
        return cls(tuple(parts), began, last if until is None else until, tick, zone)

    def of_primitive(self, name: str) -> list[Occurrence]:
        """The occurrences of a primitive: `detected = end` (SPEC §1)."""
        own = (p for p in self.parts if p.name == name)
        return in_order(Occurrence(p.start, p.end, p.end, frozenset({p})) for p in own)

    def ticks(self, duration: Duration) -> int:
        """A duration on this history's time axis."""
        return duration.in_ticks(self.tick)

    def runs_to(self, moment: int) -> bool:
        """Whether timers still run at a moment: up to `until` (SPEC §3)."""
        return self.until is not None and moment <= self.until

    def is_observed(self, moment: int) -> bool:
        """Whether a moment lies in the time of observation."""
        if self.began is None or not self.runs_to(moment):
            return False
        return moment > self.began if self.resumed else moment >= self.began

    def after(self, moment: int) -> History:
        """What a detector that starts afresh after `moment` gets to see (SPEC §5, reporting)."""
        later = tuple(p for p in self.parts if p.end > moment)
        return replace(self, parts=later, began=moment, resumed=True)
