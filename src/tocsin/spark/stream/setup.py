"""What a stream's workers are told: the patterns, and what the columns of packed rows are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property, lru_cache

from tocsin.engine.plan import Plan
from tocsin.language.nodes import Expression, Primitive
from tocsin.tables.hits import Reading
from tocsin.tables.packed import bit_order, words_for
from tocsin.tables.planning import plan_of

HASH = "hash"
"""The column of a row's place among the keys: which bucket, which chunk of it."""


@dataclass(frozen=True)
class Setup:
    """What to look for, and in what.

    A packed row has the columns `names` as column_0, column_1, …, its words of bits as word_0, …,
    and the hash of its key.
    """

    labels: tuple[str, ...]
    patterns: tuple[Expression, ...]
    reading: Reading
    names: tuple[str, ...]
    keys: tuple[str, ...]
    carry: tuple[str, ...]
    order_by: tuple[str, ...]
    start: str
    end: str
    unit: str | None
    tick: int | None
    """How many microseconds one step of time lasts; None if nobody knows."""
    zone: tzinfo
    until: int | None
    keep_late: bool
    header: str
    """What a checkpoint is compared with, as JSON."""
    buckets: int

    @cached_property
    def primitives(self) -> list[Primitive]:
        """The primitives of all patterns, in the order of their bits."""
        return bit_order(self.patterns)

    @property
    def words(self) -> list[str]:
        """The columns that hold the bits."""
        return [f"word_{n}" for n in range(words_for(self.primitives))]

    def column(self, name: str) -> str:
        """What a column is called among the packed ones."""
        return f"column_{self.names.index(name)}"

    @property
    def key_columns(self) -> list[str]:
        """The packed columns of the key."""
        return [self.column(name) for name in self.keys]

    @property
    def carried_columns(self) -> list[str]:
        """The packed columns that events bring along."""
        return [self.column(name) for name in self.carry]

    def ticks(self, milliseconds: int) -> int | None:
        """Up to when a watermark lets everything be decided; None if there is none yet."""
        if milliseconds <= 0:
            return None
        return milliseconds if self.tick is None else milliseconds * 1000 // self.tick

    def milliseconds(self, ticks: int) -> int:
        """The least watermark that has passed an instant."""
        return ticks if self.tick is None else -(-ticks * self.tick // 1000)


@lru_cache(maxsize=256)
def plan_for(pattern: Expression, reading: Reading, tick: int | None, durative: bool) -> Plan:
    """The plan of one pattern: each has its own, so that each can come and go."""
    return plan_of({PATTERN: pattern}, reading, tick=tick, durative=durative)


PATTERN = "pattern"
"""What the only pattern of a plan is called."""
