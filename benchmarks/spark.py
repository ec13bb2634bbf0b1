"""How fast detection in Spark is, against the bars it is to clear: two cores, best of three.

    .venv/bin/python benchmarks/spark.py                     # tables, about sixteen minutes
    .venv/bin/python benchmarks/spark.py --quick             # a hundredth of the events
    .venv/bin/python benchmarks/spark.py --only floor,skew --json

Tables of events are made in out/benchmarks, about 2 GB, and used again. What the figures mean and
what limits them is in docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import spark_tables as tables
from measuring import Figure, Watch, command_line, report, seconds_of
from pyspark.sql import DataFrame, SparkSession, functions
from spark_queries import BOUNDED, JOIN, LAG, WINDOWS
from streams import FIRST, random_pattern

import tocsin as tc
from tocsin.spark.batch import Query
from tocsin.spark.java import OPTIONS
from tocsin.spark.session import local_session
from tocsin.tables.call import asked

MANY = "(B ; B) within 1h - (P | T)"
CHAIN = "(A ; B ; C) within 60s - D"
FOUR = "(A ; B) within 30min - (C | D)"
EACH = 100
"""How many events a key has."""


@dataclass
class Bench:
    """Where to measure, with what, and how much."""

    spark: SparkSession
    watch: Watch
    folder: Path
    events: int

    def table(self, count: int | None = None) -> DataFrame:
        """A table of so many events."""
        count = count or self.events
        return self.spark.read.parquet(tables.events(self.folder, count, max(count // EACH, 1)))

    def best(self, **jobs: DataFrame) -> dict[str, float]:
        """The least time that each job takes once all have been run, in turn, the result unused."""
        times: dict[str, list[float]] = {name: [] for name in jobs}
        for _ in range(self.watch.repeats + 1):
            for name, job in jobs.items():
                begin = self.watch.now()
                unused(job)
                times[name].append(self.watch.now() - begin)
        return {name: min(taken[1:]) for name, taken in times.items()}


def unused(job: DataFrame) -> None:
    """Run a job to its end."""
    job.write.format("noop").mode("overwrite").save()


def moved(frame: DataFrame, *carried: str) -> DataFrame:
    """What anyone has to do: read, filter, and bring the rows of a key together."""
    known = "type in ('B', 'P', 'T') and user is not null and time is not null"
    return frame.filter(known).select("user", "time", "type", *carried).repartition("user")


def floor(bench: Bench) -> list[Figure]:
    """(B ; B) within 2s - (P | T), and with a window of 1h and two carried columns"""
    frame = bench.table()
    few = tc.detect(FIRST, frame, key="user")
    many = tc.detect(MANY, frame, key="user", carry=["ip", "amount"])
    times = bench.best(
        floor=moved(frame), python=moved(frame).mapInArrow(dropped, "rows bigint"), few=few,
        wide=moved(frame, "ip", "amount"), many=many,
    )  # fmt: skip
    return [
        Figure("the floor: scan, filter, shuffle by key", times["floor"], "s"),
        Figure("the same rows brought to Python, which drops them", times["python"], "s"),
        Figure(f"detection, {few.count():,} found", times["few"], "s"),
        Figure("times the floor", times["few"] / times["floor"], "x", 2.0, False),
        Figure("the floor with two carried columns", times["wide"], "s"),
        Figure(f"detection with them, {many.count():,} found", times["many"], "s"),
        Figure("times the floor", times["many"] / times["wide"], "x", 2.5, False),
        *cold(bench),
    ]


def dropped(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What any Python has to do with rows: get them."""
    yield pa.record_batch({"rows": [sum(batch.num_rows for batch in batches)]})


