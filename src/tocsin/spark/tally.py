"""How far a stream over files has come, by what Spark says of its micro-batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from tocsin.spark.collecting import Collected
from tocsin.spark.following import FILES
from tocsin.spark.stream.answers import LATE
from tocsin.spark.stream.query import METRICS
from tocsin.tables.results import Counts

READ = "read"
"""What a query's progress calls the counts of rows."""


KEPT = 200
"""So many micro-batches are remembered, more than Spark itself tells of."""


@dataclass
class Tally:
    """What the progress of a stream adds up to."""

    began: float
    """When it was started, in seconds since 1970: files that were there before have no lag."""
    late_given: bool = False
    """Whether late rows are among what is found."""
    moment: Callable[[int], str] = str
    """How people write an instant that Spark counts in milliseconds."""
    found: int = 0
    _batches: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    _earlier: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The sums over those that are remembered no longer."""
    _forgotten: int = -1

    def add(self, progress: Mapping[str, Any] | None) -> None:
        """Take in what a query says of a micro-batch, though it has said it before."""
        if progress is None or progress["batchId"] <= self._forgotten:
            return
        self._batches[progress["batchId"]] = progress
        if len(self._batches) > KEPT:
            self._forgotten = min(self._batches)
            old = self._batches.pop(self._forgotten)
            self._earlier.update({what: _metric(old, *what) for what in _SUMS})

    def give(self, found: Collected) -> None:
        """Count what a micro-batch has found; late rows are no occurrences."""
        self.found += len(found)
        if self.late_given:
            self.found -= sum(o.measures[LATE] for piece in found.pieces() for o in piece)

    @property
    def counts(self) -> Counts:
        """Rows read, used, and left out for want of a key or a time."""
        return Counts(**{name: self._sum(of, name) for of, name in _SUMS if of == READ})

    @property
    def late(self) -> int:
        """How many rows were late."""
        return self._sum(METRICS, "late")

    @property
    def waiting(self) -> int:
        """How many rows wait for the watermark."""
        said = [_metrics(p, METRICS).get("waiting") for p in self._batches.values()]
        return next((rows for rows in reversed(said) if rows is not None), 0)

    def __str__(self) -> str:
        rows, late = self.counts.rows, self.late
        parts = [f"{rows:,} rows", *self._speed(), self._decided()]
        parts.append("1 occurrence" if self.found == 1 else f"{self.found:,} occurrences")
        parts += [f"{late:,} late"] if late else []
        return ", ".join(parts)

    def _speed(self) -> list[str]:
        """Of the last micro-batch with rows: how many a second, and how long its files waited."""
        last = [p for p in self._batches.values() if _metric(p, READ, "rows")]
        if not last:
            return []
        milliseconds = last[-1]["durationMs"]["triggerExecution"]
        rate = 1000 * _metric(last[-1], READ, "rows") / max(milliseconds, 1)
        ended = _seconds(last[-1]["timestamp"]) + milliseconds / 1000
        came = max(_metric(last[-1], FILES, "oldest") / 1000, self.began)
        return [f"{rate:,.{rate < 10:d}f} rows/s", f"lag {max(ended - came, 0):.1f} s"]

    def _decided(self) -> str:
        """Up to when everything is decided."""
        marks = [p["eventTime"].get("watermark") for p in self._batches.values()]
        mark = max((round(1000 * _seconds(text)) for text in marks if text), default=0)
        return f"decided up to {self.moment(mark)}" if mark > 0 else "nothing decided yet"

    def _sum(self, of: str, name: str) -> int:
        here = sum(_metric(progress, of, name) for progress in self._batches.values())
        return self._earlier[of, name] + here


_SUMS = [*((READ, field.name) for field in fields(Counts)), (METRICS, "late")]


def _metric(progress: Mapping[str, Any], of: str, name: str) -> int:
    return _metrics(progress, of).get(name) or 0


def _metrics(progress: Mapping[str, Any], of: str) -> dict[str, Any]:
    row = progress["observedMetrics"].get(of)
    return {} if row is None else row.asDict()


def _seconds(text: str) -> float:
    """An instant as a query's progress writes it, in seconds since 1970."""
    return datetime.fromisoformat(text).timestamp()
