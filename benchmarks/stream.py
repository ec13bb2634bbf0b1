"""How fast streams are, and what they keep and write, against the bars they are to clear.

    .venv/bin/python benchmarks/stream.py                  # tables, about four minutes
    .venv/bin/python benchmarks/stream.py --long           # with 100 million events, six
    .venv/bin/python benchmarks/stream.py --quick          # a fiftieth of the events
    .venv/bin/python benchmarks/stream.py --only small     # one section

Two cores, micro-batches of a million events, ten for each of 100,000 keys, from Parquet files to
Spark's `noop` sink; pattern `(B ; B) within 2s - (P | T)`. What the figures mean is in
docs/performance.md.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

import numpy as np
import per_key
from feeding import WATERMARK, Feed, Run, cut, follow, slope
from measuring import Figure, Watch, command_line, report
from pyspark.sql import DataFrame, SparkSession
from streams import FIRST

import tocsin as tc
from tocsin.spark.labels import labels
from tocsin.spark.session import local_session
from tocsin.spark.stream.query import PROVIDER, ROCKSDB

PARTITIONS = 2
WARM = 15
"""After so many micro-batches the JVM has compiled what it runs."""
SETTINGS = {
    PROVIDER: ROCKSDB,
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
PHASES = {
    "triggerExecution": "all of a micro-batch",
    "latestOffset": "finding new files",
    "getBatch": "listing them",
    "queryPlanning": "planning the query",
    "walCommit": "writing down what will be read",
    "addBatch": "running it",
    "commitBatch": "telling the state stores",
    "commitOffsets": "writing down what is done",
}
"""Of a micro-batch, by the names that Spark's progress has for them."""


@dataclass
class Bench:
    """A session, a folder, and how large everything is to be."""

    session: SparkSession
    folder: Path
    events: int
    long: bool

    @property
    def tiny(self) -> bool:
        """Whether only to see that everything runs."""
        return self.events < 100_000

    @property
    def keys(self) -> int:
        """Ten events for each in a micro-batch."""
        return self.events // 10

    def run(self, name: str, feed: Feed, detect: Callable[[DataFrame], DataFrame]) -> Run:
        """Follow a feed."""
        return follow(self.session, feed, detect, self.folder / f"checkpoint {name}")

    @cached_property
    def feed(self) -> Feed:
        """Micro-batches of the full size."""
        return Feed.of(self.folder / "events", 3 if self.tiny else 30, self.events, self.keys)


def detect(events: DataFrame) -> DataFrame:
    """What is measured."""
    how = {"watermark": WATERMARK} if events.isStreaming else {}
    return tc.detect(FIRST, events, key="key", **how)


