"""The front door: every argument, and what is refused at it."""

from __future__ import annotations

import random
import warnings
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from golden_cases import Case, golden_cases, normal
from histories import events
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import expressions

import tocsin as tc
from tocsin import detect, detect_all
from tocsin.errors import DataError, DefinitionError, TocsinError, TocsinWarning
from tocsin.language.nodes import USABLE, Expression
from tocsin.semantics import History, report
from tocsin.tables.results import Counts

T0 = datetime(2026, 11, 15, 17)


def spans(found: Any) -> list[tuple[Any, Any]]:
    return [(o.start, o.end) for o in found]


def quietly(*args: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TocsinWarning)
        return detect(*args, **options)


def as_text(occurrence: Any) -> str:
    """As the oracle prints occurrences."""
    late = f"!{occurrence.detected}" if occurrence.detected != occurrence.end else ""
    parts = " ".join(f"{e.name}@{e.end}" for e in occurrence.events)
    return f"[{occurrence.start}, {occurrence.end}]{late} {parts}".strip()


# What comes out is the oracle's answer.


@pytest.mark.parametrize("case", list(golden_cases()), ids=lambda case: case.name)
def test_golden_cases_through_the_front_door(case: Case) -> None:
    found = quietly(
        case.pattern,
        case.events,
        semantics=case.semantics,
        basis=case.basis,
        report=case.report,
        policy=case.policy,
        until=case.until,
    )
    ours = tuple(as_text(o) for o in found)
    if case.on_arrival:
        assert tuple(map(normal, ours)) in case.answers
        return
    by_oracle = report(
        tc.parse(case.pattern),
        History.of(case.events, until=case.until),
        semantics=case.semantics,
        basis=case.basis,
        report=case.report,
    )
    assert ours == tuple(map(str, by_oracle))


@settings(max_examples=150, deadline=None)
@given(expressions(max_depth=2), events(durative=True), st.sampled_from(USABLE))
def test_random_patterns_through_the_front_door(
    pattern: Expression, history: list[Any], semantics: str
) -> None:
    try:
        expected = report(pattern, History.of(history), semantics=semantics)
    except DefinitionError:
        return
    found = quietly(pattern, history, semantics=semantics)
    assert [as_text(o) for o in found] == list(map(str, expected))
    for occurrence in found:
        for part in occurrence.events:
            name, *times = history[part.row]
            assert (part.name, part.start, part.end) == (name, times[0], times[-1])


@settings(max_examples=100, deadline=None)
@given(expressions(max_depth=2), events(max_events=8), st.sampled_from(USABLE), st.randoms())
def test_the_order_of_rows_makes_no_difference(
    pattern: Expression, history: list[Any], semantics: str, shuffle: random.Random
) -> None:
    rows = [{"type": name, "time": at, "id": i} for i, (name, at) in enumerate(history)]
    other = list(rows)
    shuffle.shuffle(other)
    options: dict[str, Any] = {"semantics": semantics, "carry": ["id"]}
    try:
        found = quietly(pattern, rows, **options)
    except DefinitionError:
        return
    assert found.to_arrow().equals(quietly(pattern, other, **options).to_arrow())


# Where events come from.

ROWS = [
    {"type": "A", "time": T0, "user": "ann"},
    {"type": "B", "time": T0 + timedelta(seconds=1), "user": "ann"},
    {"type": "B", "time": T0 + timedelta(seconds=2), "user": "bob"},
]


def test_sources_give_one_answer(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS)
    csv, jsonl, parquet = (tmp_path / f"e.{s}" for s in ("csv", "jsonl", "parquet"))
    frame.to_csv(csv, index=False)
    frame.to_json(jsonl, orient="records", lines=True, date_format="iso", date_unit="us")
    frame.to_parquet(parquet)
    expected = detect("A ; B", ROWS, key="user")
    assert spans(expected) == [(T0, T0 + timedelta(seconds=1))]
    for source in (frame, pa.Table.from_pylist(ROWS), iter(ROWS), csv, str(parquet)):
        assert detect("A ; B", source, key="user") == expected
    assert [o.key for o in detect("A ; B", jsonl, key="user")] == ["ann"]


