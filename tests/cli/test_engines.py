"""Whichever engine does the work, the answer is the same to the byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tocsin.cli import main
from tocsin.spark.watching import watched
from tocsin.tables.progress import heard_by

EXAMPLES = Path(__file__).parents[2] / "examples"
T0 = datetime(2026, 11, 15, 17, tzinfo=UTC)

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: Any, monkeypatch: Any) -> Run:
    """Run `tocsin detect`; gives the exit code, stdout, and stderr without how long it took."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: object) -> tuple[int, str, str]:
        code = main(["detect", *map(str, arguments)])
        out, err = capfd.readouterr()
        lines = [line for line in err.splitlines() if "Spark took" not in line]
        return code, out, re.sub(r", \d+\.\d\d s$", "", "\n".join(lines))

    return call


@pytest.fixture
def same(spark: Any, run: Run) -> Callable[..., str]:
    """Ask Spark and the local engine; gives what both say."""

    def ask(*arguments: object) -> str:
        expected = run(*arguments, "--engine", "local")
        assert run(*arguments) == expected
        assert expected[0] == 0, expected[2]
        return expected[1]

    return ask


EXAMPLE_CALLS = {
    "the button": ["buttons.csv", "--pattern", "(B ; B) within 2 - (P | T)"],
    "logins": [
        *("logins.jsonl", "--key", "user", "--carry", "ip", "--measure", "address=ok.ip"),
        *("--define", "failed=type = 'login' and not success"),
        *("--define", "ok=type = 'login' and success"),
        *("--pattern", "(failed ; ok) within 10min - reset"),
    ],
    "rooms": [
        *("facility.csv", "--key", "building", "--key", "room", "--carry", "celsius"),
        *("--define", "hot=type = 'temperature' and celsius > 35"),
        *("--pattern", "(failure ; hot) within 7d"),
    ],
    "silence": ["heartbeats.csv", "--key", "sensor", "--pattern", "absent(heartbeat, 30min)"],
}


@pytest.mark.parametrize("format", ["jsonl", "table"])
@pytest.mark.parametrize("name", EXAMPLE_CALLS)
def test_examples(name: str, format: str, same: Callable[..., str]) -> None:
    file, *arguments = EXAMPLE_CALLS[name]
    assert same(EXAMPLES / file, *arguments, "--format", format).count("\n") >= 1


def random_rows(seed: int) -> list[dict[str, Any]]:
    """Rows with many ties, some nulls, and values of many types."""
    random = Random(seed)
    return [
        {
            "user": random.choice(["a", "b", "ä", "B", None]),
            "line": random.choice([1, 2, 10]),
            "type": random.choice("ABCD"),
            "time": random.choice([None, *range(60)]),
            "x": random.choice([None, 0.5, -0.0, 1e300, 3.0]),
            "text": random.choice([None, "", "x,y", 'q"', "line\nend", "007"]),
            "flag": random.choice([None, True, False]),
            "day": date(2026, 1, random.randint(1, 28)),
        }
        for _ in range(400)
    ]


PATTERN = [
    *("--pattern", "(A ; B) within 20 - (C & D)", "--key", "user", "--key", "line"),
    *("--carry", "x", "--carry", "text", "--carry", "day", "--measure", "n=size(events)"),
]


