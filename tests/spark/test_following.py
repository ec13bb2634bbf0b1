"""Files that come into a followed folder hold what others held; what is kept for a restart."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tocsin.errors import DataError
from tocsin.spark.beginning import Beginning, tell, told
from tocsin.spark.copying import time_type
from tocsin.spark.following import Arrived, Following
from tocsin.spark.wanted import Wanted
from tocsin.tables.call import asked
from tocsin.tables.files import Files, alike

HELD = pa.schema([("id", pa.string()), ("n", pa.float64()), ("time", pa.int64())])


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("id,n,time\n007,1.5,3\n", [{"id": "007", "n": 1.5, "time": 3}]),
        ("id,n,time\n007,1,3\n", [{"id": "007", "n": 1.0, "time": 3}]),  # whole numbers, this time
        ("time,id,n\n3,x,\n", [{"id": "x", "n": None, "time": 3}]),
        ("time\n3\n", [{"id": None, "n": None, "time": 3}]),
        ("id,n,time\n", []),
    ],
)
def test_a_file_that_fits(tmp_path: Path, text: str, rows: list[Any]) -> None:
    arrived = Arrived(written(tmp_path, "a.csv", text), HELD)
    found = [row for table in arrived.tables() for row in table.to_pylist()]
    assert found == rows
    assert all(table.schema == HELD for table in arrived.tables())


def test_other_columns_are_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "time,type,more\n3,A,x\n")
    following = follow(tmp_path, "type,time\nA,1\n", "A")
    (batch,) = following.run([pa.record_batch({"path": [f"file:{path}"]})])
    assert batch.to_pylist() == [{"type": "A", "time": 3, "position": 0}]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "id,n,time\n1,2,3.5\n",
            "column 'time' holds double, but when the stream began it held int64",
        ),
        ("id,n,time\n1,x,3\n", "column 'n' holds string, but when the stream began it held double"),
    ],
)
def test_a_file_that_does_not_fit(tmp_path: Path, text: str, what: str) -> None:
    path = written(tmp_path, "a.csv", text)
    with pytest.raises(DataError, match=what) as error:
        Arrived(path, HELD)
    assert str(error.value).startswith(f"{path}: ")


def test_a_file_that_has_gone(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has gone before it was read; put it back"):
        Arrived(tmp_path / "a.csv", HELD)


def follow(folder: Path, first: str, pattern: str, **reading: Any) -> Following:
    """A folder as it is followed, with a first file."""
    incoming = folder / "incoming"
    incoming.mkdir()
    path = written(incoming, "first.csv", first)
    files = Files(incoming, as_text=("type",))
    wanted = Wanted.of(files.schema, asked({"": pattern}, **reading))
    return Following(incoming, alike(path), wanted, time_type(files, wanted))


def test_times_written_as_text(tmp_path: Path) -> None:
    following = follow(tmp_path, "type,time\nA,2026-11-15T09:00:00+01:00\nA,\n", "A")
    path = written(tmp_path, "a.csv", "type,time\nA,2026-11-15T10:00:00Z\n")
    paths = [pa.record_batch({"path": [f"file:{path}"]})]
    (time,) = (
        kind for kind in next(following.run(paths)).schema.types if pa.types.is_timestamp(kind)
    )
    assert time == pa.timestamp("us", "UTC")
    wrong = written(tmp_path, "b.csv", "type,time\nA,soon\n")
    with pytest.raises(DataError, match=r"b\.csv"):
        list(following.run([pa.record_batch({"path": [f"file:{wrong}"]})]))


def test_all_kinds_of_files(tmp_path: Path) -> None:
    table = pa.table({"id": ["x"], "n": [1.5], "time": [3]})
    pq.write_table(table, tmp_path / "a.parquet")
    written(tmp_path, "a.jsonl", '{"id": "x", "n": 1.5, "time": 3}\n')
    with gzip.open(tmp_path / "a.csv.gz", "wt") as file:
        file.write("id,n,time\nx,1.5,3\n")
    for name in ("a.parquet", "a.jsonl", "a.csv.gz"):
        assert list(Arrived(tmp_path / name, HELD).tables()) == [table], name


def test_what_is_kept_for_the_next_start(tmp_path: Path) -> None:
    for kind in (None, pa.int64(), pa.timestamp("us"), pa.timestamp("us", "UTC")):
        asked = ("A ; B", {"A": "id = 'é'", "B": None})
        beginning = Beginning(tmp_path / "é", [".csv", ".csv.gz"], HELD, kind, 4, *asked)
        beginning.save(tmp_path / "checkpoint")
        assert Beginning.load(tmp_path / "checkpoint") == beginning
    assert told(tmp_path / "checkpoint") == -1
    tell(tmp_path / "checkpoint", 7)
    assert told(tmp_path / "checkpoint") == 7
