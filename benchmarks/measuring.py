"""Taking times and memory, and telling which bars are reached."""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass
class Figure:
    """One measured figure; `bar` is what is asked of it, None where nothing is."""

    what: str
    value: float
    unit: str
    bar: float | None = None
    at_least: bool = True

    @property
    def reached(self) -> bool | None:
        """Whether the bar is reached; None where there is none."""
        if self.bar is None:
            return None
        return self.value >= self.bar if self.at_least else self.value <= self.bar


def family_seconds() -> float:
    """The processor's time of this process and of all that it has started, and they in turn."""
    own, parent = {}, {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it may be gone by now
            fields = (place / "stat").read_text().rpartition(")")[2].split()
            own[int(place.name)] = sum(map(int, fields[11:15]))
            parent[int(place.name)] = int(fields[1])
    members, todo = set(), [os.getpid()]
    while todo:
        members.add(todo.pop())
        todo = [p for p in parent if parent[p] in members and p not in members]
    return sum(own[member] for member in members) / os.sysconf("SC_CLK_TCK")


CLOCKS = {"wall": time.perf_counter, "processor": time.process_time, "family": family_seconds}


class Watch:
    """The best time of several runs, by the wall's clock or, on a busy machine, the processor's."""

    def __init__(self, repeats: int, clock: str) -> None:
        self.repeats, self.now = repeats, CLOCKS[clock]

    def best(self, run: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
        """The least time that a run took, in seconds, and what the last one gave."""
        times, result = [], None
        for _ in range(self.repeats):
            result = None
            gc.collect()
            begin = self.now()
            result = run(*arguments)
            times.append(self.now() - begin)
        return min(times), result


def seconds_of(command: list[str], repeats: int, **variables: str) -> float:
    """The least time that a process took, by the wall's clock, with such variables."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        subprocess.run(command, check=True, env=os.environ | variables)
        times.append(time.perf_counter() - begin)
    return min(times)


def resident_mb() -> float:
    """The memory that this process occupies now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def show(title: str, figures: list[Figure]) -> None:
    """A table of figures on the terminal."""
    table = Table("figure", "measured", "bar", "reached", title=title, title_justify="left")
    table.columns[1].justify = table.columns[2].justify = "right"
    for figure in figures:
        sign = "≥" if figure.at_least else "≤"
        bar = "" if figure.bar is None else f"{sign} {figure.bar:.3g} {figure.unit}"
        reached = {None: "", True: "[green]yes[/]", False: "[red]no[/]"}[figure.reached]
        table.add_row(figure.what, f"{figure.value:,.3g} {figure.unit}", bar, reached)
    Console().print(table)


def command_line(
    doc: str | None, sections: Mapping[str, Any], quick: str
) -> argparse.ArgumentParser:
    """What every benchmark can be told."""

    def some(text: str) -> list[str]:
        names = text.split(",")
        unknown = sorted(set(names) - set(sections))
        if unknown:
            raise argparse.ArgumentTypeError(
                f"no section {', '.join(unknown)}; there are {', '.join(sections)}"
            )
        return names

    options = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    options.add_argument("--quick", action="store_true", help=quick)
    options.add_argument(
        "--only", type=some, default=list(sections), help="sections, with commas between"
    )
    options.add_argument("--json", action="store_true", help="JSON in place of tables")
    return options


def report(
    sections: Mapping[str, Callable[..., list[Figure]]],
    said: argparse.Namespace,
    events: int,
    *given: Any,
) -> None:
    """Measure the sections that were asked for, and say what came of it."""
    measured = {}
    for name in said.only:
        measured[name] = sections[name](*given)
        if not said.json:
            show(f"{name}: {sections[name].__doc__}", measured[name])
    if said.json:
        print(as_json(events, measured))


def as_json(events: int, sections: dict[str, list[Figure]]) -> str:
    """All figures, by section."""
    listed = {
        name: [{**asdict(figure), "reached": figure.reached} for figure in figures]
        for name, figures in sections.items()
    }
    return json.dumps({"events": events, "sections": listed}, indent=2, ensure_ascii=False)