def cold(bench: Bench) -> list[Figure]:
    """The same in a session that has just begun, each in its own."""
    place = tables.events(bench.folder, bench.events, bench.events // EACH)
    first = {job: alone(job, place)["first"] for job in ("floor", "few", "wide", "many")}
    return [
        Figure("cold: the floor", first["floor"], "s"),
        Figure("cold: detection", first["few"], "s"),
        Figure("cold: times the floor", first["few"] / first["floor"], "x"),
        Figure("cold: detection with carried columns, times the floor",
               first["many"] / first["wide"], "x"),
    ]  # fmt: skip


def primitives(bench: Bench) -> list[Figure]:
    """The scan alone, for 3 and for 60 events, each row being one of them"""
    frame = bench.table()
    names, kinds = tables.TYPES["type"], tables.TYPES["kind"]
    defined = [
        tc.event(f"e{n}", f"kind = '{kind}' and amount >= {n}") for n, kind in enumerate(kinds)
    ]
    times = bench.best(
        three=scan(frame, [tc.event(name) for name in names], "type"),
        sixty=scan(frame, [tc.event(kind) for kind in kinds], "kind"),
        sql=scan(frame, defined, "kind"),
    )
    return [
        Figure("3 events by name", times["three"], "s"),
        Figure("60 events by name: times that", times["sixty"] / times["three"], "x", 2, False),
        Figure("60 events by SQL: times that", times["sql"] / times["three"], "x", 2, False),
    ]


def scan(frame: DataFrame, events: list[Any], type: str) -> DataFrame:
    """What is done to rows before they move."""
    pattern = reduce(lambda a, b: a | b, events)
    query = Query.of(asked({"": pattern}, key="user", type=type), frame)
    return query.used(frame, functions)


def lag(bench: Bench) -> list[Figure]:
    """(B ; B) within 2s - (P | T), against LAG in Spark SQL"""
    frame = bench.table()
    frame.createOrReplaceTempView("events")
    own, query = tc.detect(FIRST, frame, key="user"), bench.spark.sql(LAG)
    times = bench.best(own=own, query=query)
    found = same(own.select("user", "start", "end"), query)
    return [
        Figure(f"detection, {found:,} found", times["own"], "s"),
        Figure("LAG, the same answer", times["query"], "s"),
        Figure("times as fast", times["query"] / times["own"], "x", 1),
    ]


def chain(bench: Bench) -> list[Figure]:
    """(A ; B ; C) within 60s - D, against a self-join and against window functions"""
    frame = bench.table()
    frame.createOrReplaceTempView("events")
    options = {"key": "user", "type": "step"}
    every = tc.detect(CHAIN, frame, **options, semantics="unrestricted")
    one = tc.detect(CHAIN, frame, **options)
    join, bounded, windows = map(bench.spark.sql, (JOIN, BOUNDED, WINDOWS))
    times = bench.best(every=every, join=join, bounded=bounded, one=one, windows=windows)
    triples = every.selectExpr("user", "start", "events[1].start as middle", "end")
    return [
        Figure(f"unrestricted, {same(triples, join):,} found", times["every"], "s"),
        Figure("self-join, the same answer", times["join"], "s"),
        Figure("times as fast", times["join"] / times["every"], "x", 5),
        Figure("self-join, each pair bounded: times", times["bounded"] / times["every"], "x"),
        Figure(f"restricted, {same(one.select('user', 'start', 'end'), windows):,} found",
               times["one"], "s"),
        Figure("three window functions, the same answer", times["windows"], "s"),
        Figure("times as fast", times["windows"] / times["one"], "x"),
    ]  # fmt: skip


def same(left: DataFrame, right: DataFrame) -> int:
    """How many rows both results have, which must be the same ones."""
    rows = [
        sorted(tuple(row.values()) for row in side.toArrow().to_pylist()) for side in (left, right)
    ]
    if rows[0] != rows[1]:
        raise SystemExit(f"answers differ: {len(rows[0])} and {len(rows[1])} rows")
    return len(rows[0])


def size(bench: Bench) -> list[Figure]:
    """(B ; B) within 2s - (P | T), ten times the events"""
    tenth, whole = bench.table(bench.events // 10), bench.table()
    times = bench.best(
        tenth=tc.detect(FIRST, tenth, key="user"), whole=tc.detect(FIRST, whole, key="user")
    )
    ratio = times["whole"] / times["tenth"]
    return [
        Figure(f"{bench.events // 10:,} events", times["tenth"], "s"),
        Figure("ten times the events: times the time", ratio, "x", 11, False),
    ]


def operators(bench: Bench) -> list[Figure]:
    """51 random operators, against four of the same events"""
    frame, unit = bench.table(), tables.DAY // EACH
    few = tc.detect(FOUR, frame, key="user", type="step")
    patterns = [random_pattern(51, tables.TYPES["step"], seed, unit) for seed in range(3)]
    many = {f"n{n}": tc.detect(p, frame, key="user", type="step") for n, p in enumerate(patterns)}
    times = bench.best(few=few, **many)
    figures = [Figure(f"{FOUR}, {few.count():,} found", times["few"], "s")]
    for name, job in many.items():
        what = f"51 operators, {job.count():,} found: times that"
        figures.append(Figure(what, times[name] / times["few"], "x", 3, False))
    return figures


def skew(bench: Bench) -> list[Figure]:
    """Half of the rows are of one key, against that key alone on one core"""
    every = tables.skewed(bench.folder, bench.events, bench.events // EACH)
    one = tables.alone(bench.folder, bench.events)
    jobs = {"all": ("few", every, 2), "same": ("hot", every, 1), "own": ("few", one, 1)}
    # With Spark's own settings a JVM on one core has another collector of garbage than on two.
    sessions = {"as Tocsin starts it": True, "with Spark's own settings": False}
    best: dict[tuple[str, bool], float] = {}
    for _ in range(2):  # in turn: the machine may change its speed
        for tuned in sessions.values():
            for name, (job, place, cores) in jobs.items():
                taken = alone(job, place, cores=cores, tuned=tuned)["best"]
                best[name, tuned] = min(taken, best.get((name, tuned), taken))
    figures = []
    for kind, tuned in sessions.items():
        both, same, own = (best[name, tuned] for name in jobs)
        figures += [
            Figure(f"in a session {kind}: all keys, on two cores", both, "s"),
            Figure("times that key of the same table, on one", both / same, "x", 1, False),
            Figure("times that key in a table of its own, on one", both / own, "x", 1, False),
        ]
    reading = alone("floor", every)["best"] / alone("floor", one, cores=1)["best"]
    return [*figures, Figure("only the floor: times that of the table of one key", reading, "x")]


def memory(bench: Bench) -> list[Figure]:
    """A driver with a heap of 1 GB, and a table of 4 GB once it is read"""
    rows = bench.events * 5 // 2  # with 160 bytes each in memory
    place = tables.wide(bench.folder, rows, bench.events // EACH)
    done = alone("text", place, memory="1g")
    return [
        Figure(f"the table: {rows:,} rows", done["bytes"] / 1e9, "GB"),
        Figure(f"detection, text carried, {done['found']:,} found", done["first"], "s"),
    ]


def start(bench: Bench) -> list[Figure]:
    """A process that starts Spark, asks it once and ends, when `tocsin warm` has been run"""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "events.csv").write_text("B,1\nB,2\nP,3\nT,4\n")
        answer = f"""if True:
            import tocsin
            from tocsin.spark.session import local_session
            with local_session(cores=2) as spark:
                frame = spark.read.schema("type string, time bigint").csv({folder!r})
                assert tocsin.detect("(B ; B) within 2 - (P | T)", frame).count() == 1
        """
        command, repeats = [sys.executable, "-c", answer], bench.watch.repeats
        taken = seconds_of(command, repeats)
        # Whoever tells spark-submit something, be it what it would assume, has it asked.
        plain = seconds_of(command, repeats, PYSPARK_SUBMIT_ARGS="pyspark-shell")
    return [
        Figure("to the first answer, on a file of four rows", taken, "s"),
        Figure("the same by way of spark-submit, and all classes read", plain, "s"),
        Figure("times as long", plain / taken, "x"),
    ]


SECTIONS: dict[str, Callable[[Bench], list[Figure]]] = {
    section.__name__: section
    for section in (floor, primitives, lag, chain, size, operators, skew, memory, start)
}


def alone(
    job: str, place: str, *, cores: int = 2, memory: str = "4g", tuned: bool = False
) -> dict[str, Any]:
    """What a job takes in a session of its own, if `tuned` as Tocsin would start it."""
    asked = {"job": job, "place": place, "cores": cores, "memory": memory, "tuned": tuned}
    command = [sys.executable, __file__, "--alone", json.dumps(asked)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def child(job: str, place: str, cores: int, memory: str, tuned: bool) -> dict[str, Any]:
    """The first time that a job takes, and the best of three after that."""
    if cores < (os.cpu_count() or 1):  # the workers' processes are to have no more than the JVM
        os.sched_setaffinity(0, range(cores))
    started = local_session(cores=cores, memory=memory) if tuned else session(cores, memory)
    with started as spark:
        frame = spark.read.parquet(place)
        jobs: dict[str, Callable[[], DataFrame]] = {
            "floor": lambda: moved(frame),
            "few": lambda: tc.detect(FIRST, frame, key="user"),
            "hot": lambda: tc.detect(FIRST, frame.filter(f"user = '{tables.HOT}'"), key="user"),
            "wide": lambda: moved(frame, "ip", "amount"),
            "many": lambda: tc.detect(MANY, frame, key="user", carry=["ip", "amount"]),
            "text": lambda: tc.detect(MANY, frame, key="user", carry="text"),
        }
        bench, found = Bench(spark, Watch(3, "wall"), Path(), 0), jobs[job]()
        begin = bench.watch.now()
        if job == "text":
            count = found.count()
            size = "60 + length(user) + length(ip) + length(text)"
            taken = bench.watch.now() - begin
            return {
                "first": taken,
                "found": count,
                "bytes": frame.selectExpr(f"sum({size})").first()[0],
            }
        unused(found)
        first = bench.watch.now() - begin
        return {"first": first, "best": bench.best(job=found)["job"]}


def session(cores: int = 2, memory: str = "4g") -> Any:
    """A session in which the JVM has Spark's own settings, but is quiet."""
    settings = {
        "spark.sql.codegen.hugeMethodLimit": "65535",
        "spark.sql.files.maxPartitionBytes": "128m",
        OPTIONS: "",
    }
    return local_session(cores=cores, memory=memory, partitions=200, settings=settings)


def main() -> None:
    options = command_line(__doc__, SECTIONS, "a hundredth of the events")
    options.add_argument("--events", type=int, default=10_000_000, help="10,000,000 if not said")
    options.add_argument("--clock", choices=["wall", "processor"], default="wall")
    options.add_argument("--folder", type=Path, default=Path("out/benchmarks"), help="for tables")
    options.add_argument("--alone", type=json.loads, help=argparse.SUPPRESS)
    said = options.parse_args()
    if said.alone:
        print(json.dumps(child(**said.alone)))
        return
    events = max(100_000, said.events // 100 if said.quick else said.events) // 100_000 * 100_000
    clock = "wall" if said.clock == "wall" else "family"
    with session() as spark:
        bench = Bench(spark, Watch(3, clock), said.folder.resolve(), events)
        report(SECTIONS, said, events, bench)


if __name__ == "__main__":
    main()
