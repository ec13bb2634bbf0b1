"""Buckets driven without Spark: rows come shuffled within the watermark, in random cuts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
from spark.answers import Answer, Question, sorted_answer

from tocsin.language.durations import MICROSECONDS
from tocsin.spark.stream.answers import result_tables
from tocsin.spark.stream.bucket import Bucket, Visit
from tocsin.spark.stream.memory import Plain
from tocsin.spark.stream.setup import HASH, Setup
from tocsin.tables.arguments import expression
from tocsin.tables.hits import Reading
from tocsin.tables.observed import observe
from tocsin.tables.packed import pack
from tocsin.tables.predicates import defined
from tocsin.tables.source import read


def setup_of(question: Question, buckets: int = 1) -> Setup:
    """What workers would be told."""
    options = question.options
    patterns = {name: expression(p, name) for name, p in question.patterns.items()}
    patterns = defined(patterns, options.get("define"))
    keys = options["key"]
    keys = (keys,) if isinstance(keys, str) else tuple(keys)
    start, end = options.get("start") or options["time"], options.get("end") or options["time"]
    unit = options.get("unit")
    return Setup(
        labels=tuple(patterns),
        patterns=tuple(patterns.values()),
        reading=Reading(
            *(options[name] for name in ("semantics", "basis", "report")),
            policy=options.get("policy", "synchronous"),
        ),
        names=tuple(dict.fromkeys((*keys, start, end, "id"))),
        keys=keys,
        carry=("id",),
        order_by=(),
        start=start,
        end=end,
        unit=unit,
        tick=MICROSECONDS[unit] if unit else None,
        zone=ZoneInfo(options.get("timezone") or "UTC"),
        until=options.get("until"),
        keep_late=False,
        header="",
        buckets=buckets,
    )


def packed(question: Question, setup: Setup) -> pa.Table:
    """The rows as packing gives them: those that are known, with words and a hash."""
    lasts = setup.start != setup.end
    times = {"start": setup.start, "end": setup.end} if lasts else {"time": setup.end}
    source = read(question.table, **times)
    observed = observe(source, setup.primitives, keys=setup.keys, zone=setup.zone)
    words = pack(observed.matches, setup.primitives, np.arange(len(source)))
    columns = {setup.column(name): question.table.column(name) for name in setup.names}
    columns |= {f"word_{n}": pa.array(word) for n, word in enumerate(words)}
    keys = zip(*(question.table.column(name).to_pylist() for name in setup.keys), strict=True)
    hashes = [Random(repr(key)).randrange(-(2**15), 2**15) for key in keys]
    return pa.table(columns | {HASH: pa.array(hashes, pa.int16())})


@dataclass
class Stream:
    """Some buckets, each with a memory that survives the bucket."""

    setup: Setup
    memories: list[Plain] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)

    def take(self, rows: pa.Table, ends: np.ndarray, upto: int | None) -> None:
        """A micro-batch: every bucket is visited, by its keys' rows or by none."""
        while len(self.memories) < self.setup.buckets:
            self.memories.append(Plain())
        least = int(ends.min()) if ends.size else None
        whose = np.asarray(rows.column(HASH)) % self.setup.buckets
        for number, memory in enumerate(self.memories):
            own = rows.filter(pa.array(whose == number))
            bucket = Bucket(self.setup, memory)
            self.visits.append(bucket.visit([own] if own.num_rows else [], least, upto))

    def answer(self) -> Answer:
        """Everything that was found, in the form that can be compared."""
        tables = [t for visit in self.visits for t in result_tables(visit, self.setup)]
        return sorted_answer([row for table in tables for row in table.to_pylist()])


def run(question: Question, random: Random, buckets: int) -> Stream:
    """Ask a question piece by piece."""
    setup = setup_of(question, buckets)
    rows = packed(question, setup)
    stream = Stream(setup)
    ends = np.array(question.table.column(setup.end).to_pylist(), dtype=object)
    for some, upto in cuts(random, ends, setup.until):
        stream.take(rows.take(pa.array(some, pa.int64())), ends[some], upto)
    return stream


def cuts(random: Random, ends: Any, until: int | None) -> Iterator[tuple[list[int], int | None]]:
    """Micro-batches: the rows of each, and up to when all is there; no row is late."""
    delay = random.choice([0, 0, 1, 3, 10, 1000])
    order = sorted(range(len(ends)), key=lambda i: ends[i] + random.uniform(0, delay or 0.5))
    batches = random.randint(1, 8)
    places = sorted(random.randint(0, len(order)) for _ in range(batches - 1))
    seen: list[int] = []
    for low, high in zip([0, *places], [*places, len(order)], strict=True):
        # As in Spark: a batch is decided up to what the batches before it had shown.
        left = [ends[i] for i in order[low:]]
        upto = max((ends[i] for i in seen), default=None)
        if upto is not None:
            upto = min([upto - delay, *(end - 1 for end in left)])
            upto = upto if upto >= -(2**63) + 1 else None
        yield order[low:high], upto
        seen += order[low:high]
        if random.random() < 0.2 and seen:
            yield [], upto
    last = max([*ends, *([] if until is None else [until])], default=0)
    yield [], last
    if random.random() < 0.3:
        yield [], last
