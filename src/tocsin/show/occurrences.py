"""Occurrences for people: a table, and a timeline per key."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tocsin.errors import TocsinWarning
from tocsin.language.nodes import Expression
from tocsin.show.axis import Time
from tocsin.show.screen import speaks_unicode
from tocsin.show.timeline import timeline
from tocsin.tables.results import Event, Occurrence, Occurrences

MAX_TIMELINES = 3


def table(found: Occurrences, first: int = 1) -> Table:
    """A row per occurrence; `detected` and `policy` only where they tell something.

    `first` is the number of the first; a table that goes on from another has no header.

    >>> import tocsin as tc
    >>> shown = table(tc.detect("A ; B", [("A", 1), ("B", 3)]))
    >>> [str(column.header) for column in shown.columns], shown.row_count
    (['', 'start', 'end', 'events'], 1)
    """
    occurrences = list(found)
    late = any(o.detected != o.end for o in occurrences)
    arrived = any(o.policy != "synchronous" for o in occurrences)
    measures = list(occurrences[0].measures) if occurrences else []
    shown = Table(
        box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), show_header=first == 1
    )
    names = ["start", "end", *(["detected"] if late else []), "events"]
    names += ["policy"] if arrived else []
    for name in ("", *found.keys, *names, *measures):
        is_time = name in ("start", "end", "detected")
        shown.add_column(Text(name), overflow="fold", no_wrap=is_time)
    text = clock_text([t for o in occurrences for t in (o.start, o.end, o.detected)])
    for number, o in enumerate(occurrences, start=first):
        times = [o.start, o.end, *([o.detected] if late else [])]
        cells = [*_key(found, o).values(), *map(text, times), events_text(o.events)]
        cells += [o.policy] if arrived else []
        cells += o.measures.values()
        shown.add_row(f"#{number}", *(Text(_text(cell)) for cell in cells))
    return shown


def events_by_name(
    pattern: Expression, find: Callable[[Mapping[str, Expression]], Iterable[Occurrence]]
) -> dict[str, list[Occurrence]]:
    """The events that a pattern's names stand for, also those that are in no occurrence.

    `find` gives every occurrence of patterns by name, as `detect_all` does.

    >>> import tocsin as tc
    >>> rows = [("A", 1), ("A", 2)]
    >>> events_by_name(tc.parse("A ; B"), lambda names: tc.detect_all(names, rows))
    {'A': [1 A@1, 2 A@2], 'B': []}
    """
    names = {primitive.name: primitive for primitive in pattern.primitives()}
    found: dict[str, list[Occurrence]] = {name: [] for name in names}
    if names:
        with warnings.catch_warnings():
            # Whoever detected the pattern has been warned.
            warnings.simplefilter("ignore", TocsinWarning)
            for occurrence in find(names):
                found[occurrence.pattern].append(occurrence)
    return found


def timelines(
    found: Occurrences, events: Mapping[str, Iterable[Occurrence]], console: Console
) -> None:
    """Print a timeline for each of the first keys; `events` are the occurrences of each name."""
    by_key: dict[str, dict[str, tuple[Time, Time, Time]]] = {}
    for number, o in enumerate(found, start=1):
        by_key.setdefault(_heading(found, o), {})[f"#{number}"] = (o.start, o.end, o.detected)
    headings = list(by_key)[:MAX_TIMELINES]
    spans: dict[str, dict[str, list[tuple[Time, Time]]]]
    spans = {heading: {name: [] for name in events} for heading in headings}
    for name, own in events.items():
        for o in own:
            if (heading := _heading(found, o)) in spans:
                spans[heading][name].append((o.start, o.end))
    unicode = speaks_unicode(console)
    for heading in headings:
        if heading:
            console.print(Text(heading, "bold"))
        drawn = timeline(spans[heading], by_key[heading], width=console.width, unicode=unicode)
        console.print(Text(drawn + "\n"), soft_wrap=True)
    if len(by_key) > MAX_TIMELINES:
        console.print(f"… and {len(by_key) - MAX_TIMELINES:,} more keys with occurrences\n")


def _key(found: Occurrences, occurrence: Occurrence) -> dict[str, Any]:
    values = occurrence.key if isinstance(occurrence.key, tuple) else (occurrence.key,)
    return dict(zip(found.keys, values, strict=False))


def _heading(found: Occurrences, occurrence: Occurrence) -> str:
    return ", ".join(f"{name} {_text(v)}" for name, v in _key(found, occurrence).items())


def events_text(events: Sequence[Event]) -> str:
    """`B@1 B@3`; an event that lasts is `B@1..3`; with what it carries it has its own line.

    >>> events_text([Event("B", 1, 1, 0), Event("B", 1, 3, 1)])
    'B@1 B@1..3'
    """
    times = [t for event in events for t in (event.start, event.end)]
    text = clock_text(times, short=True)

    def shown(event: Event) -> str:
        span = text(event.end)
        if event.start != event.end:
            span = f"{text(event.start)}..{span}"
        carried = [f"{name}={v}" for name, v in event.carried.items() if v is not None]
        return " ".join([f"{event.name or '?'}@{span}", *carried])

    carries = any(event.carried for event in events)
    return ("\n" if carries else " ").join(map(shown, events))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def clock_text(times: Sequence[Time], short: bool = False) -> Callable[[Time], str]:
    """How to write these times: seconds and fractions where one has them, and, if short, no date
    that is the same for all and no year.

    >>> noon = datetime(2026, 11, 15, 12)
    >>> clock_text([noon])(noon), clock_text([noon.replace(second=5)], short=True)(noon)
    ('2026-11-15 12:00', '12:00:00')
    """
    clocks = [t for t in times if isinstance(t, datetime)]
    finest = "seconds" if any(t.second for t in clocks) else "minutes"
    if any(t.microsecond for t in clocks):
        finest = "microseconds" if any(t.microsecond % 1000 for t in clocks) else "milliseconds"
    one_day = len({t.date() for t in clocks}) == 1

    def text(time: Time) -> str:
        if not isinstance(time, datetime):
            return str(time)
        if short and one_day:
            return time.time().isoformat(finest)
        wall = time.replace(tzinfo=None)
        return wall.isoformat("T", finest)[5:] if short else wall.isoformat(" ", finest)

    return text
