"""`tocsin detect --stream FOLDER`, as it is asked for, and where what is found goes."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer
from rich.cells import cell_len
from rich.console import Console

from tocsin.cli.by_stream import Stream, by_stream
from tocsin.cli.options import LATE, Format
from tocsin.cli.question import Question
from tocsin.cli.terminal import summary
from tocsin.errors import DefinitionError
from tocsin.language.settings import check_name
from tocsin.show import occurrences as show
from tocsin.show.screen import screen
from tocsin.tables.output import FORMATS, whole_file
from tocsin.tables.results import Occurrences

if TYPE_CHECKING:
    from tocsin.cli.telling import Telling

WIDE = 30
"""A column stays as wide as it was, but not wider than this."""


def streaming(stream: bool, output: Path | None, **said: Any) -> Stream | None:
    """What was said of a stream; None if there is none."""
    if not stream:
        wrong = next((name for name, value in said.items() if value), None)
        if wrong:
            raise DefinitionError(
                f"--{wrong} is for streams", hint="write --stream, or leave it out"
            )
        return None
    if said["watermark"] is None:
        raise DefinitionError(
            "a stream needs --watermark, which says how late rows may be",
            hint="write --watermark 10min, or 0s if they come in order",
        )
    late = said.pop("late") or "drop"
    check_name("late", late, LATE)
    return Stream(late=late, output=output, **said)


def follow(question: Question, how: Stream, shape: Format) -> None:
    """Say what is found, as it is found, until there is no more or somebody presses Ctrl-C."""
    began = perf_counter()
    _check(shape, how.output)
    with by_stream(question, how) as telling:
        if how.output:
            _write_each(telling, shape, how.output)
        else:
            pieces = chain.from_iterable(found.pieces() for _, found in telling.batches())
            if shape is Format.table:
                _show_each(pieces, screen())
            else:
                FORMATS[shape](pieces, sys.stdout.buffer)
    tally = telling.tally
    further = [f"{tally.late:,} late"] if tally.late else []
    further += [f"{tally.waiting:,} that wait for later ones"] if tally.waiting else []
    summary(tally.counts, tally.found, began, further)
    if telling.ended_by:
        raise typer.Exit(128 + telling.ended_by)


def _check(shape: Format, output: Path | None) -> None:
    """Refuse forms that a stream cannot have."""
    if output is None and shape is Format.json:
        raise DefinitionError(
            "--format is 'json', which has an end, and a stream has none",
            hint="use table, jsonl or csv",
        )
    if output is not None and shape is Format.table:
        raise DefinitionError(
            "--format is 'table', which is for the screen",
            hint="write --format jsonl, csv or parquet, or leave --output out",
        )


def _write_each(telling: Telling, shape: Format, folder: Path) -> None:
    """A file for each micro-batch in which something is found: whole, and never twice, for what
    is done again after a failure takes the place of what was there."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, found in telling.batches():
        if len(found):
            with whole_file(folder / f"{number:08}.{shape.value}") as file:
                FORMATS[shape](found.pieces(), file)


def _show_each(pieces: Iterable[Occurrences], page: Console) -> None:
    """One table, a piece at a time, whose columns are as wide as they have been before."""
    shown, widths = 0, dict[str, int]()
    for piece in pieces:
        if not len(piece):
            continue
        table = show.table(piece, first=shown + 1)
        for column in table.columns:
            if str(column.header) != "events":  # these are as wide as there is room
                cells = (str(cell) for cell in column.cells)
                width = max(map(cell_len, (*cells, "")))
                name = str(column.header)
                column.min_width = widths[name] = min(max(width, widths.get(name, 0)), WIDE)
        page.print(table)
        shown += len(piece)
