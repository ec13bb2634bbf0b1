"""What an engine has found, as columns: no object per occurrence until someone asks for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from tocsin.tables.ranks import Integers


@dataclass(frozen=True)
class Reading:
    """Under which settings patterns are read (SPEC §3-§6, §8)."""

    semantics: str = "restricted"
    basis: str = "interval"
    report: str = "overlapping"
    policy: str = "synchronous"

    @property
    def on_arrival(self) -> bool:
        """Whether rows are used as they arrive."""
        return self.policy != "synchronous"


@dataclass(frozen=True)
class Hits:
    """Occurrences of patterns for keys, both by their number, in the order of SPEC §1 for each."""

    pattern: Integers
    group: Integers
    start: Integers
    end: Integers
    detected: Integers
    offsets: Integers
    """The parts of the i-th stand from offsets[i] to offsets[i + 1]."""
    part_name: pa.Array
    part_row: Integers
    """Rows of the observed source."""

    def in_order(self) -> Hits:
        """By (detected, end, start), as SPEC §1 has it; among equals by pattern, then key, then
        as they are."""
        order = np.lexsort((self.group, self.pattern, self.start, self.end, self.detected))
        sizes = np.diff(self.offsets)[order]
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        parts = np.repeat(self.offsets[:-1][order] - offsets[:-1], sizes) + np.arange(offsets[-1])
        return Hits(
            self.pattern[order],
            self.group[order],
            self.start[order],
            self.end[order],
            self.detected[order],
            offsets,
            self.part_name.take(pa.array(parts)),
            self.part_row[parts],
        )

    def as_points(self) -> Hits:
        """The same, detected when they end: on arrival, `detected` is the number of an arrival."""
        return replace(self, detected=self.end)

    def between(self, low: int, high: int) -> Hits:
        """Some of the hits."""
        first, last = self.offsets[low], self.offsets[high]
        return Hits(
            self.pattern[low:high],
            self.group[low:high],
            self.start[low:high],
            self.end[low:high],
            self.detected[low:high],
            self.offsets[low : high + 1] - first,
            self.part_name[first:last],
            self.part_row[first:last],
        )


def together(several: list[Hits]) -> Hits:
    """Several hits as one, one after the other."""
    if len(several) == 1:
        return several[0]
    sizes = [np.diff(hits.offsets) for hits in several]
    return Hits(
        np.concatenate([hits.pattern for hits in several]),
        np.concatenate([hits.group for hits in several]),
        np.concatenate([hits.start for hits in several]),
        np.concatenate([hits.end for hits in several]),
        np.concatenate([hits.detected for hits in several]),
        np.concatenate(([0], np.cumsum(np.concatenate(sizes)))),
        pa.concat_arrays([hits.part_name for hits in several]),
        np.concatenate([hits.part_row for hits in several]),
    )