@pytest.mark.parametrize("nothing", [[], iter([]), pa.table({}), pd.DataFrame()])
def test_nothing_in_nothing_out(nothing: Any) -> None:
    found = detect("A ; B", nothing, key="user", carry=["ip"], measures={"n": "size(events)"})
    assert len(found) == 0
    assert list(found) == []
    names = ["user", "pattern", "start", "end", "detected", "events", "n"]
    assert found.to_arrow().column_names == names


def test_an_empty_file_and_a_file_of_names(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("")
    assert len(detect("A", path, key="user")) == 0
    path.write_text("type,time\n")
    assert len(detect("A", path)) == 0
    with pytest.raises(DefinitionError, match="key is 'user', but there is no such column"):
        detect("A", path, key="user")


def test_a_type_that_looks_like_a_number_stays_text(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("type,time\n007,1\n")
    assert len(detect("`007`", path)) == 1


# Times.


def test_units_and_timestamps() -> None:
    assert spans(detect("(A ; B) within 2s", [("A", 1), ("B", 3)], unit="s")) == [(1, 3)]
    assert len(detect("(A ; B) within 2s", [("A", 1), ("B", 4)], unit="s")) == 0
    assert len(detect("(A ; B) within 1s", ROWS)) == 1
    with pytest.raises(DefinitionError, match="the duration 2s has a unit"):
        detect("(A ; B) within 2s", [("A", 1), ("B", 3)])
    with pytest.raises(DefinitionError, match="the duration 1h has a unit"):
        detect("every(1h)", [("A", 1)])
    with pytest.raises(DefinitionError, match="needs the time of day"):
        detect('at("17:00")', [("A", 1)])


def test_until() -> None:
    assert len(detect("plus(A, 10)", [("A", 1)])) == 0
    assert spans(detect("plus(A, 10)", [("A", 1)], until=11)) == [(11, 11)]
    assert spans(detect("plus(A, 10)", [("A", 1)], until="11")) == [(11, 11)]
    late = T0 + timedelta(hours=1)
    for until in (late, late.isoformat(), "2026-11-15 18:00"):
        assert spans(detect("plus(A, 1h)", [("A", T0)], until=until)) == [(late, late)]
    assert len(detect("plus(A, 1d)", [("A", T0)], until=date(2026, 11, 17))) == 1
    with pytest.raises(DefinitionError, match="until is 5, but the times are timestamps"):
        detect("A", [("A", T0)], until=5)


def test_observation_spans_all_keys_and_rows() -> None:
    rows = [
        {"k": 1, "type": "A", "time": 5},
        {"k": 2, "type": "x", "time": 0},
        {"k": 3, "type": "x", "time": 9},
    ]
    found = detect("absent(A, 4)", rows, key="k")
    assert [(o.key, o.end) for o in found] == [(1, 4), (2, 4), (3, 4), (1, 9)]
    every = detect("every(5)", rows, key="k", measures={"n": "size(events)"})
    assert [(o.end, o.key, o.n) for o in every] == [
        (0, 1, 0),
        (0, 2, 0),
        (0, 3, 0),
        (5, 1, 0),
        (5, 2, 0),
        (5, 3, 0),
    ]


def test_time_zones() -> None:
    aware = [("A", T0.replace(tzinfo=UTC)), ("A", T0.replace(tzinfo=UTC) + timedelta(days=1))]
    five = detect('at("17:00")', aware, timezone="America/New_York")
    assert spans(five) == [(datetime(2026, 11, 15, 22, tzinfo=UTC),) * 2]
    naive = [("A", T0), ("A", T0 + timedelta(days=1))]
    wall = detect('at("17:00")', naive, timezone="America/New_York")
    assert spans(wall) == [(T0, T0), (T0 + timedelta(days=1),) * 2]


def test_a_condition_that_is_null_is_never_true() -> None:
    for condition in ("null", "if(time > 1, null, null)"):
        with pytest.warns(TocsinWarning, match="no row is an event 'A'"):
            assert not detect("A", [("A", 1), ("A", 2)], define={"A": condition})


@pytest.mark.parametrize(
    ("zone", "hour"),
    [("+02:00", 15), ("-8:00", 25), ("UTC+1", 16), ("GMT-0130", 18.5), ("Z", 17), ("+00:30", 16.5)],
)
@pytest.mark.parametrize("engine", ["local", "oracle"])
def test_time_zones_by_their_offset(zone: str, hour: float, engine: str) -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    rows = [{"time": noon + timedelta(hours=h), "type": "A"} for h in (0, 14)]
    found = detect('at("17:00")', rows, timezone=zone, engine=engine)
    assert [o.end for o in found] == [noon + timedelta(hours=hour - 12)]
    wall = noon + timedelta(hours=17 - hour)
    condition = f"hour(time) = {wall.hour} and minute(time) = {wall.minute}"
    sql = detect("A", rows, define={"A": condition}, timezone=zone, engine=engine)
    assert [o.end for o in sql] == [noon]


def test_the_ends_of_time() -> None:
    first, last = -(2**63) + 1, 2**63 - 1
    with pytest.raises(DataError, match="row 0: the time -2\\^63 stands for before every time"):
        detect("A ; B", [("A", first - 1), ("B", last)])
    assert spans(detect("A ; B", [("A", first), ("B", last)])) == [(first, last)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TocsinWarning)
        assert len(detect(f"plus(A, {last})", [("A", last)])) == 0
        assert len(detect(f"delay(A, {last})", [("A", last)])) == 0
        assert len(detect(f"(A ; B) within {last}", [("A", first), ("B", last)])) == 0


# Keys, order, several patterns.


def test_nothing_is_shared_between_keys() -> None:
    rows = [
        {"k": k, "type": t, "time": i} for i, (k, t) in enumerate(zip("xyxy", "AABB", strict=True))
    ]
    assert [(o.key, o.start, o.end) for o in detect("A ; B", rows, key="k")] == [
        ("x", 0, 2),
        ("y", 1, 3),
    ]


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        ([True, False], [False, True]),
        ([2.5, -0.0], [-0.0, 2.5]),
        ([date(2026, 1, 2), date(2026, 1, 1)], [date(2026, 1, 1), date(2026, 1, 2)]),
        ([[1, 2], [1]], [[1], [1, 2]]),
        ([{"x": 2}, {"x": 1}], [{"x": 1}, {"x": 2}]),
        ([b"b", b"a"], [b"a", b"b"]),
    ],
)
def test_keys_of_many_types(values: list[Any], keys: list[Any]) -> None:
    rows = [{"k": k, "type": "A", "time": 1} for k in values]
    assert [o.key for o in detect("A", rows, key="k")] == keys


