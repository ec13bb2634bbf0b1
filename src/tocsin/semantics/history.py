"""What happened, for one key: the rows, how long was watched, and what a tick is (SPEC §1, §3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import groupby
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
    policy: str = "synchronous"
    """Whether events are used in order of time, or as they arrive, and then how (SPEC §8)."""

    @classmethod
    def of(
        cls,
        events: Iterable[tuple[str, int] | tuple[str, int, int]],
        *,
        until: int | None = None,
        tick: int | None = None,
        zone: tzinfo = UTC,
        policy: str = "synchronous",
    ) -> History:
        """A history from tuples `(name, time)` or `(name, start, end)`, in any order.

        On arrival, the order is the one in which they arrive.

        >>> print(*History.of([("B", 4), ("A", 1, 3)]).of_primitive("A"))
        [1, 3] A@3
        """
        rows = [(name, times[0], times[-1]) for name, *times in events]
        known = arrivals([row[2] for row in rows])
        first = known if policy != "synchronous" else [0] * len(rows)
        ranks = sorted(range(len(rows)), key=lambda i: (first[i], rows[i][2], rows[i][1], i))
        parts = [Part(rank, rows[i][0], i, *rows[i][1:], known[i]) for rank, i in enumerate(ranks)]
        last = max((p.end for p in parts), default=None)
        began = min((p.end for p in parts), default=None)
        until = last if until is None else until
        return cls(tuple(parts), began, until, tick, zone, policy=policy)

    @property
    def on_arrival(self) -> bool:
        """Whether events are used as they arrive."""
        return self.policy != "synchronous"

    def known(self, part: Part) -> int:
        """When a row is known: when it ends or, on arrival, when it arrives."""
        return part.arrival if self.on_arrival else part.end

    def of_primitive(self, name: str) -> list[Occurrence]:
        """The occurrences of a primitive: `detected = end` (SPEC §1), or when it arrives."""
        own = (p for p in self.parts if p.name == name)
        return in_order(Occurrence(p.start, p.end, self.known(p), frozenset({p})) for p in own)

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
        later = tuple(p for p in self.parts if self.known(p) > moment)
        return replace(self, parts=later, began=moment, resumed=True)


def arrivals(times: Sequence[int]) -> list[int]:
    """When rows arrive, given their times in that order: with the last of those that follow each
    other directly and have the same time, for all of one instant is one step (SPEC §1).

    >>> arrivals([3, 5, 5, 4, 5])
    [0, 2, 2, 3, 4]
    """
    numbers: list[int] = []
    for _, together in groupby(times):
        count = len(list(together))
        numbers += [len(numbers) + count - 1] * count
    return numbers
