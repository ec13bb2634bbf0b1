"""Results as files, whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from written import encoded

from tocsin import detect
from tocsin.errors import DataError
from tocsin.tables.output import FORMATS, plain, whole_file

MOMENT = datetime(2026, 11, 15, 17, tzinfo=UTC)
ROWS = [
    {"user": 'ann, "a"', "type": "A", "at": MOMENT, "n": None},
    {"user": 'ann, "a"', "type": "B", "at": MOMENT + timedelta(seconds=1), "n": 2.5},
]


def found(**options: Any) -> Any:
    return detect("A ; B", ROWS, time="at", carry=["n"], **options)


def write(data: bytes, path: Path) -> None:
    with whole_file(path) as file:
        file.write(data)


def test_jsonl() -> None:
    (line,) = (
        encoded("jsonl", found(key="user", measures={"m": "size(events)"})).decode().splitlines()
    )
    assert json.loads(line) == {
        "pattern": "A ; B",
        "key": {"user": 'ann, "a"'},
        "start": "2026-11-15T17:00:00.000000Z",
        "end": "2026-11-15T17:00:01.000000Z",
        "detected": "2026-11-15T17:00:01.000000Z",
        "events": [
            {
                "name": "A",
                "start": "2026-11-15T17:00:00.000000Z",
                "end": "2026-11-15T17:00:00.000000Z",
                "n": None,
            },
            {
                "name": "B",
                "start": "2026-11-15T17:00:01.000000Z",
                "end": "2026-11-15T17:00:01.000000Z",
                "n": 2.5,
            },
        ],
        "measures": {"m": 2},
    }
    assert json.loads(encoded("jsonl", found()))["key"] == {}
    assert json.loads(encoded("jsonl", found(key=["user", "type"])) or "null") is None
    assert encoded("jsonl", detect("A", [])) == b""


def test_a_line_is_a_line_for_every_reader() -> None:
    odd = "\x85 \u2028 \u2029 \x0b \n é"
    text = encoded("jsonl", detect("A", [{"type": "A", "time": 1, "x": odd}], carry="x")).decode()
    (line,) = text.splitlines()
    assert json.loads(line)["events"][0]["x"] == odd
    assert "é" in line


def test_csv() -> None:
    text = encoded("csv", found(key="user", measures={"m": "start < end", "x": "A.n"})).decode()
    names, row = csv.reader(io.StringIO(text))
    assert names == ["user", "pattern", "start", "end", "detected", "events", "m", "x"]
    assert row[:3] == ['ann, "a"', "A ; B", "2026-11-15T17:00:00.000000Z"]
    assert [event["name"] for event in json.loads(row[5])] == ["A", "B"]
    assert row[6:] == ["true", ""]


def test_parquet() -> None:
    result = found(key="user")
    table = pyarrow.parquet.read_table(io.BytesIO(encoded("parquet", result)))
    assert table.to_pylist() == result.to_arrow().to_pylist()


def test_every_format_takes_no_occurrences() -> None:
    for format in FORMATS:
        encoded(format, detect("A", []))
        encoded(format, found(key="user")[:0])


@pytest.mark.parametrize("format", FORMATS)
def test_how_results_are_cut_into_pieces_makes_no_difference(format: str) -> None:
    result = detect("A | B", ROWS, time="at", carry=["n"])
    whole, cut = encoded(format, result), encoded(format, result[:0], result[:1], result[1:])
    if format == "parquet":
        read = [pyarrow.parquet.read_table(io.BytesIO(data)) for data in (whole, cut)]
        assert read[0].equals(read[1])
    else:
        assert whole == cut
        assert whole.count(b"B") >= 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (datetime(2026, 1, 1), "2026-01-01T00:00:00.000000"),
        (MOMENT, "2026-11-15T17:00:00.000000Z"),
        (date(2026, 1, 1), "2026-01-01"),
        (time(17), "17:00:00"),
        (timedelta(minutes=1, microseconds=500_000), 60.5),
        (Decimal("1.50"), "1.50"),
        (b"\x00\xff", "AP8="),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
        ({"a": [(1, MOMENT)]}, {"a": [[1, "2026-11-15T17:00:00.000000Z"]]}),
        (True, True),
        (None, None),
    ],
)
def test_values_in_json(value: Any, expected: Any) -> None:
    assert plain(value) == expected


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    write(b"old", path)
    write(b"new", path)
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_nothing_is_left_of_a_file_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.csv"
    write(b"old", path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(DataError, match=r"out\.csv: the file cannot be written: No space left"):
        write(b"new", path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_what_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    def pieces() -> Iterator[Any]:
        yield found()
        raise RuntimeError("no more")

    path = tmp_path / "out.csv"
    with pytest.raises(RuntimeError, match="no more"), whole_file(path) as file:
        FORMATS["csv"](pieces(), file)
    assert os.listdir(tmp_path) == []


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written: No such file"):
        write(b"", tmp_path / "none" / "out.csv")
    with pytest.raises(DataError, match="cannot be written: Is a directory"):
        write(b"", tmp_path)


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write(b"new", link)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    write(b"gone", Path(os.devnull))