def speed(bench: Bench) -> list[Figure]:
    """Against a table of the same rows, and against one call per key"""
    events = bench.events
    stream = bench.run("speed", bench.feed, detect).seconds(1 if bench.tiny else WARM)
    table = detect(bench.feed.table(bench.session))
    save = table.write.format("noop").mode("overwrite").save
    batch = Watch(2, "wall").best(save)[0] / bench.feed.batches
    sizes, times = [], []
    for share in (25, 10):
        rows = max(events, 100_000) // share
        feed = Feed.of(bench.folder / f"{rows} events", 4, rows, rows // 10)
        other = bench.run("per key", feed, per_key.straightforward)
        if other.found != bench.run("the same", feed, detect).found:
            raise SystemExit(f"the two found {other.found} and something else")
        sizes.append(rows)
        times.append(other.seconds())
    each, fixed = slope(sizes, times)
    scaled = fixed + each * events
    said = f"by {sizes[0]:,} and {sizes[1]:,} events: {times[0]:.1f} s and {times[1]:.1f} s"
    return [
        Figure(f"a micro-batch of {events:,} events", stream, "s"),
        Figure("its share of a table of all", batch, "s"),
        Figure("times the table's time", stream / batch, "x", 3, False),
        Figure(f"one call per key, {said}: would take", scaled, "s"),
        Figure("one call per key: times the time", scaled / stream, "x", 50),
    ]


def steady(bench: Bench) -> list[Figure]:
    """A hundred micro-batches"""
    share, batches = 1 if bench.long or bench.tiny else 10, 10 if bench.tiny else 100
    rows, keys = bench.events // share, bench.keys // share
    feed = Feed.of(bench.folder / "many events", batches, rows, keys)
    run = bench.run("steady", feed, detect)
    tenth = batches // 10
    early, late = run.seconds(tenth, 2 * tenth), run.seconds(-tenth)
    sizes = [run.state_bytes(count) / keys for count in (tenth, batches)]
    return [
        Figure(f"micro-batches {tenth} to {2 * tenth}, {rows:,} events each: median", early, "s"),
        Figure(f"micro-batches {batches - tenth} to {batches}: median", late, "s"),
        Figure("times the earlier", late / early, "x", 1.2, False),
        Figure(f"state after {tenth * rows:,} events, per key", sizes[0], "bytes"),
        Figure(f"state after {batches * rows:,} events, per key", sizes[1], "bytes"),
        Figure("the difference", 100 * abs(sizes[1] / sizes[0] - 1), "%", 10, False),
    ]


def written(bench: Bench) -> list[Figure]:
    """What a micro-batch writes to the checkpoint"""
    few, known = bench.events // 10, bench.keys
    kinds = [(few, known), (4 * few, known), (few, known // 10), (few, known // 100)]
    sizes = bytes_written(bench, kinds, known)
    facts = np.array([(1, rows, touched) for rows, touched in kinds])
    parts = np.linalg.lstsq(facts, sizes)[0]
    wrong = np.abs(facts @ parts / sizes - 1).max()
    (more,) = bytes_written(bench, [kinds[2]], 4 * known)
    what = f"{few:,} events of {known // 10:,} keys"
    return [
        *(
            Figure(f"{rows:,} events of {touched:,} keys", size / 1000, "kB")
            for (rows, touched), size in zip(kinds, sizes, strict=True)
        ),
        Figure("for each new row", parts[1], "bytes"),
        Figure("for each key that had rows", parts[2], "bytes"),
        Figure("besides", parts[0] / 1000, "kB"),
        Figure("most that any is off from the sum of these", 100 * wrong, "%", 20, False),
        Figure(f"{what}, of {4 * known:,} known ones", more / 1000, "kB"),
        Figure(f"times what it is with {known:,} known ones", more / sizes[2], "x", 1.5, False),
    ]


def bytes_written(bench: Bench, kinds: list[tuple[int, int]], known: int) -> list[float]:
    """The median of what micro-batches of each kind write, when so many keys have state."""
    feed, same = Feed(bench.folder / f"kinds of {known} keys"), 4
    feed.put(cut(0, 10 * known, known))
    for number, (rows, keys) in enumerate(kind for kind in kinds for _ in range(same)):
        feed.put(cut(number + 1, rows, keys, known=known))
    # The state that the rows of a micro-batch change is written by the next, which decides them.
    run = bench.run("written", feed, detect)
    sizes = run.written()[1:]
    return [median(sizes[place + 1 : place + same]) for place in range(0, len(sizes), same)]


def small(bench: Bench) -> list[Figure]:
    """Small micro-batches: what is there to do, however few the events"""
    rows = bench.events // 100
    feed = Feed(bench.folder / "few events")
    feed.put(cut(0, bench.events, bench.keys))
    for number in range(3 if bench.tiny else 12):
        feed.put(cut(number + 1, rows, bench.keys))
    own = bench.run("small", feed, detect)
    idle = bench.run("idle", feed, per_key.idle([0, *labels(PARTITIONS)]))
    figures = []
    for phase, what in PHASES.items():
        taken, least = (median(run.durations(phase)[2:]) for run in (own, idle))
        what = f"{what}, {rows:,} events" if phase == "triggerExecution" else what
        figures += [
            Figure(what, taken, "ms"),
            Figure("    where the operator does nothing", least, "ms"),
        ]
    for name, what in (("allUpdatesTimeMs", "visiting buckets"), ("commitTimeMs", "committing")):
        taken, least = (median(run.operator(name)[2:]) / PARTITIONS for run in (own, idle))
        figures += [
            Figure(f"in each of {PARTITIONS} tasks: {what}", taken, "ms"),
            Figure("    where the operator does nothing", least, "ms"),
        ]
    return figures


SECTIONS: dict[str, Callable[[Bench], list[Figure]]] = {
    section.__name__: section for section in (speed, steady, written, small)
}


def main() -> None:
    options = command_line(__doc__, SECTIONS, "a fiftieth of the events")
    options.add_argument("--long", action="store_true", help="100 micro-batches of a million")
    said = options.parse_args()
    events = 20_000 if said.quick else 1_000_000
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))  # workers import per_key
    with (
        tempfile.TemporaryDirectory(prefix="tocsin-") as folder,
        local_session("streams", cores=2, partitions=PARTITIONS, settings=SETTINGS) as session,
    ):
        report(SECTIONS, said, events, Bench(session, Path(folder), events, said.long))


if __name__ == "__main__":
    main()
