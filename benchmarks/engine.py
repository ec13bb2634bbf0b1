"""How fast the engine is, against the bars it is to clear; on one core, best of three.

    .venv/bin/python benchmarks/engine.py                  # a table, about five minutes
    .venv/bin/python benchmarks/engine.py --quick          # a tenth of the events
    .venv/bin/python benchmarks/engine.py --only first,chains --json

What the figures mean, and what limits them, is in docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from measuring import Figure, Watch, as_json, resident_mb, show
from streams import FIRST, cut, keyed, plan_of, random_pattern, ticking

from tocsin.engine.detector import Batch, Detector
from tocsin.engine.found import Found
from tocsin.engine.plan import Plan

THREE = ["B", "P", "T"]
FIFTEEN = [f"E{i:02}" for i in range(15)]
CONTEXTS = ("recent", "chronicle", "continuous", "cumulative")
MILLION = 1e6


def run(plan: Plan, batch: Batch) -> Found:
    """Everything that a fresh detector finds in some rows."""
    return Detector(plan).advance(batch, int(batch.end.max()))["p"]


def first(watch: Watch, events: int) -> list[Figure]:
    """The first pattern: presorted, in any order, a tenth of it, and what memory allows."""
    plan = plan_of(FIRST)
    batch = keyed(plan, THREE, events, keys=max(1, events // 100))
    taken, found = watch.best(lambda: run(plan, batch))
    tenth = keyed(plan, THREE, events // 10, keys=max(1, events // 1000))
    small, _ = watch.best(lambda: run(plan, tenth))
    columns = (batch.key, batch.end, batch.bits)
    copies = [np.empty_like(column) for column in columns]
    copying, _ = watch.best(lambda: [np.copyto(*pair) for pair in zip(copies, columns, strict=True)])
    mixed = shuffled(batch)
    sorting, _ = watch.best(lambda: in_order(mixed))
    unsorted, _ = watch.best(lambda: run(plan, in_order(mixed)))
    return [
        Figure(f"presorted, {found.key.size:,} found", events / taken / MILLION, "M events/s", 20),
        Figure("presorted: time", taken, "s"),
        Figure("one sort of the rows", sorting, "s"),
        Figure("in any order: more than presorted", unsorted - taken, "s", sorting, False),
        Figure("ten times the events: times the time", taken / small, "x", 11, False),
        Figure("floor: copying key, time and bits once", copying, "s"),
        Figure("distance to the floor", taken / copying, "x"),
    ]


def shuffled(batch: Batch) -> Batch:
    """The same rows in any order."""
    order = np.random.default_rng(2).permutation(batch.key.size)
    return taken_by(batch, order)


def in_order(batch: Batch) -> Batch:
    """The rows sorted as a detector wants them."""
    return taken_by(batch, np.lexsort((batch.end, batch.key)))


def taken_by(batch: Batch, order: np.ndarray) -> Batch:
    time = batch.end[order]
    bits = np.take(batch.bits, order, axis=1)
    return Batch(batch.key[order], time, time, bits, batch.number[order])


def operators(watch: Watch, events: int) -> list[Figure]:
    """Patterns of 51 random operators over 15 types."""
    figures = []
    for seed in range(5):
        plan = plan_of(random_pattern(51, FIFTEEN, seed))
        batch = keyed(plan, FIFTEEN, events, keys=max(1, events // 100))
        taken, found = watch.best(lambda: run(plan, batch))
        what = f"pattern {seed}, {len(plan.nodes)} nodes, {found.key.size:,} found"
        figures.append(Figure(what, events / taken / MILLION, "M events/s", 1))
    return figures


def chains(watch: Watch, events: int) -> list[Figure]:
    """Sequences of 3, 5, 7 and 9 primitives in a stream of 15 types, without a key."""
    figures = []
    for semantics in ("restricted", "continuous"):
        times = []
        for length in (3, 5, 7, 9):
            chain = " ; ".join(FIFTEEN[:length])
            pattern = chain if semantics == "restricted" else f"({chain}) within 100"
            plan = plan_of(pattern, semantics)
            batch = ticking(plan, FIFTEEN, events)
            taken, found = watch.best(lambda: run(plan, batch))
            times.append(taken)
            what = f"{semantics}, {length} primitives, {found.key.size:,} found"
            figures.append(Figure(what, events / taken / MILLION, "M events/s", 10))
        ratio = times[-1] / times[0]
        figures.append(Figure(f"{semantics}: longest against shortest", ratio, "x", 2, False))
    return figures


def contexts(watch: Watch, events: int) -> list[Figure]:
    """`A ; B` in each context, and unrestricted with more and more to find."""
    names, keys = ["A", "B", "C"], max(1, events // 100)
    plan = plan_of("A ; B")
    batch = keyed(plan, names, events, keys)
    restricted, found = watch.best(lambda: run(plan, batch))
    speed = events / restricted / MILLION
    figures = [Figure(f"restricted, {found.key.size:,} found", speed, "M events/s")]
    for context in CONTEXTS:
        plan = plan_of("A ; B", context)
        taken, found = watch.best(lambda: run(plan, batch))
        what = f"{context}, {found.key.size:,} found: share of restricted"
        figures.append(Figure(what, restricted / taken, "x", 1 / 3))
    for window in (2, 10, 50):
        plan = plan_of(f"(A ; B) within {window}s", "unrestricted")
        taken, found = watch.best(lambda: run(plan, batch))
        what = f"unrestricted within {window}s, {found.key.size:,} found: per row in or out"
        figures.append(Figure(what, taken / (events + found.key.size) * 1e9, "ns"))
    return figures


def memory(watch: Watch, events: int) -> list[Figure]:
    """The first pattern fed in cuts of a million rows (a hundredth of all, if that is less)."""
    plan, keys = plan_of(FIRST), 100_000
    cuts = 100
    each = events // 10
    detector, resident, taken, found = Detector(plan), [], 0.0, 0
    for number in range(cuts):
        batch = cut(plan, THREE, number, each, keys)
        begin = watch.now()
        found += detector.advance(batch, int(batch.end.max()))["p"].key.size
        taken += watch.now() - begin
        resident.append(resident_mb())
    after_ten, peak = max(resident[:10]), max(resident)
    return [
        Figure(f"{cuts} cuts of {each:,}, {found:,} found", cuts * each / taken / MILLION, "M events/s"),
        Figure("memory after ten cuts", after_ten, "MB"),
        Figure("peak against that", peak / after_ten, "x", 1.1, False),
    ]


def single(watch: Watch, events: int) -> list[Figure]:
    """One event at a time, with one key and with many known."""
    figures = []
    plan = plan_of(FIRST)
    for keys in (1, 100_000):
        detector = Detector(plan)
        known = cut(plan, THREE, 0, max(keys, 10), keys)
        known.key[:] = np.arange(keys).repeat(known.key.size // keys)
        detector.advance(known, int(known.end.max()))
        count = max(1000, events // 1000)
        rows = cut(plan, THREE, 1, count, keys)
        order = np.argsort(rows.end, kind="stable")
        ones = []
        for i, time_ in zip(order.tolist(), (int(known.end.max()) + np.arange(1, count + 1)).tolist()):
            end = np.array([time_])
            ones.append(Batch(rows.key[i : i + 1], end, end, rows.bits[:, i : i + 1], rows.number[i : i + 1]))
        begin = watch.now()
        for one in ones:
            detector.advance(one, int(one.end[0]))
        taken = watch.now() - begin
        figures.append(Figure(f"{keys:,} keys known: per event", taken / count * 1e6, "µs", 100, False))
    return figures


def start(watch: Watch, events: int) -> list[Figure]:
    """A second process: importing, and the first answer on a small file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "events.csv"
        file.write_text("type,time,user\n" + "".join(f"{n},{i},a\n" for i, n in enumerate("BPBBT")))
        answer = f"import tocsin; print(len(tocsin.detect('(B ; B) within 2', {str(file)!r}, key='user')))"
        spent = [seconds_of(code) for code in ("", "import tocsin", answer, answer)]
    return [
        Figure("importing tocsin", spent[1] - spent[0], "s", 0.2, False),
        Figure("first answer of a second process", spent[3], "s", 2.5, False),
    ]


def seconds_of(code: str) -> float:
    """The least time, of three, that a process takes to run some code."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        times.append(time.perf_counter() - begin)
    return min(times)


SECTIONS: dict[str, Callable[[Watch, int], list[Figure]]] = {
    "first": first,
    "operators": operators,
    "chains": chains,
    "contexts": contexts,
    "memory": memory,
    "single": single,
    "start": start,
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--events", type=int, default=10_000_000)
    options.add_argument("--quick", action="store_true", help="a tenth of the events")
    options.add_argument("--only", help=f"some of: {','.join(SECTIONS)}")
    options.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    events = chosen.events // 10 if chosen.quick else chosen.events
    watch, measured = Watch(3, chosen.clock), {}
    for name in (chosen.only or ",".join(SECTIONS)).split(","):
        section = SECTIONS[name]
        title = f"{section.__doc__} ({events:,} events)"
        measured[title] = section(watch, events)
        if not chosen.json:
            show(title, measured[title])
    if chosen.json:
        print(as_json(measured))


if __name__ == "__main__":
    main()
