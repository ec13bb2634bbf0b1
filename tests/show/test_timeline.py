"""Timelines: as text in, as text out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.show.timeline import MAX_NAMES, MAX_OCCURRENCES, timeline

NEW_YEAR = datetime(2027, 1, 1, tzinfo=UTC)


def drawn(*lines: str) -> str:
    return "\n".join(lines)


def test_events_and_occurrences() -> None:
    events = {"B": [(1, 1), (3, 3), (6, 6)], "P": [(7, 7)]}
    assert timeline(events, {"#1": (1, 3, 3)}) == drawn(
        "B   ●       ●           ●",
        "P                           ●",
        "#1  ├───────┤",
        "    ┴───┴───┴───┴───┴───┴───┴",
        "    1   2   3   4   5   6   7",
    )


def test_events_that_last_and_late_detection() -> None:
    assert timeline({"A": [(0, 2)], "C": [(5, 5)]}, {"#1": (0, 2, 5), "#2": (1, 1, 1)}) == drawn(
        "A   ━━━━━━━━●",
        "C                       ●",
        "#1  ├───────┤···········!",
        "#2      ◆",
        "    ┴───┴───┴───┴───┴───┴",
        "    0   1   2   3   4   5",
    )


def test_many_events_in_a_column_are_counted() -> None:
    events = {"A": [(0, 0)] * 3 + [(100, 100)] * 20}
    first = timeline(events, {}, width=40).splitlines()[0]
    assert first.split() == ["A", "3", "+"]


def at(*times: datetime) -> list[tuple[datetime, datetime]]:
    return [(time, time) for time in times]


def test_clock_times() -> None:
    events = {"A": at(NEW_YEAR, NEW_YEAR + timedelta(days=6))}
    lines = timeline(events, {}, width=60).splitlines()
    assert lines[2].split() == ["01-01", "01-02", "01-03", "01-04", "01-05", "01-06", "01-07"]
    assert lines[3].strip() == "2027-01-01 00:00:00 to 2027-01-07 00:00:00"


def test_minutes_are_labelled_with_the_time_of_day() -> None:
    events = {"A": at(NEW_YEAR, NEW_YEAR + timedelta(seconds=90))}
    lines = timeline(events, {}, width=60).splitlines()
    assert lines[2].split() == ["01-01", "00:00:30", "00:01", "00:01:30"]


def test_what_does_not_fit_is_left_out_and_said() -> None:
    events = {f"E{i}": [(i, i)] for i in range(MAX_NAMES + 3)}
    occurrences = {f"#{i}": (1, 2, 2) for i in range(MAX_OCCURRENCES + 1)}
    lines = timeline(events, occurrences).splitlines()
    assert len(lines) == MAX_NAMES + MAX_OCCURRENCES + 3
    assert lines[-1].strip() == "… 3 more event names and 1 more occurrence"


def test_long_and_wide_names_are_cut() -> None:
    events = {"x" * 100: [(1, 1)], "気温" * 20: [(2, 2)]}
    lines = timeline(events, {}, width=60).splitlines()
    assert lines[0].index("●") == 20
    assert lines[1].startswith("気温")


def test_nothing_to_draw() -> None:
    assert timeline({"A": []}, {}) == ""


INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-50, 50)


@st.composite
def drawings(draw):
    times = draw(st.sampled_from([INTEGERS, st.datetimes()]))
    spans = st.tuples(times, times).map(sorted)
    names = st.text("abc", min_size=1)
    return (
        draw(st.dictionaries(names, st.lists(spans, max_size=4), max_size=4)),
        draw(st.dictionaries(names, st.tuples(times, times, times).map(sorted), max_size=3)),
    )


@given(drawings(), st.integers(40, 140))
def test_any_times_fit_the_width(drawing, width) -> None:
    for line in timeline(*drawing, width=width).splitlines():
        assert len(line) <= max(width, 80)  # two full dates below it may be longer


@pytest.mark.parametrize("width", [40, 80, 120])
def test_ascii_only(width: int) -> None:
    events = {"A": [(1, 4), (9, 9)]}
    timeline(events, {"#1": (1, 4, 9)}, width=width, unicode=False).encode("ascii")
