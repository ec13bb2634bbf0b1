"""The states of all keys between calls, and how they are saved.

Each node that keeps state has a `Store`. Keys that have nothing in any store are forgotten. Saved
state is one Arrow IPC message: no pickle, a version, and the identity of the plan it belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tocsin.engine.kernels.stores import gather, rewrite, scatter
from tocsin.engine.kernels.streams import REF, Integers


def _slots(size: int) -> Integers:
    return np.zeros(size, np.int64)


@dataclass
class Store:
    """The state of one node, for many keys."""

    table: Integers = field(default_factory=lambda: np.empty((5, 0), np.int64))
    used: int = 0
    waste: int = 0
    place: Integers = field(default_factory=lambda: _slots(0))
    count: Integers = field(default_factory=lambda: _slots(0))
    room: Integers = field(default_factory=lambda: _slots(0))

    def make_room(self, slots: int) -> None:
        """Be ready for slots up to a number."""
        if slots > self.place.size:
            more = max(slots, 2 * self.place.size) - self.place.size
            self.place = np.concatenate((self.place, _slots(more)))
            self.count = np.concatenate((self.count, _slots(more)))
            self.room = np.concatenate((self.room, _slots(more)))

    def take(self, slots: Integers) -> Integers:
        """The state of some slots."""
        state: Integers = gather(self.table, self.place, self.count, slots)
        return state

    def put(self, slots: Integers, state: Integers) -> None:
        """Replace the state of some slots."""
        self.table, self.used, waste = scatter(
            self.table, self.used, self.place, self.count, self.room, slots, state
        )
        self.waste += waste
        if self.waste > 64 and 2 * self.waste > self.used:
            self.tidy()

    def tidy(self) -> None:
        """Write the table anew, without waste."""
        self.table, self.used = rewrite(self.table, self.place, self.count, self.room)
        self.waste = 0

    @property
    def refs(self) -> Integers:
        """The references in use; to be asked for after `tidy`."""
        return self.table[REF - 1, : self.used]
