"""The states of all keys between calls, and how they are saved.

Each node that keeps state has a `Store`. Keys that have nothing in any store are forgotten. Saved
state is one Arrow IPC message: no pickle, a version, and the identity of the plan it belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tocsin.engine.kernels.stores import COUNT, gather, rewrite, scatter
from tocsin.engine.kernels.streams import REF, Integers


@dataclass
class Store:
    """The state of one node, for many keys."""

    table: Integers = field(default_factory=lambda: np.empty((0, 5), np.int64))
    where: Integers = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    """For each slot the place of its rows in the table, how many they are and could be."""
    used: int = 0
    waste: int = 0

    def make_room(self, slots: int) -> None:
        """Be ready for slots up to a number."""
        size = self.where.shape[0]
        if slots > size:
            more = np.zeros((max(slots, 2 * size) - size, 3), np.int64)
            self.where = np.concatenate((self.where, more))

    def take(self, slots: Integers) -> Integers:
        """The state of some slots."""
        state: Integers = gather(self.table, self.where, slots)
        return state

    def put(self, slots: Integers, state: Integers) -> None:
        """Replace the state of some slots."""
        self.table, self.used, waste = scatter(self.table, self.used, self.where, slots, state)
        self.waste += waste
        if self.waste > 64 and 2 * self.waste > self.used:
            self.tidy()

    def tidy(self) -> None:
        """Write the table anew, without waste."""
        self.table, self.used = rewrite(self.table, self.where)
        self.waste = 0

    def keep_only(self, kept: NDArray[np.bool_]) -> None:
        """Keep some of the rows; to be asked for after `tidy`."""
        owner = np.repeat(np.arange(self.count.size), self.count)
        self.table = self.table[: self.used][kept]
        self.used = self.table.shape[0]
        count = np.bincount(owner[kept], minlength=self.count.size)
        self.where = np.stack((np.cumsum(count) - count, count, count), axis=1)

    def column(self, row: int) -> Integers:
        """A row of the state, over all slots; to be asked for after `tidy`."""
        return self.table[: self.used, row - 1]

    @property
    def count(self) -> Integers:
        """How many rows each slot has."""
        return self.where[:, COUNT]

    @property
    def refs(self) -> Integers:
        """The references in use; to be asked for after `tidy`."""
        return self.table[: self.used, REF - 1].copy()

    @refs.setter
    def refs(self, refs: Integers) -> None:
        self.table[: self.used, REF - 1] = refs