@pytest.mark.parametrize("semantics", ["unrestricted", "chronicle"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_random_table(
    suffix: str, semantics: str, tmp_path: Path, same: Callable[..., str]
) -> None:
    path = tmp_path / f"e.{suffix}"
    write(random_rows(7), path)
    out = same(path, *PATTERN, "--semantics", semantics, "--format", "jsonl")
    assert len(out.splitlines()) > 30


def write(rows: list[dict[str, Any]], path: Path) -> None:
    table = pa.Table.from_pylist(rows)
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=100)
    elif path.suffix == ".csv":
        pa.csv.write_csv(table, path)
    else:
        lines = (json.dumps(row, default=str) for row in rows)
        path.write_text("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("format", ["json", "csv", "parquet"])
def test_formats(format: str, tmp_path: Path, run: Run, spark: Any) -> None:
    path = tmp_path / "e.parquet"
    write(random_rows(8), path)
    found = []
    for engine in ("spark", "local"):
        output = tmp_path / f"{engine}.{format}"
        code, out, _ = run(path, *PATTERN, "--engine", engine, "--output", output)
        assert (code, out) == (0, "")
        found.append(output)
    if format == "parquet":
        assert pq.read_table(found[0]).to_pylist() == pq.read_table(found[1]).to_pylist()
    else:
        assert found[0].read_bytes() == found[1].read_bytes()


def test_a_folder_of_odd_names_and_types(tmp_path: Path, same: Callable[..., str]) -> None:
    folder = tmp_path / "a [b]{c}*"
    folder.mkdir()
    rows = [
        {
            "the key": Decimal(n % 2).scaleb(-1),
            "t.y": "AB"[n % 2],
            "start?": T0 + timedelta(seconds=n),
            "end`": T0 + timedelta(seconds=n + n % 3),
            "list": [{"u": n, "at": T0}],
            "map": [("k", n)],
        }
        for n in range(20)
    ]
    time = pa.timestamp("us", "Asia/Tokyo")
    kinds = {
        "the key": pa.decimal128(5, 2),
        "t.y": pa.large_string(),
        "start?": time,
        "end`": time,
        "list": pa.list_(pa.struct({"u": pa.int16(), "at": time})),
        "map": pa.map_(pa.string(), pa.int64()),
    }
    table = pa.Table.from_pylist(rows, pa.schema(kinds))
    pq.write_table(table.slice(0, 9), folder / "x=1,y.parquet")
    pq.write_table(table.slice(9).select([5, 4, 3, 2, 1, 0]), folder / "z z.parquet")
    out = same(
        *(folder, "--pattern", "A & B", "--key", "the key", "--type", "t.y", "--start", "start?"),
        *("--end", "end`", "--carry", "list", "--carry", "map", "--define", "A=`t.y` = 'A'"),
        *("--semantics", "unrestricted", "--format", "jsonl"),
    )
    assert out == ""
    out = same(
        *(folder, "--pattern", "A ; A", "--key", "the key", "--type", "t.y", "--start", "start?"),
        *("--end", "end`", "--carry", "list", "--carry", "map", "--format", "jsonl"),
    )
    assert len(out.splitlines()) > 3


TIMES: dict[str, list[Any]] = {
    "text": ["2026-11-15T17:00:00Z", "2026-11-15T18:00:01+01:00", None],
    "odd text": ["2026-11-15T17:00:00Z", "20261115T170001Z", "2026-W46-7T17:00:01Z"],
    "wall clocks": ["2026-11-15 17:00", "2026-11-15 17:00:01", None],
    "days": [date(2026, 11, 15), date(2026, 11, 16), None],
    "floats": [1.0, 2.0, float("nan")],
    "decimals": [Decimal(1), Decimal(2), None],
    "nanoseconds": pa.array([1, 1_000_001_999, None], pa.timestamp("ns")),
    "unsigned": pa.array([1, 2, None], pa.uint32()),
    "old": [datetime(1500, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC), None],
    "nothing": [None, None, None],
}


@pytest.mark.parametrize("name", TIMES)
def test_kinds_of_times(name: str, tmp_path: Path, same: Callable[..., str]) -> None:
    path = tmp_path / "e.parquet"
    pq.write_table(pa.table({"type": ["A", "B", "B"], "time": TIMES[name]}), path)
    defined = ("--define", "x=time is not null", "--carry", "type")
    same(path, "--pattern", "A ; B | x", *defined, "--format", "jsonl")


def test_types_that_spark_lacks(tmp_path: Path, run: Run, same: Callable[..., str]) -> None:
    path = tmp_path / "e.parquet"
    columns = {
        "type": pa.array(["A", "B"]).dictionary_encode(),
        "time": [1, 2],
        "clock": pa.array([1, 2], pa.time64("us")),
        "large": pa.array([1, 2], pa.uint64()),
        "span": pa.array([1, 2], pa.duration("ms")),
        "none": pa.nulls(2),
        "half": pa.array([1.5, 2.5], pa.float16()) if hasattr(pa, "float16") else [1.5, 2.5],
    }
    pq.write_table(pa.table(columns), path)
    carried = [part for name in ("large", "span", "none", "half") for part in ("--carry", name)]
    out = same(path, "--pattern", "A ; B", *carried, "--format", "jsonl")
    assert json.loads(out)["events"][1] == {
        "name": "B",
        "start": 2,
        "end": 2,
        "large": 2,
        "span": 0.002,
        "none": None,
        "half": 2.5,
    }
    code, _, err = run(path, "--pattern", "A", "--carry", "clock")
    assert code == 2
    assert "'clock' is a column of time64[us], which Spark does not have" in err


def test_names_that_differ_in_case_and_names_that_are_twice(
    tmp_path: Path, same: Callable[..., str]
) -> None:
    path = tmp_path / "e.csv"
    path.write_text("type,Type,time,x,x,position\nA,B,1,5,6,7\nB,A,2,5,6,7\n")
    arguments = ("--pattern", "A ; B", "--carry", "Type", "--carry", "position")
    assert json.loads(same(path, *arguments, "--format", "jsonl"))["end"] == 2


def test_measures_of_every_kind(tmp_path: Path, same: Callable[..., str]) -> None:
    path = tmp_path / "e.csv"
    path.write_text("type,time,x\nA,2026-11-15T17:00:00Z,1\nB,2026-11-15T17:01:30Z,\n")
    measures = {
        "n": "size(events)",
        "late": "B.end - A.start",
        "names": "transform(events, e -> e.name)",
        "none": "null",
        "day": "date(A.start)",
    }
    given = [part for n, text in measures.items() for part in ("--measure", f"{n}={text}")]
    out = same(path, "--pattern", "A ; B", "--carry", "x", *given, "--format", "jsonl")
    assert json.loads(out)["measures"]["late"] == 90.0


def test_warnings_and_the_summary(tmp_path: Path, run: Run, spark: Any) -> None:
    path = tmp_path / "e.csv"
    path.write_text("k,type,time\na,A,1\n,A,2\nb,B,\nb,B,3\n,C,\n")
    for engine in ("spark", "local"):
        arguments = ("--pattern", "(A ; B) - (D | c)", "--key", "k", "--engine", engine)
        _, _, err = run(path, *arguments, "--define", "c=time > 9")
        assert err.splitlines() == [
            "tocsin: warning: rows left out because k is null: 2; fill it in to keep them",
            "tocsin: warning: rows left out because time is null: 1; fill it in to keep them",
            "tocsin: warning: no row is an event 'D'; 'type' holds A, B",
            "tocsin: warning: no row is an event 'c' (time > 9)",
            "tocsin: 5 rows read, 2 used, 3 dropped (2 without a key, 1 without a time), "
            "0 occurrences",
        ]


WRONG_ROWS = {
    "an end before its start": ("A,5,3,1", "the event ends at 3, before it starts at 5"),
    "a time that is none": ("A,x,3,1", "the time 'x' is no time"),
    "a condition that cannot be evaluated": ("A,1,2,x", "'x'"),
}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("case", WRONG_ROWS)
def test_wrong_rows_are_named_and_nothing_is_written(
    case: str, suffix: str, tmp_path: Path, run: Run, spark: Any
) -> None:
    row, said = WRONG_ROWS[case]
    text, path, output = tmp_path / "e.csv", tmp_path / f"e.{suffix}", tmp_path / "found.jsonl"
    text.write_text(f"type,s,e,n\nB,1,1,y\n{row}\n")
    if suffix == "parquet":
        pq.write_table(pa.csv.read_csv(text), path)
    arguments = ("--pattern", "A", "--define", "A=type = 'A' and int(n) > 0")
    code, out, err = run(path, *arguments, "--start", "s", "--end", "e", "--output", output)
    assert (code, out, err.count("\n")) == (1, "", 0), err
    assert err.startswith("tocsin: ")
    assert said in err
    assert not output.exists()
    if suffix == "csv" and "condition" not in case:
        assert f"{path}, line 3: " in err


def test_what_is_wrong_with_the_call_is_said_in_the_same_words(
    tmp_path: Path, run: Run, spark: Any
) -> None:
    path = tmp_path / "e.csv"
    path.write_text("type,time,x\nA,1,5\n")
    for arguments in (
        ("--pattern", "A", "--key", "User"),
        ("--pattern", "A", "--time", "Time"),
        ("--pattern", "A", "--carry", "X"),
        ("--pattern", "A", "--order-by", "y"),
        ("--pattern", "A", "--type", "kind"),
        ("--pattern", "A", "--unit", "y"),
        ("--pattern", "A", "--until", "noon"),
        ("--pattern", "A within 2s"),
        ("--pattern", "A", "--timezone", "Berlin"),
        ("--pattern", "A", "--key", "x", "--carry", "x"),
    ):
        expected = run(path, *arguments, "--engine", "local")
        assert run(path, *arguments) == expected
        assert expected[0] == 2


def test_on_arrival_there_is_no_spark(run: Run) -> None:
    arguments = ("--pattern", "A", "--policy", "asynchronous-partial", "--semantics", "recent")
    code, _, err = run(EXAMPLES / "buttons.csv", *arguments, "--basis", "point")
    assert code == 2
    assert "in Spark rows stand in no order; write --engine local" in err


def test_an_empty_file_needs_no_spark(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "e.csv"
    path.write_text("")
    assert run(path, "--pattern", "A")[:2] == (0, "no occurrences\n")


def test_a_file_of_names_has_no_occurrences(tmp_path: Path, same: Callable[..., str]) -> None:
    path = tmp_path / "e.csv"
    path.write_text("type,time,user\n")
    assert same(path, "--pattern", "A | absent(A, 5)", "--key", "user") == "no occurrences\n"
    assert same(path, "--pattern", "A", "--format", "csv").startswith("pattern,start")


def test_progress_is_told(spark: Any) -> None:
    heard = []
    with heard_by(lambda *said: heard.append(said)), watched(spark, "detecting"):
        spark.range(4).repartition(4).foreach(lambda _: sleep(0.5))
    assert heard[0][0] == "detecting"
    assert all(0 <= done <= total for _, done, total in heard)
