"""`tocsin detect EVENTS --pattern TEXT`: every occurrence of a pattern in a table of events."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console

from tocsin.cli import options
from tocsin.cli.options import Format
from tocsin.cli.patterns import pairs, read_pattern
from tocsin.cli.progress import progress_bar
from tocsin.cli.terminal import complain
from tocsin.detection import detect
from tocsin.errors import DefinitionError
from tocsin.language import settings
from tocsin.show import occurrences as show
from tocsin.show.screen import screen
from tocsin.tables import engines
from tocsin.tables import output as files
from tocsin.tables.results import Occurrence, Occurrences
from tocsin.tables.source import read

SMALL = 12  # occurrences that get a timeline also where nobody is watching
LONG = 1_000  # occurrences that a table shows
DRAWN = 10_000  # events that a timeline can still show anything of


def command(
    events: options.Events,
    pattern: options.Pattern,
    semantics: options.Semantics = "restricted",
    basis: options.Basis = "interval",
    report: options.Report = "overlapping",
    policy: options.Policy = "synchronous",
    define: options.Define = None,
    key: options.Key = None,
    time: options.Time = "time",
    start: options.Start = None,
    end: options.End = None,
    type: options.Type = "type",
    order_by: options.OrderBy = None,
    unit: options.Unit = None,
    timezone: options.Timezone = "UTC",
    until: options.Until = None,
    carry: options.Carry = None,
    measure: options.Measure = None,
    engine: options.Engine = "local",
    format: options.OutputFormat = None,
    output: options.Output = None,
) -> None:
    """Find every occurrence of a pattern in a table of events."""
    began = perf_counter()
    _check_engine(engine)
    shape = _format(format, output)
    wanted = read_pattern(pattern, pairs(define, "--define"))
    settings.check(wanted, semantics=semantics, basis=basis, report=report, policy=policy)
    measures = pairs(measure, "--measure")
    columns: dict[str, Any] = {"type": type, "time": time, "start": start, "end": end}
    reading = columns | {"key": key, "unit": unit, "timezone": timezone}
    with progress_bar():
        source = read(events, **columns)
        found = detect(
            wanted,
            source,
            semantics=semantics,
            basis=basis,
            report=report,
            policy=policy,
            order_by=order_by or (),
            until=until,
            carry=carry or (),
            measures=measures,
            engine=engine,
            **reading,
        )
    if shape is Format.table:
        _write_table(found, lambda: show.events_by_name(wanted, source, **reading), output)
    else:
        _write(_encoded(found, shape), output)
    _summary(len(source), found.counts.used, len(found), perf_counter() - began)


def _check_engine(engine: str) -> None:
    settings.check_name("engine", engine, options.ENGINES)
    if engine not in engines.ENGINES:
        raise DefinitionError(
            f"the engine {engine!r} is not there yet",
            hint=f"write --engine {' or '.join(engines.ENGINES)}",
        )


def _format(wanted: Format | None, output: Path | None) -> Format:
    suffix = output.suffix.removeprefix(".") if output else ""
    shape = wanted or (Format(suffix) if suffix in Format.__members__ else Format.table)
    if shape is Format.parquet and output is None:
        raise DefinitionError("parquet is nothing to look at", hint="say where to: --output PATH")
    return shape


def _write_table(
    found: Occurrences, names: Callable[[], Mapping[str, list[Occurrence]]], output: Path | None
) -> None:
    text = io.StringIO()
    page = screen() if output is None else Console(file=text, width=120)
    if not found:
        page.print("no occurrences")
    else:
        page.print(show.table(found[:LONG]), "")
        if len(found) > LONG:
            left = len(found) - LONG
            page.print(f"… and {left:,} more; --format jsonl, csv or parquet has all of them\n")
        small = len(found) <= SMALL or (page.is_terminal and len(found) <= LONG)
        if small and found.counts.used <= DRAWN:
            show.timelines(found, names(), page)
    if output is not None:
        files.write(text.getvalue().encode(), output)


def _encoded(found: Occurrences, shape: Format) -> bytes:
    if shape is not Format.json:
        return files.FORMATS[shape](found)
    lines = files.FORMATS["jsonl"](found).decode().splitlines()
    return ("[\n" + ",\n".join(f"  {line}" for line in lines) + "\n]\n").encode()


def _write(data: bytes, output: Path | None) -> None:
    if output is not None:
        files.write(data, output)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


def _summary(read: int, used: int, found: int, seconds: float) -> None:
    occurrences = "1 occurrence" if found == 1 else f"{found:,} occurrences"
    complain(f"{read:,} rows read, {used:,} used, {occurrences}, {seconds:.2f} s", 0)
