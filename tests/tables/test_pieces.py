"""Files in pieces: how they are cut, and by what they are read, makes no difference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest

from tocsin.errors import DataError
from tocsin.tables import read_csv, read_jsonl
from tocsin.tables.files import read_path
from tocsin.tables.rows import table_of_dicts

CELLS = [
    *("", "0", "1", "7", "-3", " 5", "0.5", "1e3", "nan", "007", "true", "False", "x", '""'),
    *("2026-01-01", "2026-01-01 10:00", "2026-01-01T10:00:00.1234567", "2026-01-01T10:00Z"),
    *("12:30:00", '"a,b"', '"two\nlines"', '"a ""word"""', "9223372036854775808"),
]


@contextmanager
def blocks(size: int) -> Iterator[None]:
    with patch.object(read_csv, "BLOCK", size), patch.object(read_jsonl, "BLOCK", size):
        yield


@pytest.mark.parametrize("seed", range(60))
def test_csv(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    columns = [random.sample(CELLS, random.randint(1, 4)) for _ in range(4)]
    lines = ["a,b,c,d"]
    lines += [",".join(map(random.choice, columns)) for _ in range(random.randint(1, 80))]
    path = tmp_path / "e.csv"
    path.write_text("\n".join(lines) + "\n")
    whole = read_path(path)
    for size in (200, 350):
        with blocks(size):
            cut = read_path(path)
        assert cut.table.schema == whole.table.schema
        assert str(cut.table.to_pylist()) == str(whole.table.to_pylist())
        row = random.randrange(len(whole))
        assert cut.where(row) == whole.where(row)


def test_a_record_longer_than_a_block(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("x\n1\n" + "y" * 1000 + "\n")
    with blocks(100):
        assert [len(row["x"]) for row in read_path(path).table.to_pylist()] == [1, 1000]


def test_what_is_wrong_is_found_in_any_piece(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    with blocks(100):
        for wrong, said in [
            (b"x,1,2\n", "line 502: the line has 3"),
            (b"\xff,1\n", "line 502: the byte"),
            (b'"x,1\n', "line 502: a double quote"),
        ]:
            path.write_bytes(b"a,b\n" + b"x,1\n" * 500 + wrong + b"y,2\n" * 500)
            with pytest.raises(DataError, match=said):
                read_path(path)


VALUES: list[list[Any]] = [
    [1, 2, 3, None],
    [1, 0.5, -2, None],
    ["x", "2026-01-01T00:00:00Z", "", None],
    ["2026-01-01", "2026-01-02 10:00:00"],
    [True, False, None],
    [None],
    [[1, 2], [], [0.5], None],
    [{"u": 1}, {"v": "2026-01-01"}, {}, None],
    [[{"u": "2026-01-01"}], []],
    [2**60, 1],
    ["é", "\u2028", '"', "\\"],
]


@pytest.mark.parametrize("seed", range(60))
def test_jsonl(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    columns = {name: random.choice(VALUES) for name in "abcd"}
    rows = [
        {name: random.choice(values) for name, values in columns.items() if random.random() < 0.8}
        for _ in range(random.randint(1, 60))
    ]
    rows = [row for row in rows if row] or [{"a": 1}]
    path = tmp_path / "e.jsonl"
    text = "".join(f"{json.dumps(row)}\n" + "\n" * (random.random() < 0.1) for row in rows)
    path.write_text(text)
    lines = [number for number, line in enumerate(text.split("\n"), start=1) if line]
    expected = table_of_dicts(rows)
    for size in (1 << 24, 400):
        with blocks(size):
            found = read_path(path)
        assert found.table.select(expected.column_names).to_pylist() == expected.to_pylist()
        kinds = {field.name: field.type for field in found.table.schema}
        assert kinds == {field.name: field.type for field in expected.schema}
        row = random.randrange(len(rows))
        assert found.where(row) == f"{path}, line {lines[row]}"


@pytest.mark.parametrize(
    "lines",
    [
        ['{"a": 1, "a": 2}'],
        ['{"a": 1}', '{"a": 9007199254740993.5}'],
        ['{"a": NaN}', '{"a": 1}'],
        ['{"a": "\\ud83d\\ude00"}'],
        ['{"a": 1e400}'],
    ],
)
def test_jsonl_is_read_as_python_reads_it(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text("\n".join(lines))
    expected = table_of_dicts([json.loads(line) for line in lines])
    assert str(read_path(path).table.to_pylist()) == str(expected.to_pylist())


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('{"a": "x"}', "line 301: the column 'a' holds 'x', text, where the rows before hold num"),
        ('{"a": 1}{"a": 1}', "line 301: the line is no JSON: Extra data"),
        ('{"a": 9223372036854775808}', "line 301: the column 'a' holds .* 64 bits do not"),
        ("[1]", "line 301: the line is no JSON object"),
    ],
)
def test_what_is_wrong_with_jsonl_is_found_in_any_piece(
    wrong: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"a": 1}\n' * 300 + wrong + "\n")
    for size in (1 << 24, 100):
        with blocks(size), pytest.raises(DataError, match=said):
            read_path(path)


def test_parquet_in_row_groups(tmp_path: Path) -> None:
    import pyarrow.parquet

    path, table = tmp_path / "e.parquet", pa.table({"a": range(50)})
    pyarrow.parquet.write_table(table, path, row_group_size=7)
    assert read_path(path).table.equals(table)


def test_old_timestamps_in_parquet_are_instants(tmp_path: Path) -> None:
    import pyarrow.parquet

    path, moment = tmp_path / "e.parquet", datetime(1500, 1, 1, 12)
    row = {"a": moment, "b": [moment], "c": {"x": moment}, "d": 1}
    pyarrow.parquet.write_table(
        pa.Table.from_pylist([row]), path, use_deprecated_int96_timestamps=True, store_schema=False
    )
    aware = moment.replace(tzinfo=UTC)
    assert read_path(path).table.to_pylist() == [
        {"a": aware, "b": [aware], "c": {"x": aware}, "d": 1}
    ]
