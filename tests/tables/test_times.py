"""Time columns become 64-bit integers, and come back as they were."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import DataError, DefinitionError
from tocsin.tables.source import Source, read
from tocsin.tables.times import AWARE, INTEGERS, NAIVE, Axis, time_columns

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 15, 12)
NOON_TICKS = 1_794_744_000_000_000


def column(values: Any, *, texts: bool = False, **options: Any) -> tuple[list[int], Axis]:
    array = values if isinstance(values, pa.Array) else pa.array(values)
    source = Source(pa.table({"time": array}), texts=texts)
    starts, ends, axis = time_columns(source, **options)
    assert starts.equals(ends)
    return starts.to_pylist(), axis


@pytest.mark.parametrize(
    ("values", "ticks", "kind"),
    [
        ([1, -5], [1, -5], INTEGERS),
        (pa.array([7], pa.uint8()), [7], INTEGERS),
        (pa.array([2**63 - 1], pa.uint64()), [2**63 - 1], INTEGERS),
        ([1.0, -(2.0**62)], [1, -(2**62)], INTEGERS),
        ([Decimal("12.00")], [12], INTEGERS),
        ([NOON], [NOON_TICKS], NAIVE),
        ([NOON.replace(tzinfo=UTC)], [NOON_TICKS], AWARE),
        ([NOON.replace(tzinfo=timezone(timedelta(hours=1)))], [NOON_TICKS - 3_600_000_000], AWARE),
        ([date(1970, 1, 2)], [86_400_000_000], NAIVE),
        (pa.array([-1], pa.timestamp("ns")), [-1], NAIVE),
        (pa.array([-1, 2], pa.timestamp("s")), [-1_000_000, 2_000_000], NAIVE),
        (pa.array([1], pa.timestamp("ms", "Asia/Tokyo")), [1_000], AWARE),
        (pa.array([86_400_000], pa.date64()), [86_400_000_000], NAIVE),
        (pa.nulls(0), [], INTEGERS),
    ],
)
def test_ticks(values: Any, ticks: list[int], kind: str) -> None:
    found, axis = column(values)
    assert (found, axis.kind) == (ticks, kind)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([float("inf")], r"^row 0: the time inf is no time"),
        ([1.0, 2.5], r"^row 1: the time 2.5 is no whole number"),
        ([Decimal("0.00"), Decimal("1.50")], r"^row 1: the time 1.50 is no whole number"),
        (pa.array([0, 2**63], pa.uint64()), r"^row 1: the time 9223372036854775808 is beyond"),
        ([0, -(2**63)], r"^row 1: the time -2\^63 stands for before every time; let times begin"),
        ([0.0, 2.0**63], r"^row 1: .* is beyond what 64 bits hold"),
        ([True], r"^row 0: the time True is no time; use integers"),
        (["2026-01-01"], r"^row 0: the time '2026-01-01' is no time; make it .*fromisoformat"),
        (pa.array([5], pa.time64("us")), r"^row 0: .* is no time"),
        ([[1]], r"^row 0: the time \[1\] is no time"),
        (pa.array([0, 2**31 - 1], pa.date32()), r"^row 1: the date is beyond"),
    ],
)
def test_what_is_no_time_names_its_row(values: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        column(values)


@pytest.mark.parametrize(
    ("texts", "ticks", "kind"),
    [
        (["1", " -5 ", "+7"], [1, -5, 7], INTEGERS),
        (["2026-11-15T12:00:00", "2026-11-15 12:00"], [NOON_TICKS] * 2, NAIVE),
        (["2026-11-15T12:00:00Z", "2026-11-15T13:00:00+01:00"], [NOON_TICKS] * 2, AWARE),
        (["1970-01-01T00:00:00.0000019"], [1], NAIVE),
        (["1970-01-02"], [86_400_000_000], NAIVE),
    ],
)
def test_times_as_text_where_files_have_them(texts: list[str], ticks: list[int], kind: str) -> None:
    found, axis = column(texts, texts=True)
    assert (found, axis.kind) == (ticks, kind)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["1", "noon"], r"^row 1: the time 'noon' is no time; write an integer or ISO 8601"),
        (
            ["1", "2026-01-01"],
            r"^row 1: .* is not like those of the rows before, which are integers",
        ),
        (["2026-01-01T00:00Z", "2026-01-01"], r"^row 1: .* which are timestamps with a zone"),
        (["9223372036854775808"], r"^row 0: .* is beyond what 64 bits hold"),
        (["17:00"], r"^row 0: the time '17:00' is no time"),
        ([""], r"^row 0: the time '' is no time"),
    ],
)
def test_texts_that_are_no_times(texts: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        column(texts, texts=True)


def test_durative_rows() -> None:
    starts, ends, _ = time_columns(read([("A", 1, 1), ("B", 2, 5)]))
    assert (starts.to_pylist(), ends.to_pylist()) == ([1, 2], [1, 5])
    with pytest.raises(DataError, match=r"^row 1: the event ends at 4, before it starts at 5"):
        time_columns(read([("A", 1, 1), ("B", 5, 4)]))
    mixed = pa.table({"s": [1], "e": [NOON]})
    with pytest.raises(DefinitionError, match="'s' holds integers and 'e' timestamps without"):
        time_columns(read(mixed, start="s", end="e"))


def test_units_say_how_long_a_tick_is() -> None:
    assert column([1])[1].tick is None
    assert column([1], unit="s")[1].tick == 1_000_000
    assert column([NOON])[1].tick == 1
    with pytest.raises(DefinitionError, match="unit is 's', but 'time' holds timestamps"):
        column([NOON], unit="s")
    with pytest.raises(DefinitionError, match="unit is 'sec', which is not known"):
        column([1], unit="sec")


def test_a_wall_clock_has_no_zone() -> None:
    assert column([NOON], zone=BERLIN)[1].zone == ZoneInfo("UTC")
    assert column([NOON.replace(tzinfo=UTC)], zone=BERLIN)[1].zone == BERLIN
    assert column([1], unit="s", zone=BERLIN)[1].zone == BERLIN


def test_values_beyond_python_are_refused_and_arrow_has_them() -> None:
    axis = Axis(NAIVE, 1, BERLIN)
    with pytest.raises(DataError, match="beyond the years 1 to 9999"):
        axis.value(2**62)
    assert pa.array([2**62]).cast(axis.type)[0].value == 2**62


@given(st.datetimes())
def test_timestamps_come_back(moment: datetime) -> None:
    (tick,), axis = column([moment])
    assert axis.value(tick) == moment
    aware = moment.replace(tzinfo=UTC)
    (tick,), axis = column([aware])
    assert axis.value(tick) == aware


@pytest.mark.parametrize(
    ("kind", "value", "ticks"),
    [
        (INTEGERS, 5, 5),
        (INTEGERS, "5", 5),
        (NAIVE, NOON, NOON_TICKS),
        (NAIVE, "2026-11-15T12:00", NOON_TICKS),
        (NAIVE, date(1970, 1, 2), 86_400_000_000),
        (AWARE, "2026-11-15T12:00Z", NOON_TICKS),
        (AWARE, "2026-11-15T13:00", NOON_TICKS),
        (AWARE, NOON.replace(tzinfo=UTC), NOON_TICKS),
    ],
)
def test_until(kind: str, value: Any, ticks: int) -> None:
    assert Axis(kind, None, BERLIN).until(value) == ticks


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (INTEGERS, NOON),
        (INTEGERS, 1.5),
        (INTEGERS, True),
        (INTEGERS, "soon"),
        (INTEGERS, 2**63),
        (NAIVE, 5),
        (NAIVE, "2026-11-15T12:00Z"),
        (AWARE, "soon"),
    ],
)
def test_until_must_be_like_the_times(kind: str, value: Any) -> None:
    with pytest.raises(DefinitionError, match=r"^until is "):
        Axis(kind, None, BERLIN).until(value)
