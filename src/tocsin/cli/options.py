"""The options of `tocsin detect`, each declared once: its type and its effect."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from tocsin.language.durations import MICROSECONDS
from tocsin.language.settings import BASES, POLICIES, REPORTS, SEMANTICS

ENGINES = ("spark", "local", "oracle")
LATE = ("drop", "keep")

PATTERN_HELP = 'As text, "(B ; B) within 2s - (P | T)", or @FILE to read it from a file.'


class Format(StrEnum):
    """What can come out."""

    table = "table"
    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    parquet = "parquet"


def _option(panel: str, metavar: str, help: str) -> Any:
    return typer.Option(metavar=metavar, help=help, rich_help_panel=panel, show_default=True)


def _meaning(metavar: str, help: str) -> Any:
    return _option("What to look for", metavar, help)


def _events(metavar: str, help: str) -> Any:
    return _option("How to read the events", metavar, help)


def _output(metavar: str, help: str) -> Any:
    return _option("What comes out", metavar, help)


def _stream(metavar: str, help: str) -> Any:
    return _option("Streams", metavar, help)


def _one_of(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


Texts: TypeAlias = list[str] | None

Events: TypeAlias = Annotated[
    Path,
    typer.Argument(metavar="EVENTS", help="A csv, jsonl or parquet file, or a folder."),
]
PatternText: TypeAlias = Annotated[
    str, typer.Argument(metavar="PATTERN", help=PATTERN_HELP, show_default=False)
]

Pattern: TypeAlias = Annotated[str, _meaning("TEXT", PATTERN_HELP)]
Semantics: TypeAlias = Annotated[
    str, _meaning("NAME", f"Which occurrences count: {_one_of(SEMANTICS)}.")
]
Basis: TypeAlias = Annotated[
    str, _meaning("NAME", f"Occurrences as intervals or as points: {_one_of(BASES)}.")
]
Report: TypeAlias = Annotated[
    str, _meaning("NAME", f"All, afresh after each, or only the first: {_one_of(REPORTS)}.")
]
Policy: TypeAlias = Annotated[
    str,
    _meaning("NAME", f"In order of time, or on arrival, row by row: {_one_of(POLICIES)}."),
]
Define: TypeAlias = Annotated[
    Texts,
    _meaning(
        "NAME=SQL",
        "Which rows an event's name stands for, as a Spark SQL condition; else those whose type "
        "is the name. Repeatable.",
    ),
]

Key: TypeAlias = Annotated[
    Texts, _events("COL", "Look for the pattern on its own for each value. Repeatable.")
]
Time: TypeAlias = Annotated[str, _events("COL", "The time of an event.")]
Start: TypeAlias = Annotated[
    str | None, _events("COL", "With --end, in place of --time: events that last.")
]
End: TypeAlias = Annotated[str | None, _events("COL", "With --start: events that last.")]
Type: TypeAlias = Annotated[str, _events("COL", "The column that holds an event's name.")]
OrderBy: TypeAlias = Annotated[
    Texts, _events("COL", "Which of several events of one instant comes first. Repeatable.")
]
Unit: TypeAlias = Annotated[
    str | None, _events("UNIT", f"What integer times count: {_one_of(tuple(MICROSECONDS))}.")
]
Timezone: TypeAlias = Annotated[
    str, _events("ZONE", "Where the clock of at, every and SQL stands, as Europe/Berlin.")
]
Until: TypeAlias = Annotated[
    str | None, _events("TIME", "How long timers run; else until the last time in the table.")
]

Carry: TypeAlias = Annotated[Texts, _output("COL", "A column that events bring along. Repeatable.")]
Measure: TypeAlias = Annotated[
    Texts, _output("NAME=SQL", "A further column, in Spark SQL, as n=size(events). Repeatable.")
]
Engine: TypeAlias = Annotated[
    str,
    _output(
        "NAME",
        "Who does the work: spark, on all cores; local, in memory and without Java; or oracle, "
        "the definitions themselves.",
    ),
]
OutputFormat: TypeAlias = Annotated[
    Format | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="For people: table. For programs: json, jsonl, csv, parquet. "
        "Else by the suffix of --output, or table.",
        rich_help_panel="What comes out",
    ),
]
Output: TypeAlias = Annotated[
    Path | None, _output("PATH", "Write there, in place of to the screen.")
]

Stream: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="EVENTS is a folder that files are dropped into: follow it until Ctrl-C, and say what "
        "is found as it is found.",
        rich_help_panel="Streams",
    ),
]
Watermark: TypeAlias = Annotated[
    str | None,
    _stream("DURATION", "How much later than others rows may come, as 10min; later ones are late."),
]
Late: TypeAlias = Annotated[
    str | None, _stream("NAME", f"What becomes of late rows: {_one_of(LATE)}, marked as such.")
]
Checkpoint: TypeAlias = Annotated[
    Path | None,
    _stream("FOLDER", "Where to keep what is known, so that the next start goes on from there."),
]
Like: TypeAlias = Annotated[
    Path | None,
    _stream(
        "PATH",
        "A file, or a folder of files, that shows what columns there will be; else the files that "
        "are there at the first start do.",
    ),
]
Once: TypeAlias = Annotated[
    bool,
    typer.Option("--once", help="Take what is there, and end.", rich_help_panel="Streams"),
]
