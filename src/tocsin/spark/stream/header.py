"""Whether a checkpoint and a query belong together."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tocsin.errors import DataError
from tocsin.spark.stream.memory import Memory, Name, Store
from tocsin.spark.stream.setup import Setup

if TYPE_CHECKING:
    from tocsin.spark.batch import Query

HEADER = Name("header")


def header_of(asked: Query, buckets: int) -> str:
    """What a state depends on."""
    return json.dumps({"buckets": buckets}, sort_keys=True)


class Control:
    """The bucket without keys, which every micro-batch visits: it has the header only."""

    def __init__(self, setup: Setup, memory: Memory) -> None:
        self.setup, self.store = setup, Store(memory)

    def check(self) -> None:
        """Refuse, before anything is kept, to go on with the state of something else."""
        if self.store.has(HEADER):
            before = self.store.get(HEADER).to_pybytes().decode()
            if before == self.setup.header:
                return
            check(before, self.setup.header)
        self.store.put(HEADER, self.setup.header.encode())


def check(before: str, now: str) -> None:
    """Refuse to go on with a state that was made by something else."""
    if before == now:
        return
    old, new = json.loads(before), json.loads(now)
    for name, what in (("buckets", "buckets"),):
        if old[name] != new[name]:
            raise DataError(
                f"the checkpoint was made with {old[name]} {what}, this query has {new[name]}",
                hint=f"say buckets={old[name]}, or start with an empty checkpoint",
            )