def test_rows_without_a_key_are_left_out_with_a_warning() -> None:
    rows = [
        {"k": None, "type": "A", "time": None},
        {"k": "x", "type": "A", "time": 1},
        {"k": None, "type": "A", "time": 99},
    ]
    with pytest.warns(TocsinWarning, match=r"^rows left out because k is null: 2; fill") as caught:
        found = detect("A | absent(A, 5)", rows, key="k", carry=["type"])
    assert [(o.key, o.end, o.events[0].row) for o in found] == [("x", 1, 1)]
    assert [w.filename for w in caught] == [__file__]


def test_errors_name_the_row_of_the_input_even_if_rows_were_left_out() -> None:
    rows = [{"k": None, "type": "A", "time": 1.0}, {"k": 1, "type": "A", "time": 1.5}]
    with (
        pytest.warns(TocsinWarning, match="left out"),
        pytest.raises(DataError, match=r"^row 1: the time 1.5 is no whole number"),
    ):
        detect("A", rows, key="k")


@pytest.mark.parametrize("engine", ["local", "oracle"])
@pytest.mark.parametrize("none", [None, float("nan")])
def test_rows_without_a_time_are_left_out_with_a_warning(engine: str, none: float | None) -> None:
    rows = [
        {"k": "x", "type": "A", "s": none, "e": 3.0},
        {"k": None, "type": "A", "s": 1.0, "e": none},
        {"k": "x", "type": "A", "s": 1.0, "e": 2.0},
        {"k": "x", "type": "B", "s": 4.0, "e": none},
        {"k": "x", "type": "B", "s": 5.0, "e": 6.0},
    ]
    with pytest.warns(TocsinWarning, match="left out") as caught:
        found = detect("A ; B", rows, key="k", start="s", end="e", engine=engine)
    assert [str(w.message) for w in caught] == [
        "rows left out because k is null: 1; fill it in to keep them",
        "rows left out because s or e is null: 2; fill it in to keep them",
    ]
    assert [(o.start, o.end, o.events[0].row) for o in found] == [(1, 6, 2)]
    assert found.counts == Counts(5, 2, null_keys=1, null_times=2)


