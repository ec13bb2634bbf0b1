"""What a stream's checkpoint keeps, for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_TIMES = ("at", "start", "end", "detected")


def show(data: Mapping[str, Any], console: Console) -> None:
    """Print what `tocsin state` has read."""
    console.print(Text(f"Checkpoint {data['checkpoint']}", "bold"))
    buckets = _count(data["buckets"], "bucket", "buckets")
    console.print(Text(f"  by Tocsin {data['tocsin']}, {buckets}; {_progress(data)}\n"))
    console.print(_table(("pattern", "finds", "bytes"), map(_pattern, data["patterns"])))
    shown, keys = data["shown"], data["keys"]
    if any("state" in one for one in shown):
        for one in shown:
            _show_key(one, console)
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
        decided = f"decided up to {data['decided']}"
    return f"{decided}; {_count(data['waiting'], 'row waits', 'rows wait')} for the watermark"


def _show_key(one: Mapping[str, Any], console: Console) -> None:
    """Everything of one key."""
    key = ", ".join(f"{name} {value}" for name, value in one["key"].items()) or "all events"
    console.print(Text(f"\n{key}", "bold") + Text(f", about {one['bytes']:,} bytes"))
    if one["state"]:
        names = ("pattern", "node", "finds", "what")
        cells = (
            (*(item[name] for name in names), _times(item), _events(item.get("events", ())))
            for item in one["state"]
        )
        console.print(_table(("pattern", "node", "which finds", "keeps", "when", "events"), cells))
    if one["rows"]:
        console.print(Text(f"waiting for the watermark: {_events(one['rows'])}"))


def _pattern(one: Mapping[str, Any]) -> tuple[Any, ...]:
    return one["name"], one["pattern"], f"{one['bytes']:,}"


def _table(names: Sequence[str], lines: Iterable[Sequence[Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for name in names:
        table.add_column(Text(name), overflow="fold")
    for line in lines:
        table.add_row(*(Text(str(cell)) for cell in line))
    return table


def _times(item: Mapping[str, Any]) -> str:
    """When something kept is: an instant, from and to, and when it was detected if later."""
    times = list(dict.fromkeys(item[name] for name in _TIMES if name in item))
    return " to ".join(map(str, times[:2])) + "".join(f", at {t}" for t in times[2:])


def _events(events: Sequence[Mapping[str, Any]]) -> str:
    shown = []
    for event in events:
        carried = [f"{n}={v}" for n, v in event.items() if n not in ("name", "start", "end")]
        span = dict.fromkeys((event["start"], event["end"]))
        shown.append(
            " ".join([f"{event['name'] or 'no event'}@{'-'.join(map(str, span))}", *carried])
        )
    return ", ".join(shown)


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
