"""What a checkpoint keeps, as people see it."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import Any

from rich.console import Console

from tocsin.show.state import show

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def after(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def event(name: str | None, start: Any, end: Any, **carried: Any) -> dict[str, Any]:
    return {"name": name, "start": start, "end": end} | carried


def printed(*patterns: str, state: list[Any], rows: list[Any], decided: Any) -> list[str]:
    """What is shown of a key and of how far the stream is, without rulers."""
    key = {"key": {"user": "ann"}, "bytes": 517, "kept": 3, "waiting": 1}
    data = {
        "checkpoint": "cp",
        "tocsin": "1",
        "buckets": 1,
        "policy": "synchronous",
        "decided": decided,
        "waiting": len(rows),
        "patterns": [{"name": name, "pattern": "A ; B", "bytes": 1} for name in patterns],
        "keys": 1,
        "shown": [key | {"state": state, "rows": rows}],
    }
    text = io.StringIO()
    show(data, Console(file=text, width=120))
    lines = [line.rstrip("─ ") for line in text.getvalue().splitlines()]
    shown = lines[lines.index("user ann, about 517 bytes") + 1 :]
    return [lines[1], *filter(None, shown)]


def kept(what: str, **more: Any) -> dict[str, Any]:
    return {"pattern": "p", "node": 2, "finds": "A ; B", "what": what} | more


def test_times_are_those_of_a_clock() -> None:
    a_minute = {"start": after(0), "end": after(1), "detected": after(1)}
    events = [event("A", after(0), after(0), ip="a"), event("A", after(0.5), after(1))]
    state = [
        kept("waits", **a_minute, events=events),
        kept("guard", start=after(2), end=after(2), detected=after(3)),
        kept("waits", start=after(0), end=after(720)),
        kept("since", at=after(0.25)),
        kept("open"),
    ]
    rows = [event("A", after(5), after(5), ip="b"), event(None, after(6), after(7), ip=None)]
    assert printed("p", "q", state=state, rows=rows, decided=after(4)) == [
        "  by Tocsin 1, 1 bucket; decided up to 2026-11-15 12:04; 2 rows wait for the watermark",
        "pattern  node  which finds  keeps  when                                        events",
        "p        2     A ; B        waits  2026-11-15 12:00:00 to 12:01:00"
        "             A@12:00:00 ip=a",
        " " * 79 + "A@12:00:30..12:01:00",
        "p        2     A ; B        guard  2026-11-15 12:02:00, at 12:03:00",
        "p        2     A ; B        waits  2026-11-15 12:00:00 to 2026-11-16 00:00:00",
        "p        2     A ; B        since  2026-11-15 12:00:15",
        "p        2     A ; B        open",
        "waiting for the watermark",
        "event     when                             ip",
        "A         2026-11-15 12:05:00              b",
        "no event  2026-11-15 12:06:00 to 12:07:00",
    ]


def test_ticks_and_a_single_pattern() -> None:
    state = [kept("waits", start=5, end=7, detected=9, events=[event("A", 5, 7, ip="b")])]
    assert printed("p", state=state, rows=[event("A", 95, 95, ip="f")], decided=None) == [
        "  by Tocsin 1, 1 bucket; nothing is decided yet; 1 row waits for the watermark",
        "node  which finds  keeps  when          events",
        "2     A ; B        waits  5 to 7, at 9  A@5..7 ip=b",
        "waiting for the watermark",
        "event  when  ip",
        "A      95    f",
    ]
