"""Files of events: what is read, and where a wrong line is."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from tocsin.errors import DataError
from tocsin.tables.files import read_path
from tocsin.tables.source import Source
from tocsin.tables.times import time_columns

CSV = "type,time,ip,n\nA,1,10.0.0.7,5\nB,2,,\n"
JSONL = '{"type": "A", "time": 1, "ip": "10.0.0.7", "n": 5}\n\n{"type": "B", "time": 2}\n'
ROWS = [
    {"type": "A", "time": 1, "ip": "10.0.0.7", "n": 5},
    {"type": "B", "time": 2, "ip": None, "n": None},
]


def file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.csv", CSV),
        ("E.CSV", CSV),
        ("e.csv", "\ufeff" + CSV),
        ("e.csv", CSV.replace("\n", "\r\n")),
        ("e.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        ("e.jsonl", JSONL),
        ("e.ndjson", JSONL),
        ("e.json", JSONL),
        ("e.jsonl.gz", gzip.compress(JSONL.encode(), mtime=0)),
    ],
)
def test_files_by_suffix(tmp_path: Path, name: str, content: str | bytes) -> None:
    source = read_path(file(tmp_path, name, content))
    assert source.table.to_pylist() == ROWS
    assert source.where(1).endswith(", line 3")


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "e.parquet"
    pyarrow.parquet.write_table(pa.Table.from_pylist(ROWS), path)
    source = read_path(path)
    assert source.table.to_pylist() == ROWS
    assert source.where(1) == f"{path}, row 1"


@pytest.mark.parametrize("name", ["e.csv", "e.jsonl", "e.parquet"])
def test_an_empty_file_holds_nothing(tmp_path: Path, name: str) -> None:
    assert read_path(file(tmp_path, name, "")).is_blank


def test_files_of_blank_lines_or_only_names(tmp_path: Path) -> None:
    assert read_path(file(tmp_path, "a.csv", "\n \n")).is_blank
    assert read_path(file(tmp_path, "a.jsonl", "\n\n")).is_blank
    for text in ("type,time", "type,time\n"):
        source = read_path(file(tmp_path, "b.csv", text))
        assert (len(source), source.table.column_names) == (0, ["type", "time"])


def test_an_empty_folder_holds_nothing(tmp_path: Path) -> None:
    file(tmp_path, "_SUCCESS", "")
    file(tmp_path, ".part-0.csv.crc", "x")
    assert read_path(tmp_path).is_blank


def test_a_folder_is_its_files_by_name(tmp_path: Path) -> None:
    file(tmp_path, "b.csv", "type,time\nC,3\n")
    first = file(tmp_path, "a.csv", "type,time,n\nA,1,5\nB,2,6\n")
    file(tmp_path, "_SUCCESS", "")
    source = read_path(tmp_path)
    assert [row["type"] for row in source.table.to_pylist()] == ["A", "B", "C"]
    assert source.table.column("n").to_pylist() == [5, 6, None]
    assert source.where(1) == f"{first}, line 3"
    assert source.where(2) == f"{tmp_path / 'b.csv'}, line 2"


def test_text_stays_text_where_it_is_asked_for(tmp_path: Path) -> None:
    path = file(tmp_path, "e.csv", "type,time\n007,1\n")
    assert read_path(path, as_text=["type"]).table.column("type").to_pylist() == ["007"]


def test_types_are_found_by_all_values(tmp_path: Path) -> None:
    lines = ["1"] * 400_000 + ["2.5"]  # more than the block by which Arrow guesses
    source = read_path(file(tmp_path, "e.csv", "\n".join(["x", *lines])))
    assert source.table.column("x").type == pa.float64()


def test_an_empty_value_is_null_and_a_quoted_one_is_text(tmp_path: Path) -> None:
    source = read_path(file(tmp_path, "e.csv", 'x,y\n,""\nNA,nan\n'))
    assert source.table.to_pylist() == [{"x": None, "y": ""}, {"x": "NA", "y": "nan"}]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("e.csv", "type,time\nA,1\nB\n", r"line 3: the line has 1 values, but there are 2 columns"),
        ("e.csv", 'a,b\n"x\ny",1\n\n1,2,3\n', r"line 5: the line has 3 values"),
        ("e.csv", b"type,time\nA,1\n\xffB,2\n", r"line 3: the byte 0xff is not UTF-8; save"),
        ("e.csv", b"type,t\xffme\nA,1\n", r"line 1: the byte 0xff is not UTF-8"),
        ("e.csv", 'a,b\n1,2\n"x,3\n4,5\n', r"line 3: a double quote opens .* never closes"),
        (
            "e.jsonl",
            '{"a": 1}\n{"a": \n',
            r"line 2: the line is no JSON: Expecting value at column 7",
        ),
        ("e.jsonl", "[1, 2]\n", r"line 1: the line is no JSON object but \[1, 2\]"),
        ("e.jsonl", "[" * 100_000, r"line 1: the line is no JSON: it is too deep"),
        ("e.jsonl", '{"a": ' + "1" * 5000 + "}", r"line 1: the line is no JSON: a number is too"),
        ("e.jsonl", b'{"a": "\xff"}', r"line 1: the byte 0xff is not UTF-8"),
        ("e.jsonl", '{"a": 1}\n\n{"a": "x"}', r"line 3: the column 'a' holds 'x', text, where"),
        ("e.jsonl", '{"a": 9223372036854775808}', r"line 1: the column 'a' holds .* 64 bits"),
        ("e.parquet", "no parquet", r"e.parquet: the file is no parquet file"),
        ("e.csv.gz", "not packed", r"e.csv.gz: the file cannot be unpacked"),
        ("e.xlsx", "x", r"e.xlsx: the suffix '.xlsx' is not known; name it .csv, .jsonl or"),
        ("events", "x", r"events: the file has no suffix"),
    ],
)
def test_what_is_wrong_and_where(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    path = file(tmp_path, name, content)
    with pytest.raises(DataError, match=message) as error:
        read_path(path)
    assert str(error.value).startswith(str(path))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none.csv: there is no such file or folder$"):
        read_path(tmp_path / "none.csv")


def test_folders_that_cannot_be_read_as_one(tmp_path: Path) -> None:
    file(tmp_path, "a.csv", "x\n1\n")
    file(tmp_path, "b.jsonl", '{"x": 1}')
    with pytest.raises(DataError, match="files of several kinds"):
        read_path(tmp_path)
    (tmp_path / "b.jsonl").unlink()
    second = file(tmp_path, "b.csv", "x\n2026-01-01T00:00:00Z\n")
    with pytest.raises(DataError, match=r"the column 'x' holds .* does not fit") as error:
        read_path(tmp_path)
    assert str(error.value).startswith(str(second))
    (tmp_path / "inner").mkdir()
    with pytest.raises(DataError, match="there are folders in this folder"):
        read_path(tmp_path)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1", "noon"], "line 3: the time 'noon' is no time"),
        (["1", "2.5"], "line 3: the time 2.5 is no whole number"),
        (["1", "inf"], "line 3: the time inf is no time"),
        (["1", "99999999999999999999"], "line 3: .* is beyond what 64 bits hold"),
        (["2026-01-01T00:00Z", "2026-01-01T00:00"], "line 3: .* is not like those"),
    ],
)
def test_wrong_times_name_their_line(tmp_path: Path, values: list[str], message: str) -> None:
    path = file(tmp_path, "e.csv", "\n".join(["time,x", *(f"{v},0" for v in values)]))
    with pytest.raises(DataError, match=message):
        time_columns(read_path(path))


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        (["1", "2"], [1, 2]),
        (["1970-01-01T00:00:00Z", "1970-01-01T00:00:01.5Z"], [0, 1_500_000]),
        (["1970-01-01T01:00:00+01:00", "1970-01-01T00:00:01Z"], [0, 1_000_000]),
        (["1970-01-01", "1970-01-01 00:00:01"], [0, 1_000_000]),
        (["1970-01-01", "1970-01-02"], [0, 86_400_000_000]),
        (["0001-01-01T00:00:00", "9999-12-31T00:00:00"], [-62135596800000000, 253402214400000000]),
    ],
)
def test_times_in_files(tmp_path: Path, values: list[str], ticks: list[int]) -> None:
    def starts(source: Source) -> list[int]:
        return time_columns(source)[0].to_pylist()  # type: ignore[no-any-return]

    assert starts(read_path(file(tmp_path, "e.csv", "\n".join(["time", *values])))) == ticks
    lines = "\n".join(f'{{"time": "{value}"}}' for value in values)
    assert starts(read_path(file(tmp_path, "e.jsonl", lines))) == ticks
