"""`tocsin detect EVENTS --pattern TEXT`: every occurrence of a pattern in events."""

from __future__ import annotations

import io
import sys
from contextlib import ExitStack, nullcontext
from pathlib import Path
from time import perf_counter

from rich.console import Console

from tocsin.cli import options
from tocsin.cli.by_local import by_local
from tocsin.cli.by_spark import by_spark
from tocsin.cli.follow import follow, streaming
from tocsin.cli.options import Format
from tocsin.cli.patterns import pairs, read_pattern
from tocsin.cli.progress import progress_bar
from tocsin.cli.question import Found, Question
from tocsin.cli.terminal import complain, summary
from tocsin.errors import DefinitionError, SparkError
from tocsin.language import settings
from tocsin.show import occurrences as show
from tocsin.show.screen import screen
from tocsin.tables.output import FORMATS, whole_file

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
    engine: options.Engine = "spark",
    format: options.OutputFormat = None,
    output: options.Output = None,
    stream: options.Stream = False,
    watermark: options.Watermark = None,
    late: options.Late = None,
    checkpoint: options.Checkpoint = None,
    like: options.Like = None,
    once: options.Once = False,
) -> None:
    """Find every occurrence of a pattern in a table of events, or in a stream of them."""
    began = perf_counter()
    settings.check_name("engine", engine, options.ENGINES)
    shape = _format(format, output)
    said = {"watermark": watermark, "late": late, "checkpoint": checkpoint, "like": like}
    how = streaming(stream, output, **said, once=once)
    if how and engine != "spark":
        raise DefinitionError(
            f"--engine is {engine!r}, which follows no stream", hint="leave --engine out"
        )
    wanted = read_pattern(pattern, pairs(define, "--define"))
    settings.check(wanted, semantics=semantics, basis=basis, report=report, policy=policy)
    question = Question(
        events,
        wanted,
        reading={
            "type": type,
            "time": time,
            "start": start,
            "end": end,
            "key": key,
            "unit": unit,
            "timezone": timezone,
        },
        options={
            "semantics": semantics,
            "basis": basis,
            "report": report,
            "policy": policy,
            "order_by": order_by or (),
            "until": until,
            "carry": carry or (),
            "measures": pairs(measure, "--measure"),
        },
    )
    if how:
        follow(question, how, shape)
        return
    asked = by_spark(question) if engine == "spark" else by_local(question, engine)
    with ExitStack() as kept:
        try:
            with progress_bar():
                found = kept.enter_context(asked)
        except SparkError as error:
            hint = f"{error.hint}, or write --engine local"
            raise SparkError(error.what, hint=hint) from None
        _write(found, shape, output)
    summary(found.counts, found.total, began)
    if found.advice:
        complain(found.advice, 0)


def _format(wanted: Format | None, output: Path | None) -> Format:
    suffix = output.suffix.removeprefix(".") if output else ""
    shape = wanted or (Format(suffix) if suffix in Format.__members__ else Format.table)
    if shape is Format.parquet and output is None:
        raise DefinitionError("parquet is nothing to look at", hint="say where to: --output PATH")
    return shape


def _write(found: Found, shape: Format, output: Path | None) -> None:
    if shape is Format.table and output is None:
        _show(found, screen())
        return
    with whole_file(output) if output else nullcontext(sys.stdout.buffer) as file:
        if shape is Format.table:
            text = io.StringIO()
            _show(found, Console(file=text, width=120))
            file.write(text.getvalue().encode())
        else:
            sys.stdout.flush()
            FORMATS[shape](found.pieces(), file)


def _show(found: Found, page: Console) -> None:
    """A table for people, and a timeline where it is not too long."""
    if not found.total:
        page.print("no occurrences")
        return
    shown = found.first(LONG)
    page.print(show.table(shown), "")
    if found.total > LONG:
        left = found.total - LONG
        page.print(f"… and {left:,} more; --format jsonl, csv or parquet has all of them\n")
    small = found.total <= SMALL or (page.is_terminal and found.total <= LONG)
    if small and found.counts.used <= DRAWN:
        show.timelines(shown, found.events_by_name(), page)
