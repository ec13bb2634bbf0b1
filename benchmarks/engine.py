"""How fast the engine is, against the bars it is to clear: on one core, best of three.

    .venv/bin/python benchmarks/engine.py                        # tables, about five minutes
    .venv/bin/python benchmarks/engine.py --quick                # a tenth of the events
    .venv/bin/python benchmarks/engine.py --only chains --json   # one section, for machines

What the figures mean and what limits them is in docs/performance.md.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from measuring import Figure, Watch, command_line, report, resident_mb, seconds_of
from streams import (
    FIFTEEN,
    FIRST,
    THREE,
    cut,
    keyed,
    one_by_one,
    plan_of,
    random_pattern,
    reordered,
    ticking,
)

from tocsin.engine.blocks import Batch
from tocsin.engine.detector import Detector
from tocsin.engine.found import Found
from tocsin.engine.plan import Plan
from tocsin.engine.sorting import by_key_and_time

CONTEXTS = ("recent", "chronicle", "continuous", "cumulative")
EACH = 100
"""How many events a key has, where there are keys."""


def detected(plan: Plan, batch: Batch) -> Found:
    """Everything that a fresh detector finds in some rows."""
    return Detector(plan).advance(batch, int(batch.end.max()))["p"]


def speed(what: str, events: int, seconds: float, bar: float | None = None) -> Figure:
    """A figure in millions of events a second."""
    return Figure(what, events / seconds / 1e6, "M events/s", bar)


def first(watch: Watch, events: int) -> list[Figure]:
    """(B ; B) within 2s - (P | T), a hundred events a key"""
    plan = plan_of(FIRST)
    batch = keyed(plan, THREE, events, events // EACH)
    small = keyed(plan, THREE, events // 10, events // EACH // 10)
    columns = np.stack((batch.key, batch.end, batch.bits[0]))
    copy = np.empty_like(columns)
    mixed = reordered(batch, np.random.default_rng(2).permutation(events))
    plain = watch.best(lambda: reordered(mixed, np.lexsort((mixed.end, mixed.key))))[0]
    taken, found = watch.best(lambda: detected(plan, batch))
    tenth = watch.best(lambda: detected(plan, small))[0]
    copying = watch.best(lambda: np.copyto(copy, columns))[0]
    sorting = watch.best(
        lambda: detected(plan, reordered(mixed, by_key_and_time(mixed.key, mixed.end)[0]))
    )[0]
    return [
        speed(f"rows in order, {found.key.size:,} found", events, taken, 20),
        Figure("ten times the events: times the time", taken / tenth, "x", 11, False),
        speed("rows in any order", events, sorting),
        Figure("the same: time more than in order", sorting - taken, "s", plain, False),
        Figure("NumPy's sort of the rows, to compare", plain, "s"),
        Figure("the floor: copying key, time and type once", copying, "s"),
        Figure("rows in order: times the floor", taken / copying, "x"),
    ]


def operators(watch: Watch, events: int) -> list[Figure]:
    """51 random operators over 15 types, five patterns"""
    figures = []
    for seed in range(5):
        plan = plan_of(random_pattern(51, FIFTEEN, seed))
        batch = keyed(plan, FIFTEEN, events, events // EACH)
        taken, found = watch.best(detected, plan, batch)
        what = f"pattern {seed + 1}: {len(plan.nodes)} nodes, {found.key.size:,} found"
        figures.append(speed(what, events, taken, 1))
    return figures


def chains(watch: Watch, events: int) -> list[Figure]:
    """E1 ; E2 ; … in a stream of 15 types without a key"""
    figures = []
    for semantics in ("restricted", "continuous"):
        times = []
        for length in (3, 5, 7, 9):
            chain = " ; ".join(FIFTEEN[:length])
            plan = plan_of(
                chain if semantics == "restricted" else f"({chain}) within 100", semantics
            )
            taken, found = watch.best(detected, plan, ticking(plan, FIFTEEN, events))
            times.append(taken)
            what = f"{semantics}, {length} primitives, {found.key.size:,} found"
            figures.append(speed(what, events, taken, 10))
        times_as_long = times[-1] / times[0]
        figures.append(Figure(f"{semantics}: 9 against 3", times_as_long, "x", 2, False))
    return figures


def contexts(watch: Watch, events: int) -> list[Figure]:
    """A ; B in each context; unrestricted with more and more to find"""
    names = ["A", "B", "C"]
    plan = plan_of("A ; B")
    batch = keyed(plan, names, events, events // EACH)
    restricted, found = watch.best(detected, plan, batch)
    figures = [speed(f"restricted, {found.key.size:,} found", events, restricted)]
    for context in CONTEXTS:
        taken, found = watch.best(detected, plan_of("A ; B", context), batch)
        what = f"{context}, {found.key.size:,} found: share of that speed"
        figures.append(Figure(what, restricted / taken, "x", 0.333))
    return figures + unrestricted(watch, batch)


def unrestricted(watch: Watch, batch: Batch) -> list[Figure]:
    """What one occurrence more takes, when there are few and when there are many."""
    points = []
    for window in (2, 10, 50):
        plan = plan_of(f"(A ; B) within {window}s", "unrestricted")
        taken, found = watch.best(detected, plan, batch)
        points.append((found.key.size, taken))
    (few, low), (more, middle), (many, high) = points
    steps = ((middle - low) / (more - few) * 1e9, (high - middle) / (many - more) * 1e9)
    return [
        Figure(f"unrestricted, {more:,} found: for each more than {few:,}", steps[0], "ns"),
        Figure(f"unrestricted, {many:,} found: for each more than {more:,}", steps[1], "ns"),
        Figure("unrestricted: the second against the first", steps[1] / steps[0], "x", 2, False),
    ]


def memory(watch: Watch, events: int) -> list[Figure]:
    """(B ; B) within 2s - (P | T) in a hundred cuts, 100,000 keys"""
    cuts, each = 100, events // 10
    plan = plan_of(FIRST)
    detector, resident, taken, found = Detector(plan), [], 0.0, 0
    for number in range(cuts):
        batch = cut(plan, THREE, number, each, keys=100_000)
        begin = watch.now()
        found += detector.advance(batch, int(batch.end.max()))["p"].key.size
        taken += watch.now() - begin
        resident.append(resident_mb())
    early, peak = max(resident[:10]), max(resident)
    return [
        speed(f"cuts of {each:,}, {found:,} found", cuts * each, taken),
        Figure("memory after ten cuts", early, "MB"),
        Figure("the most against that", peak / early, "x", 1.1, False),
    ]


def single(watch: Watch, events: int) -> list[Figure]:
    """(B ; B) within 2s - (P | T), one event a call"""
    plan, figures = plan_of(FIRST), []
    for keys in (1, 100_000):
        each = min(seconds_per_call(watch, plan, keys) for _ in range(watch.repeats))
        figures.append(Figure(f"{keys:,} keys known: per event", each * 1e6, "µs", 100, False))
    return figures


def seconds_per_call(watch: Watch, plan: Plan, keys: int) -> float:
    """The time that one row takes, where all keys are known before."""
    detector, batches = Detector(plan), list(one_by_one(plan, THREE, 10_000, keys))
    detector.advance(batches[0], int(batches[0].end.max()))
    begin = watch.now()
    for batch in batches[1:]:
        detector.advance(batch, int(batch.end[0]))
    return (watch.now() - begin) / (len(batches) - 1)


def start(watch: Watch, events: int) -> list[Figure]:
    """A second process"""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "events.csv"
        file.write_text("type,time,user\nB,1,a\nB,2,a\nP,3,a\nT,4,a\n")
        call = f"tocsin.detect('(B ; B) within 2 - (P | T)', {str(file)!r}, key='user')"
        answer = f"import tocsin; assert len({call}) == 1"
        seconds_of([sys.executable, "-c", answer], 1)  # the first process compiles
        times = [
            seconds_of([sys.executable, "-c", code], watch.repeats)
            for code in ("pass", "import tocsin", answer)
        ]
    return [
        Figure("import tocsin", times[1] - times[0], "s", 0.2, False),
        Figure("to the first answer, on a file of four rows", times[2], "s", 2.5, False),
    ]


SECTIONS: dict[str, Callable[[Watch, int], list[Figure]]] = {
    section.__name__: section
    for section in (first, operators, chains, contexts, memory, single, start)
}


def main() -> None:
    options = command_line(__doc__, SECTIONS, "a tenth of the events")
    options.add_argument("--events", type=int, default=10_000_000, help="10,000,000 if not said")
    options.add_argument("--clock", choices=["wall", "processor"], default="wall")
    said = options.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    events = max(10_000, said.events // 10 if said.quick else said.events) // 1000 * 1000
    report(SECTIONS, said, events, Watch(3, said.clock), events)


if __name__ == "__main__":
    main()
