"""Taking times and memory, and telling which bars are reached."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.table import Table

T = TypeVar("T")


@dataclass
class Figure:
    """One measured figure; `bar` is what the project asks for, None where it asks for nothing."""

    what: str
    value: float
    unit: str
    bar: float | None = None
    at_least: bool = True

    @property
    def reached(self) -> bool | None:
        if self.bar is None:
            return None
        return self.value >= self.bar if self.at_least else self.value <= self.bar


class Watch:
    """The best time of several runs, by the wall's clock or, on a busy machine, the processor's."""

    def __init__(self, repeats: int, clock: str) -> None:
        self.repeats = repeats
        self.now = time.perf_counter if clock == "wall" else time.process_time

    def best(self, run: Callable[[], T]) -> tuple[float, T]:
        """The least time that a run took, in seconds, and what the last one gave."""
        times = []
        for _ in range(self.repeats):
            gc.collect()
            begin = self.now()
            result = run()
            times.append(self.now() - begin)
        return min(times), result


def resident_mb() -> float:
    """The memory that this process occupies now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def show(title: str, figures: list[Figure]) -> None:
    """A table of figures on the terminal."""
    table = Table("figure", "measured", "bar", "reached", title=title, title_justify="left")
    for column in (1, 2):
        table.columns[column].justify = "right"
    for figure in figures:
        sign = "≥" if figure.at_least else "≤"
        bar = "" if figure.bar is None else f"{sign} {figure.bar:g} {figure.unit}"
        reached = {None: "", True: "[green]yes[/]", False: "[red]no[/]"}[figure.reached]
        table.add_row(figure.what, f"{figure.value:,.4g} {figure.unit}", bar, reached)
    Console().print(table)


def as_json(sections: dict[str, list[Figure]]) -> str:
    """All figures, by section."""
    listed = {
        title: [{**asdict(figure), "reached": figure.reached} for figure in figures]
        for title, figures in sections.items()
    }
    return json.dumps(listed, indent=2, ensure_ascii=False)
