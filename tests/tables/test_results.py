"""What comes back: a sequence that is a table."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

from tocsin import detect
from tocsin.tables.results import Event, Occurrences

ROWS = [
    {"user": "ann", "type": "A", "time": 1, "ip": "x", "tags": ["p"]},
    {"user": "bob", "type": "A", "time": 2, "ip": None, "tags": []},
    {"user": "ann", "type": "B", "time": 3, "ip": "y", "tags": None},
    {"user": "bob", "type": "B", "time": 3, "ip": "z", "tags": ["q", "r"]},
]


@pytest.fixture
def found() -> Occurrences:
    return detect("A ; B", ROWS, key="user", carry=["ip", "tags"], measures={"n": "size(events)"})


def test_it_is_a_sequence(found: Occurrences) -> None:
    assert len(found) == 2
    assert [o.key for o in found] == ["ann", "bob"]
    assert found[-1] == list(found)[1]
    assert [o.key for o in found[::-1]] == ["bob", "ann"]
    assert len(found[5:]) == 0
    assert found[0] in found
    with pytest.raises(IndexError):
        found[2]


def test_an_occurrence(found: Occurrences) -> None:
    first = found[0]
    assert (first.pattern, first.start, first.end, first.detected) == ("A ; B", 1, 3, 3)
    assert (first.n, first.measures) == (2, {"n": 2})
    a, b = first.events
    assert a == Event("A", 1, 1, 0, {"ip": "x", "tags": ["p"]})
    assert (b.name, b.start, b.end, b.row, b.ip, b["ip"], b["row"]) == ("B", 3, 3, 2, "y", "y", 2)
    with pytest.raises(AttributeError, match=r"there is no 'pi'; there are name, .* ip, tags"):
        _ = a.pi
    with pytest.raises(KeyError):
        a["pi"]
    with pytest.raises(AttributeError, match="there is no 'm'"):
        _ = first.m


def test_the_table(found: Occurrences) -> None:
    table = found.to_arrow()
    assert table.column_names == ["user", "pattern", "start", "end", "detected", "events", "n"]
    assert table.to_pylist()[1] == {
        "user": "bob",
        "pattern": "A ; B",
        "start": 2,
        "end": 3,
        "detected": 3,
        "events": [
            {"name": "A", "start": 2, "end": 2, "ip": None, "tags": []},
            {"name": "B", "start": 3, "end": 3, "ip": "z", "tags": ["q", "r"]},
        ],
        "n": 2,
    }
    assert found[1:].to_arrow().to_pylist() == table.to_pylist()[1:]


@pytest.mark.parametrize(
    ("time", "type_", "back"),
    [
        (5, pa.int64(), 5),
        (5.0, pa.int64(), 5),
        (datetime(2026, 1, 1), pa.timestamp("us"), datetime(2026, 1, 1)),
        (
            datetime(2026, 1, 1, tzinfo=UTC),
            pa.timestamp("us", "UTC"),
            datetime(2026, 1, 1, tzinfo=UTC),
        ),
        (date(2026, 1, 1), pa.timestamp("us"), datetime(2026, 1, 1)),
    ],
)
def test_times_come_back_as_they_were(time: Any, type_: pa.DataType, back: Any) -> None:
    found = detect("A", [("A", time)])
    schema = found.to_arrow().schema
    assert schema.field("start").type == schema.field("detected").type == type_
    assert schema.field("events").type.value_type.field("end").type == type_
    assert (found[0].start, found[0].events[0].end) == (back, back)
    assert type(found[0].start) is type(back)


def test_equality(found: Occurrences) -> None:
    again = detect("A ; B", ROWS, key="user", carry=["ip", "tags"], measures={"n": "size(events)"})
    assert found == again
    assert found != again[:1]
    assert found != detect("A ; B", ROWS, key=["user"], carry=["ip", "tags"])
    assert found != list(found)
    assert hash(found[0]) == hash(again[0])
    assert {found[0], again[0], found[1]} == set(found)


def test_copies(found: Occurrences) -> None:
    assert pickle.loads(pickle.dumps(found)) == found
    assert copy.deepcopy(found[0]) == found[0]


def test_keys() -> None:
    assert [o.key for o in detect("A", ROWS, key=["user", "type"])] == [("ann", "A"), ("bob", "A")]
    assert [o.key for o in detect("A", ROWS, key=["user"])] == [("ann",), ("bob",)]
    assert [o.key for o in detect("A", ROWS)] == [None, None]
    assert detect("A", ROWS, key=["user"]).keys == ("user",)


def test_printing(found: Occurrences) -> None:
    assert repr(found) == (
        "2 occurrences\n  1..3 A@1 B@3 n=2 of 'ann'\n  2..3 A@2 B@3 n=2 of 'bob'"
    )
    many = detect("A", [("A", time) for time in range(12)])
    assert repr(many).splitlines()[0] == "12 occurrences"
    assert repr(many).splitlines()[-1] == "  … and 2 more"
    late = detect("aperiodic*(A, B, C)", [("A", 1), ("B", 2), ("C", 5)])
    assert repr(late[0]) == "2!5 A@1 B@2 C@5"
    assert repr(detect("A", [("A", 1, 4)])[0]) == "1..4 A@1..4"