def test_a_table_of_nulls_has_no_occurrences() -> None:
    rows = [{"type": "A", "time": None}] * 3
    with pytest.warns(TocsinWarning, match=r"because time is null: 3;"):
        found = detect("A | absent(A, 5)", rows)
    assert not found
    assert found.counts == Counts(3, 0, null_times=3)


def test_order_by_says_which_comes_first() -> None:
    rows = [
        {"type": "A", "time": 1, "rank": 2, "id": "p"},
        {"type": "A", "time": 1, "rank": 1, "id": "q"},
        {"type": "B", "time": 2, "rank": 0, "id": "r"},
    ]

    def chosen(**options: Any) -> str:
        found = detect("A ; B", rows, semantics="chronicle", carry=["id"], **options)
        return str(found[0].events[0].id)

    assert chosen() == "p"
    assert chosen(order_by="rank") == "q"
    assert chosen(order_by=["rank", "id"]) == "q"


def test_all_patterns_in_one_pass() -> None:
    found = detect_all(
        {"pair": "A ; B", "late": tc.event("B", "time > 2"), "any": "A | B"},
        [("A", 1), ("B", 3)],
    )
    assert [(o.pattern, o.start, o.end) for o in found] == [
        ("any", 1, 1),
        ("pair", 1, 3),
        ("late", 3, 3),
        ("any", 3, 3),
    ]
    assert found.to_arrow().column("pattern").to_pylist() == ["any", "pair", "late", "any"]


def test_patterns_may_define_one_name_each_in_its_way() -> None:
    patterns = {"low": tc.event("A", "time < 2"), "high": tc.event("A", "time >= 2")}
    found = detect_all(patterns, [("x", 1), ("x", 3)])
    assert [(o.pattern, o.end) for o in found] == [("low", 1), ("high", 3)]


# What is refused.

E1 = [("A", 1), ("B", 3)]
D1 = [{"type": "A", "time": 1, "start": 1, "name": "x", "u": "x", "U": 1}]


