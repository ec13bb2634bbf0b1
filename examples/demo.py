"""The demo: five patterns in small event files, checked against the situations planted there.

A machine's button and its alarms, from Carlson's thesis, and the facility management profiles of
Hinze's example 5.1. Ends with exit code 1 if anything else is found than was planted.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

import tocsin as tc
from tocsin.show import occurrences
from tocsin.show.screen import screen

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Example:
    """A pattern, where to look for it, and what is there to find: (key, start, end) as text."""

    title: str
    wanted: str
    pattern: str
    file: str
    planted: list[tuple[str, str, str]]
    reading: dict[str, Any]
    define: dict[str, str] = field(default_factory=dict)


ROOMS = {"key": ["building", "room"]}

EXAMPLES = [
    Example(
        "The button",
        "The button (B) is pressed twice within two seconds, with neither a pressure alarm (P) "
        "nor a temperature alarm (T) in between.",
        "(B ; B) within 2s - (P | T)",
        "buttons.csv",
        [("", "1", "3"), ("", "22", "23"), ("", "23", "24"), ("", "27", "29")],
        {"unit": "s"},
    ),
    Example(
        "P1: the room gets hot",
        "The temperature rises above 35 degrees within 7 days after a failure of the air "
        "conditioning, in the same room.",
        "(failure ; hot) within 7d",
        "facility.csv",
        [("north 101", "2026-11-02 08:15", "2026-11-05 12:00")],
        ROOMS,
        {"hot": "type = 'temperature' and celsius > 35"},
    ),
    Example(
        "P2: the fourth failure",
        "The air conditioning of a room fails for the fourth time.",
        "failure#4",
        "facility.csv",
        [("north 102", "2026-11-02 07:40", "2026-11-09 11:20")],
        ROOMS,
    ),
    Example(
        "P3: someone at night",
        "In the 14 hours from 17:00 on, a window breaks, and within 5 minutes someone is in the "
        "room.",
        '(at("17:00") ; (window ; presence) within 5min) within 14h',
        "facility.csv",
        [
            ("south 201", "2026-11-04 17:00", "2026-11-04 22:13"),
            ("south 202", "2026-11-07 17:00", "2026-11-08 06:59"),
        ],
        ROOMS,
    ),
    Example(
        "P4: the silent sensor",
        "A sensor has sent no heartbeat for half an hour.",
        "absent(heartbeat, 30min)",
        "heartbeats.csv",
        [
            ("n-102", "2026-11-02 08:53", "2026-11-02 08:53"),
            ("s-202", "2026-11-02 22:22", "2026-11-02 22:22"),
        ],
        {"key": "sensor"},
    ),
]


def show(example: Example, console: Console) -> bool:
    """Detect, print, and say whether exactly what was planted is found."""
    events = HERE / example.file
    pattern = tc.parse(example.pattern, example.define)
    found = tc.detect(pattern, events, **example.reading)
    names = occurrences.events_by_name(pattern, events, **example.reading)
    console.print(Rule(Text(example.title, "bold"), align="left"))
    console.print(Text(f"\n{example.wanted}\n"))
    console.print(Text(f"    {example.pattern}\n", "cyan"))
    console.print(occurrences.table(found), "")
    occurrences.timelines(found, names, console)
    right = sorted(map(summary, found)) == sorted(example.planted)
    if right:
        console.print(Text(f"As planted: {len(found)} found, and nothing else.", "green"))
    else:
        console.print(Text(f"Planted was {example.planted}.", "red"))
    console.print()
    return right


def summary(occurrence: Any) -> tuple[str, str, str]:
    """An occurrence as the planted ones are written."""
    key = occurrence.key if isinstance(occurrence.key, tuple) else (occurrence.key or "",)
    start, end = (
        str(time).removesuffix(":00+00:00") for time in (occurrence.start, occurrence.end)
    )
    return " ".join(map(str, key)), start, end


if __name__ == "__main__":
    results = [show(example, screen()) for example in EXAMPLES]
    sys.exit(0 if all(results) else 1)
