"""The examples hold what they say: the day of the demo, and the small event files."""

from __future__ import annotations

import importlib
import json
import random
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import tocsin as tc

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
ROWS = 20_000


@pytest.fixture(scope="module")
def demo() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES))
        yield importlib.import_module("demo")
        for name in ("demo", "day", "live"):
            sys.modules.pop(name, None)


def found_locally(demo: ModuleType, events: Any) -> dict[str, Any]:
    """As `look` does, without Spark."""
    found = {}
    for watch in demo.WATCHES:
        own = events.filter(pc.is_valid(events[watch.key[-1]]))
        table = tc.detect(watch.pattern, own, key=watch.key, **watch.options).to_arrow()
        if watch.only == "tests >= 3":
            table = table.filter(pc.greater_equal(table["tests"], 3))
        found[watch.name] = table
    return found


def test_a_day_holds_what_was_planted_and_nothing_else(demo: ModuleType) -> None:
    seed = random.randrange(2**32)
    print("seed", seed)
    day = demo.make_day(ROWS, seed)
    assert len(day.events) == ROWS
    assert day.events["time"].to_pylist() == sorted(day.events["time"].to_pylist())
    assert {s.pattern for s in day.planted} == {watch.name for watch in demo.WATCHES}
    assert demo.check(found_locally(demo, day.events), day, Console(quiet=True))


def test_the_same_seed_is_the_same_day(demo: ModuleType) -> None:
    one, same, other = (demo.make_day(ROWS, seed) for seed in (1, 1, 2))
    assert one.events.equals(same.events)
    assert one.planted == same.planted
    assert one.planted != other.planted


def test_what_is_missing_or_too_much_is_named(demo: ModuleType) -> None:
    day = demo.make_day(ROWS, 1)
    found = found_locally(demo, day.events)
    lost, more = day.planted[0], demo.Situation("takeover", "nobody", 0, 61_000_000)
    changed = demo.Day(day.events, [*day.planted[1:], more])
    page = Console(width=100, color_system=None)
    with page.capture() as said:
        assert not demo.check(found, changed, page)
    assert f"too much: {lost.pattern}, {lost.who}, " in said.get()
    assert "missing: takeover, nobody, 00:00:00 to 00:01:01" in said.get()


def test_the_demo(
    demo: ModuleType, spark: Any, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "argv", ["demo", "--rows", str(ROWS), "--out", str(tmp_path)])
    assert demo.main() == 0
    printed, complaints = capsys.readouterr()
    assert complaints == ""
    assert max(map(len, printed.splitlines())) <= 80
    day = demo.make_day(ROWS)
    assert len(pq.read_table(tmp_path / "events.parquet")) == ROWS
    lines = (tmp_path / "findings.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(day.planted)
    assert {json.loads(line)["pattern"] for line in lines} == {w.name for w in demo.WATCHES}
    tables = [pq.read_table(path) for path in (tmp_path / "findings").iterdir()]
    assert sum(map(len, tables)) == len(day.planted)
    summary = (tmp_path / "summary.txt").read_text(encoding="utf-8")
    assert all(situation.who in summary for situation in day.planted)


def test_the_live_demo(
    demo: ModuleType, spark: Any, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    live = importlib.import_module("live")
    watches = [watch for watch in demo.WATCHES if watch.name in ("break-in", "silent sensor")]
    for module in (demo, live):  # each is a stream of its own, which takes a while
        monkeypatch.setattr(module, "WATCHES", watches)
    day = demo.make_day(ROWS)
    planted = [s for s in day.planted if s.pattern in ("break-in", "silent sensor")]
    monkeypatch.setattr(live.day, "make_day", lambda *_: demo.Day(day.events, planted))
    monkeypatch.setattr(live, "NEWS", 0)
    options = ["--rows", str(ROWS), "--speed", "40000", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["live", *options])
    assert live.main() == 0
    printed, complaints = capsys.readouterr()
    assert complaints == ""
    lines = printed.splitlines()
    told = [line.split(", ")[0] for line in lines if line.endswith(" s later")]
    assert sorted(told) == sorted(f"{s.pattern:<18}{s.who}" for s in planted)
    assert any(re.match(r"\d\d:\d\d:\d\d  [\d,]+ events, [\d,]+ a second, dec", x) for x in lines)
    assert f"{len(planted)} findings, " in printed
    assert len((tmp_path / "findings.jsonl").read_text().splitlines()) == len(planted)


ROOMS = {"key": ["building", "room"]}


@pytest.mark.parametrize(
    ("file", "pattern", "reading", "planted"),
    [
        # The button is pressed twice within two seconds, with no alarm in between.
        ("buttons.csv", "(B ; B) within 2s - (P | T)", {"unit": "s"},
         [("", "1", "3"), ("", "22", "23"), ("", "23", "24"), ("", "27", "29")]),
        # The profiles of 001, example 5.1: the room gets hot after a failure,
        ("facility.csv", "(failure ; hot) within 7d",
         {"define": {"hot": "type = 'temperature' and celsius > 35"}, **ROOMS},
         [("north 101", "2026-11-02 08:15", "2026-11-05 12:00")]),
        # the fourth failure,
        ("facility.csv", "failure#4", ROOMS,
         [("north 102", "2026-11-02 07:40", "2026-11-09 11:20")]),
        # someone at night,
        ("facility.csv", '(at("17:00") ; (window ; presence) within 5min) within 14h', ROOMS,
         [("south 201", "2026-11-04 17:00", "2026-11-04 22:13"),
          ("south 202", "2026-11-07 17:00", "2026-11-08 06:59")]),
        # and the silent sensor.
        ("heartbeats.csv", "absent(heartbeat, 30min)", {"key": "sensor"},
         [("n-102", "2026-11-02 08:53", "2026-11-02 08:53"),
          ("s-202", "2026-11-02 22:22", "2026-11-02 22:22")]),
    ],
)  # fmt: skip
def test_small_files_hold_what_was_planted(
    file: str, pattern: str, reading: dict[str, Any], planted: list[tuple[str, str, str]]
) -> None:
    found = tc.detect(pattern, EXAMPLES / file, **reading)
    assert sorted(map(as_planted, found)) == sorted(planted)


def as_planted(occurrence: Any) -> tuple[str, str, str]:
    key = occurrence.key if isinstance(occurrence.key, tuple) else (occurrence.key or "",)
    start, end = (
        str(time).removesuffix(":00+00:00") for time in (occurrence.start, occurrence.end)
    )
    return " ".join(map(str, key)), start, end
