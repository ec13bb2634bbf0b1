"""A progress bar on the terminal for work that takes a while; nothing where nobody is watching."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from tocsin.tables.progress import heard_by

PATIENCE = 1.0
"""Seconds before a bar is shown: what is quick needs none."""


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show how far the work inside has come."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    began = perf_counter()
    bar = Progress(*columns, console=console, transient=True)
    shown: dict[str, TaskID] = {}

    def show(what: str, done: int, total: int) -> None:
        if perf_counter() - began < PATIENCE:
            return
        if what not in shown:
            for other in list(shown):
                bar.remove_task(shown.pop(other))
            shown[what] = bar.add_task(what, total=total or None)
            bar.start()
        bar.update(shown[what], completed=done, total=total or None)

    with heard_by(show):
        try:
            yield
        finally:
            bar.stop()
