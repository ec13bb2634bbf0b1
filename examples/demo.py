"""The demo: five patterns in a day of a million events, in Apache Spark.

    .venv/bin/python examples/demo.py [--rows 1000000] [--seed 2026] [--out out/demo]

Makes the day (`day.py`), detects, prints what was found, and checks it against what was planted.
Ends with exit code 1 if anything is missing or too much. The folder then holds the events, what was
found, and a summary.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from day import DATE, Day, Situation, make_day
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

import tocsin as tc
from tocsin.show.screen import screen
from tocsin.spark.session import local_session

EXAMPLES = 5  # findings that are shown of each pattern
MICROSECOND = timedelta(microseconds=1)
LOGIN = "type = 'login'"


@dataclass(frozen=True)
class Watch:
    """A pattern to look for, and how to tell people what was found."""

    name: str
    wanted: str
    pattern: str
    key: list[str]
    tell: Callable[[dict[str, Any]], str]
    """What happened, in words, from a row of the result."""
    options: dict[str, Any] = field(default_factory=dict)
    """Further arguments of `tocsin.detect`."""
    only: str = "true"
    """Which rows of the result count, in Spark SQL."""


WATCHES = [
    Watch(
        "break-in",
        "Three failed logins and then one that works, within ten minutes, and the password was not "
        "changed in between.",
        "(failed ; failed ; failed ; ok) within 10min - password",
        ["user"],
        lambda row: f"from {row['ip']} ({row['country']})",
        {
            "define": {"failed": f"{LOGIN} and not success", "ok": f"{LOGIN} and success"},
            "carry": ["ip", "country"],
            "measures": {"ip": "ok.ip", "country": "ok.country"},
        },
    ),
    Watch(
        "takeover",
        "A new password and a new device, in either order, and then a payment of more than 1,000, "
        "all within half an hour.",
        "((password & device) ; transfer) within 30min",
        ["user"],
        lambda row: f"on a {row['new']}, and {row['paid']:,.2f} are gone",
        {
            "define": {"transfer": "type = 'payment' and amount > 1000"},
            "carry": ["device", "amount"],
            "measures": {"new": "device.device", "paid": "transfer.amount"},
        },
    ),
    Watch(
        "card testing",
        "Three or more payments of less than 2, and then one of more than 200, all within five "
        "minutes.",
        "(small ; large) within 5min",
        ["card"],
        lambda row: f"{row['tests']} small payments, then {row['stolen']:,.2f}",
        {
            "semantics": "cumulative",
            "define": {
                "small": "type = 'payment' and amount < 2",
                "large": "type = 'payment' and amount > 200",
            },
            "carry": ["amount"],
            "measures": {"tests": "size(small)", "stolen": "large.amount"},
        },
        only="tests >= 3",
    ),
    Watch(
        "unanswered alarm",
        "An alarm that nobody acknowledges for five minutes.",
        "delay(alarm, 5min) - acknowledged",
        ["building", "room"],
        lambda row: f"{row['kind']} alarm",
        {"carry": ["alarm"], "measures": {"kind": "alarm.alarm"}},
    ),
    Watch(
        "silent sensor",
        "A sensor that has not been heard for half an hour.",
        "absent(heartbeat, 30min)",
        ["sensor"],
        lambda row: f"silent since {clock(row['end'] - timedelta(minutes=30))}",
    ),
]


def main() -> int:
    """Make the day, look for everything, tell, check; returns the exit code."""
    options, page, began = arguments(), screen(), perf_counter()
    options.out.mkdir(parents=True, exist_ok=True)
    page.print(f"Making a day of {options.rows:,} events …")
    day = make_day(options.rows, options.seed)
    pq.write_table(day.events, options.out / "events.parquet")
    page.print("Starting Spark; the first time, kernels are compiled as well …\n")
    found = {}
    with local_session("tocsin demo") as spark:
        events = spark.read.parquet(str(options.out / "events.parquet"))
        for watch in WATCHES:
            found[watch.name] = look(watch, events)
            show(watch, found[watch.name], page, examples=EXAMPLES)
    right = leave(found, day, options.out, page)
    page.print(f"\n{perf_counter() - began:.0f} s in all. In {options.out}:")
    list_files({"events.parquet": "the day"} | FILES, page)
    return 0 if right else 1


FILES = {
    "findings/": "what was found, with its events, one parquet file per pattern",
    "findings.jsonl": "the same, one JSON object per line",
    "summary.txt": "the same, to read",
}


def leave(found: dict[str, pa.Table], day: Day, folder: Path, page: Console) -> bool:
    """Write down what was found, and say whether it is what was planted."""
    write(found, folder)
    with (folder / "summary.txt").open("w", encoding="utf-8") as file:
        paper = Console(file=file, width=100, highlight=False, markup=False, emoji=False)
        paper.print(f"{len(day.events):,} events of {DATE.item():%d %B %Y}\n")
        for watch in WATCHES:
            show(watch, found[watch.name], paper)
        check(found, day, paper)
    return check(found, day, page)


def list_files(files: dict[str, str], page: Console) -> None:
    """Say what lies in the folder now."""
    for name, what in files.items():
        page.print(f"  {name:<16}{what}")


def arguments() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description="Five patterns in a day of events, in Spark.")
    parser.add_argument("--rows", type=int, default=1_000_000, help="how many events (1000000)")
    parser.add_argument("--seed", type=int, default=2026, help="another seed is another day")
    parser.add_argument("--out", type=Path, default=Path("out/demo"), help="where to (out/demo)")
    return parser.parse_args()


def look(watch: Watch, events: Any) -> pa.Table:
    """What Spark finds, in order of time."""
    own = events.where(f"{watch.key[-1]} is not null")
    found = tc.detect(watch.pattern, own, key=watch.key, **watch.options)
    return found.where(watch.only).orderBy("detected", *watch.key).toArrow()


def show(watch: Watch, found: pa.Table, page: Console, examples: int | None = None) -> None:
    """Tell people what was found, or the first of it."""
    page.print(Rule(Text(watch.name, "bold"), align="left"))
    page.print(Text(f"\n{watch.wanted}\n\n    ").append(watch.pattern, "cyan").append("\n"))
    table = Table.grid(padding=(0, 3, 0, 0))
    rows = found.to_pylist()
    for row in rows[:examples]:
        table.add_row(f"  {who(watch, row)}", when(row), Text(watch.tell(row)))
    page.print(table)
    if examples is not None and len(rows) > examples:
        page.print(f"  … and {len(rows) - examples:,} more")
    page.print()


def who(watch: Watch, row: dict[str, Any]) -> str:
    """The key of a finding."""
    return " ".join(row[name] for name in watch.key)


def when(row: dict[str, Any]) -> str:
    """From when to when, or the moment."""
    start, end = clock(row["start"]), clock(row["end"])
    return start if start == end else f"{start} to {end}"


def clock(time: datetime) -> str:
    """The time of day, to the second."""
    return f"{time:%H:%M:%S}"


def check(found: dict[str, pa.Table], day: Day, page: Console) -> bool:
    """Say how much was planted and found, and what is missing or too much."""
    planted = set(day.planted)
    seen = {situation for watch in WATCHES for situation in situations(watch, found[watch.name])}
    page.print(Rule(Text("planted and found", "bold"), align="left"))
    table = Table.grid(padding=(0, 3, 0, 0))
    for place in ("left", "right", "right"):
        table.add_column(justify=place)
    table.add_row("", "planted", "found")
    for watch in WATCHES:
        counts = [sum(s.pattern == watch.name for s in all_) for all_ in (planted, seen)]
        table.add_row(f"  {watch.name}", *map(str, counts))
    page.print("", table, "")
    for what, wrong in (("missing", planted - seen), ("too much", seen - planted)):
        for s in sorted(wrong):
            span = when({"start": moment(s.start), "end": moment(s.end)})
            page.print(Text(f"{what}: {s.pattern}, {s.who}, {span}", "red"))
    if planted == seen:
        page.print(Text("Everything that was planted was found, and nothing else.", "green"))
    return planted == seen


def situations(watch: Watch, found: pa.Table) -> Iterator[Situation]:
    """What was found, as what was planted is written."""
    for row in found.to_pylist():
        start, end = ((row[t] - moment(0)) // MICROSECOND for t in ("start", "end"))
        yield Situation(watch.name, who(watch, row), start, end)


def moment(microseconds: int) -> datetime:
    """A time of the day."""
    return DATE.item().replace(tzinfo=UTC) + timedelta(microseconds=microseconds)


def write(found: dict[str, pa.Table], folder: Path) -> None:
    """What was found, for other programs."""
    (folder / "findings").mkdir(exist_ok=True)
    with (folder / "findings.jsonl").open("w", encoding="utf-8") as lines:
        for name, table in found.items():
            pq.write_table(table, folder / "findings" / f"{name.replace(' ', '-')}.parquet")
            for row in table.to_pylist():
                line = {**row, "pattern": name}
                lines.write(json.dumps(line, default=datetime.isoformat) + "\n")


if __name__ == "__main__":
    sys.exit(main())
