"""What a stream's checkpoint keeps, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tocsin.show.axis import Time
from tocsin.show.occurrences import clock_text, events_text
from tocsin.tables.results import Event

Clock = Callable[[Time], str]


def show(data: Mapping[str, Any], console: Console) -> None:
    """Print what `tocsin state` has read."""
    console.print(Text(f"Checkpoint {data['checkpoint']}", "bold"))
    buckets = _count(data["buckets"], "bucket", "buckets")
    console.print(Text(f"  by Tocsin {data['tocsin']}, {buckets}; {_progress(data)}\n"))
    console.print(_table(("pattern", "finds", "bytes"), map(_pattern, data["patterns"])))
    shown, keys = data["shown"], data["keys"]
    if any("state" in one for one in shown):
        for one in shown:
            _show_key(one, console, several=len(data["patterns"]) > 1)
        return
    if shown:
        largest = f", the {len(shown)} largest" if len(shown) < keys else ""
        console.print(Text(f"\n{_count(keys, 'key', 'keys')} with state or waiting rows{largest}"))
        names = list(shown[0]["key"])
        cells = (
            [*one["key"].values(), f"{one['bytes']:,}", one["kept"], one["waiting"]]
            for one in shown
        )
        console.print(_table((*names, "bytes, about", "kept", "rows waiting"), cells))


def _progress(data: Mapping[str, Any]) -> str:
    """How far the stream is."""
    if data["policy"] != "synchronous":
        return f"rows are used as they arrive ({data['policy']})"
    decided = "nothing is decided yet"
    if data["decided"] is not None:
        decided = f"decided up to {clock_text([data['decided']])(data['decided'])}"
    return f"{decided}; {_count(data['waiting'], 'row waits', 'rows wait')} for the watermark"


def _show_key(one: Mapping[str, Any], console: Console, several: bool) -> None:
    """Everything of one key; which pattern keeps it, if there are several."""
    key = ", ".join(f"{name} {value}" for name, value in one["key"].items()) or "all events"
    console.print(Text(f"\n{key}", "bold") + Text(f", about {one['bytes']:,} bytes"))
    clock = clock_text([t for item in (*one["state"], *one["rows"]) for t in _times(item)])
    if one["state"]:
        columns = {"pattern": "pattern"} if several else {}
        columns |= {"node": "node", "finds": "which finds", "what": "keeps"}
        cells = (
            (*(item[name] for name in columns), _when(item, clock), _events(item.get("events", ())))
            for item in one["state"]
        )
        console.print(_table((*columns.values(), "when", "events"), cells))
    if one["rows"]:
        console.print(Text("waiting for the watermark"))
        cells = (
            (row["name"] or "no event", _when(row, clock), *_carried(row).values())
            for row in one["rows"]
        )
        console.print(_table(("event", "when", *_carried(one["rows"][0])), cells))


def _pattern(one: Mapping[str, Any]) -> tuple[Any, ...]:
    return one["name"], one["pattern"], f"{one['bytes']:,}"


def _table(names: Sequence[str], lines: Iterable[Sequence[Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for name in names:
        table.add_column(Text(name), overflow="fold")
    for line in lines:
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in line))
    return table


def _times(item: Mapping[str, Any]) -> list[Time]:
    return [item[name] for name in ("at", "start", "end", "detected") if name in item]


def _when(item: Mapping[str, Any], clock: Clock) -> str:
    """When something is: an instant, or from and to; and when it was detected, if later.

    >>> _when({"start": 3, "end": 5, "detected": 8}, str), _when({"at": 3}, str), _when({}, str)
    ('3 to 5, at 8', '3', '')
    """
    start, end, detected = (*_times(item), None, None, None)[:3]
    if start is None:
        return ""
    shown = clock(start)
    if end not in (None, start):
        shown += f" to {_later(end, start, clock)}"
    if detected not in (None, end):
        shown += f", at {_later(detected, start, clock)}"
    return shown


def _later(time: Time, start: Time, clock: Clock) -> str:
    """A time that is shown after another: a day need not be said twice."""
    match time, start:
        case datetime(), datetime() if time.date() == start.date():
            return clock(time).partition(" ")[2]
    return clock(time)


def _events(events: Sequence[Mapping[str, Any]]) -> str:
    return events_text(
        [
            Event(event["name"], event["start"], event["end"], number, _carried(event))
            for number, event in enumerate(events)
        ]
    )


def _carried(event: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name not in ("name", "start", "end")}


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