@pytest.mark.parametrize(
    ("events", "options", "message"),
    [
        (E1, {"semantics": "chronical"}, r"semantics is 'chronical'.*did you mean 'chronicle'"),
        (E1, {"semantics": "zzz"}, r"restricted, unrestricted, recent, .* or restricted-2004"),
        (E1, {"basis": "points"}, r"basis is 'points'.*did you mean 'point'"),
        (E1, {"report": "once"}, r"report is 'once'.*overlapping, repeated or single"),
        (E1, {"engine": "flink"}, r"engine is 'flink', which is not known.*oracle"),
        (E1, {"unit": "sec"}, r"unit is 'sec', which is not known"),
        (E1, {"timezone": "Europe/Berln"}, r"timezone is 'Europe/Berln'.*'Europe/Berlin'"),
        (E1, {"timezone": "../etc/passwd"}, r"timezone is '../etc/passwd', which is not known"),
        (E1, {"timezone": 5}, r"timezone is 5, which is not known"),
        (E1, {"timezone": "+19:00"}, r"timezone is '\+19:00', which is not known; .*'\+02:00'"),
        (E1, {"timezone": "+02:60"}, r"timezone is '\+02:60', which is not known"),
        (E1, {"key": "user"}, r"key is 'user', but there is no such column.*\(columns: type, time"),
        (D1, {"time": "tiem"}, r"time is 'tiem', but .* did you mean 'time'\?"),
        (D1, {"start": "start", "end": "ende"}, r"end is 'ende', but there is no such column"),
        (D1, {"carry": "ipp"}, r"carry is 'ipp', but there is no such column"),
        (D1, {"order_by": "ipp"}, r"order_by is 'ipp', but there is no such column"),
        (D1, {"key": "start"}, r"key names 'start', a name that the result uses itself; rename"),
        (D1, {"carry": "name"}, r"carry names 'name', a name that the result uses .*to 'name_'"),
        (D1, {"carry": "Start"}, r"carry names 'Start', a name that the result uses"),
        (D1, {"measures": {"End": "1"}}, r"measures names 'End', .* give the measure another name"),
        (D1, {"key": "u", "carry": "u"}, r"'u' is both in key and in carry; leave it out"),
        (D1, {"key": "u", "measures": {"U": "1"}}, r"'U' is both in key and in measures"),
        (D1, {"carry": ["u", "u"]}, r"carry names 'u' twice"),
        (D1, {"key": ["u", 5]}, r"key holds 5; write the names of columns"),
        (D1, {"key": 5}, r"key is 5; write the name of a column"),
        (D1, {"measures": ["n"]}, r"measures is \['n'\]; write SQL by name"),
        (D1, {"start": "time"}, r"start is given alone"),
        (D1, {"time": "u", "start": "time", "end": "time"}, r"time is given together with"),
        ([("A", T0)], {"unit": "s"}, r"unit is 's', but 'time' holds timestamps"),
    ],
)
def test_calls_that_are_refused(events: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        detect("A", events, **options)


@pytest.mark.parametrize("column", ["key", "order_by"])
def test_maps_cannot_be_compared(column: str) -> None:
    maps = pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))
    table = pa.table({"type": ["A"], "time": [1], "m": maps})
    with pytest.raises(DefinitionError, match=f"{column} is 'm', a column of map.* cannot be"):
        detect("A", table, **{column: "m"})  # type: ignore[arg-type]
    assert detect("A", table, carry="m")[0].events[0].m == [("a", 1)]


@pytest.mark.parametrize("pattern", [5, None, ["A"]])
def test_what_is_no_pattern(pattern: Any) -> None:
    with pytest.raises(DefinitionError, match=r"^the pattern is .*, of type .*; write text"):
        detect(pattern, E1)
    with pytest.raises(DefinitionError, match=r"^the pattern 'x' is "):
        detect_all({"x": pattern}, E1)


@pytest.mark.parametrize("patterns", [{}, ["A"], "A", {5: "A"}])
def test_what_are_no_patterns(patterns: Any) -> None:
    with pytest.raises(DefinitionError, match=r"^(patterns is|the name of a pattern is)"):
        detect_all(patterns, E1)


def test_a_wrong_pattern_is_refused_before_the_events_are_read() -> None:
    class Trap:
        def __iter__(self) -> Any:
            raise AssertionError("the events were read")

    with pytest.raises(TocsinError):
        detect("A ;", Trap())
    with pytest.raises(TocsinError):
        detect("A", Trap(), semantics="none")
