"""`tocsin detect`: what comes out, where to, and what is said when something is wrong."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tocsin.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
BUTTONS = str(EXAMPLES / "buttons.csv")
PATTERN = "(B ; B) within 2 - (P | T)"
FOUND = [(1, 3), (22, 23), (23, 24), (27, 29)]


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command, without Spark unless it says so; gives the exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: object) -> tuple[int, str, str]:
        engine = () if "--engine" in arguments else ("--engine", "local")
        code = main([str(argument) for argument in (*arguments, *engine)])
        return code, *capsys.readouterr()

    return call


def test_a_table_and_a_timeline(run) -> None:
    code, out, err = run("detect", BUTTONS, "--pattern", PATTERN)
    assert code == 0
    assert "#4  27     29   B@27 B@29" in out
    assert "#1  ├───┤" in out
    assert err.startswith("tocsin: 16 rows read, 16 used, 4 occurrences, ")


def test_many_occurrences_get_no_timeline_in_a_pipe(run, tmp_path) -> None:
    events = tmp_path / "many.csv"
    events.write_text("type,time\n" + "".join(f"A,{t}\n" for t in range(50)))
    _, out, _ = run("detect", events, "--pattern", "A")
    assert "#50" in out
    assert "┴" not in out


def test_no_occurrences(run) -> None:
    code, out, _ = run("detect", BUTTONS, "--pattern", "P ; P")
    assert (code, out) == (0, "no occurrences\n")


@pytest.mark.parametrize("name", ["json", "jsonl", "csv"])
def test_formats_on_stdout(run, name: str) -> None:
    code, out, _ = run("detect", BUTTONS, "--pattern", PATTERN, "--format", name)
    if name == "csv":
        found = list(csv.DictReader(io.StringIO(out)))
        assert json.loads(found[0]["events"])[1] == {"name": "B", "start": 3, "end": 3}
    else:
        found = json.loads(out) if name == "json" else list(map(json.loads, out.splitlines()))
        assert list(found[0]) == ["pattern", "key", "start", "end", "detected", "events"]
    assert code == 0
    assert [(int(o["start"]), int(o["end"])) for o in found] == FOUND


@pytest.mark.parametrize("name", ["table", "json", "jsonl", "csv", "parquet"])
def test_formats_into_a_file(run, tmp_path, name: str) -> None:
    path = tmp_path / "found"
    arguments = ("detect", BUTTONS, "--pattern", PATTERN)
    code, out, _ = run(*arguments, "--format", name, "--output", path)
    assert (code, out) == (0, "")
    if name == "parquet":
        assert pq.read_table(path).column("end").to_pylist() == [end for _, end in FOUND]
    else:
        assert path.read_text(encoding="utf-8").count("29") >= 1


def test_the_suffix_of_the_output_says_the_format(run, tmp_path) -> None:
    path = tmp_path / "found.parquet"
    run("detect", BUTTONS, "--pattern", PATTERN, "--output", path)
    assert pq.read_table(path).num_rows == 4


def test_no_occurrences_in_every_format(run, tmp_path) -> None:
    arguments = ("detect", BUTTONS, "--pattern", "P ; P", "--format")
    assert run(*arguments, "jsonl")[1] == ""
    assert json.loads(run(*arguments, "json")[1]) == []
    assert run(*arguments, "csv")[1] == "pattern,start,end,detected,events\n"
    run(*arguments, "parquet", "--output", tmp_path / "none.parquet")
    assert pq.read_table(tmp_path / "none.parquet").num_rows == 0


def test_timestamps_are_iso_in_utc(run) -> None:
    _, out, _ = run(
        "detect", EXAMPLES / "facility.csv", "--key", "building", "--key", "room",
        "--pattern", "failure#4", "--format", "jsonl",
    )  # fmt: skip
    found = json.loads(out)
    assert found["key"] == {"building": "north", "room": 102}
    assert found["end"] == "2026-11-09T11:20:00.000000Z"


def test_all_options_reach_the_detection(run, tmp_path) -> None:
    events = tmp_path / "events.jsonl"
    rows = [
        {"from": 1, "to": 2, "kind": "a", "who": "x", "n": 5},
        {"from": 2, "to": 2, "kind": "a", "who": "x", "n": 4},
        {"from": 5, "to": 6, "kind": "b", "who": "x", "n": 3},
        {"from": 6, "to": 7, "kind": "b", "who": "y", "n": 2},
    ]
    events.write_text("".join(json.dumps(row) + "\n" for row in rows))
    _, out, _ = run(
        "detect", events, "--pattern", "first ; late ; plus(late, 2s)", "--semantics", "chronicle",
        "--basis", "interval", "--report", "single", "--key", "who", "--start", "from", "--end",
        "to", "--type", "kind", "--define", "first=kind = 'a'", "--define", "late=kind = 'b'",
        "--carry", "n", "--order-by", "n", "--measure", "total=first.n + 1", "--until", "9",
        "--unit", "s", "--timezone", "Europe/Berlin", "--engine", "oracle", "--format", "jsonl",
    )  # fmt: skip
    found = json.loads(out)
    assert (found["start"], found["end"], found["measures"]) == (1, 8, {"total": 6})
    assert found["events"][0] == {"name": "first", "start": 1, "end": 2, "n": 5}


def test_a_pattern_from_a_file(run, tmp_path) -> None:
    path = tmp_path / "pattern.txt"
    path.write_text("(B ; B) within 2\n  - (P | T)\n")
    assert "4 occurrences" in run("detect", BUTTONS, "--pattern", f"@{path}")[2]


WRONG_USE = {
    "a pattern": (["--pattern", "B -> P"], "for 'followed by' write `;`"),
    "no pattern": ([], "Missing option '--pattern'"),
    "an empty pattern": (["--pattern", ""], "line 1, column 1"),
    "semantics": (["--pattern", "B", "--semantics", "cronicle"], "did you mean 'chronicle'?"),
    "a basis": (["--pattern", "B", "--basis", "dot"], "basis is 'dot'"),
    "a report": (["--pattern", "B", "--report", "all"], "report is 'all'"),
    "a key": (["--pattern", "B", "--key", "who"], "'who'"),
    "a time column": (["--pattern", "B", "--time", "tme"], "did you mean 'time'?"),
    "a start alone": (["--pattern", "B", "--start", "time"], "start is given alone"),
    "a type column": (["--pattern", "B", "--type", "kind"], "'kind'"),
    "a define": (["--pattern", "B", "--define", "B"], "--define 'B' is not NAME=SQL"),
    "two defines": (["--pattern", "B", "--define", "B=true", "--define", "B=1=1"], "'B' twice"),
    "SQL": (["--pattern", "B", "--define", "B=type =="], "B"),
    "a measure": (["--pattern", "B", "--measure", "n"], "--measure 'n' is not NAME=SQL"),
    "a unit": (["--pattern", "B", "--unit", "y"], "unit is 'y'"),
    "a duration": (["--pattern", "(B ; B) within 2s"], "say what they count"),
    "a zone": (["--pattern", "B", "--timezone", "Berlin"], "timezone is 'Berlin'"),
    "until": (["--pattern", "B", "--until", "noon"], "until is 'noon'"),
    "an engine": (["--pattern", "B", "--engine", "flink"], "engine is 'flink'"),
    "a format": (["--pattern", "B", "--format", "xml"], "'xml' is not one of"),
    "parquet to look at": (["--pattern", "B", "--format", "parquet"], "--output PATH"),
    "an option": (["--pattern", "B", "--colour"], "No such option"),
}


@pytest.mark.parametrize("case", WRONG_USE)
def test_wrong_use(run, case: str) -> None:
    arguments, said = WRONG_USE[case]
    code, out, err = run("detect", BUTTONS, *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("tocsin: ")
    assert said in err


def test_a_caret_below_the_place(run) -> None:
    _, _, err = run("detect", BUTTONS, "--pattern", "B ; ; P")
    assert err.splitlines()[1:] == ["  B ; ; P", "      ^"]


BAD_DATA = {
    "no file": (None, "no such file"),
    "a time that is no time": (b"type,time\nA,1\nA,noon\n", "line 3"),
    "text that is not UTF-8": (b"type,time\nA,1\n\xff\xfe,2\n", "UTF-8"),
}


@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data(run, tmp_path, case: str) -> None:
    content, said = BAD_DATA[case]
    events, output = tmp_path / "events.csv", tmp_path / "found.jsonl"
    if content is not None:
        events.write_bytes(content)
    code, out, err = run("detect", events, "--pattern", "A", "--output", output)
    assert (code, out) == (1, "")
    assert err.startswith("tocsin: ")
    assert said in err
    assert err.count("\n") == 1
    assert not output.exists()


def test_an_empty_file_has_no_occurrences(run, tmp_path) -> None:
    events = tmp_path / "events.csv"
    events.write_text("")
    code, out, err = run("detect", events, "--pattern", "A ; B")
    assert (code, out) == (0, "no occurrences\n")
    assert "0 rows read" in err


def test_a_name_that_matches_nothing_is_a_warning(run) -> None:
    code, _, err = run("detect", BUTTONS, "--pattern", "B | X")
    assert code == 0
    assert err.startswith("tocsin: warning: ")
    assert "X" in err.splitlines()[0]
    assert len(err.splitlines()) == 2


def test_a_pattern_file_that_is_not_there(run) -> None:
    code, _, err = run("detect", BUTTONS, "--pattern", "@nowhere.txt")
    assert (code, err) == (1, "tocsin: nowhere.txt: No such file or directory\n")


def test_a_pattern_file_that_is_not_text(run, tmp_path) -> None:
    (tmp_path / "pattern").write_bytes(b"\xff\xfe")
    code, _, err = run("detect", BUTTONS, "--pattern", f"@{tmp_path / 'pattern'}")
    assert code == 1
    assert "UTF-8" in err


def test_an_output_that_cannot_be_written(run, tmp_path) -> None:
    output = tmp_path / "nowhere" / "found.csv"
    code, _, err = run("detect", BUTTONS, "--pattern", "B", "--output", output)
    assert code == 1
    assert "cannot be written" in err


def test_patterns_of_the_clock_alone(run) -> None:
    code, out, err = run("detect", BUTTONS, "--pattern", "every(10)", "--format", "jsonl")
    assert code == 0
    assert [json.loads(line)["end"] for line in out.splitlines()] == [10, 20, 30]
    assert "16 rows read, 0 used" in err


def program(*arguments: str, **options) -> subprocess.Popen:
    command = [sys.executable, "-c", "import sys; from tocsin.cli import main; sys.exit(main())"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    engine = ("--engine", "local")
    return subprocess.Popen([*command, *arguments, *engine], **(pipes | options))


@pytest.mark.parametrize("name", ["table", "jsonl"])
def test_nobody_reads_on(tmp_path, name: str) -> None:
    """As in `tocsin detect … | head -1`."""
    events = tmp_path / "many.csv"
    events.write_text("type,time\n" + "".join(f"A,{t}\n" for t in range(3000)))
    process = program("detect", str(events), "--pattern", "A", "--format", name)
    process.stdout.close()
    with process.stderr as stderr:
        said = stderr.read().decode()
    assert process.wait() == 1
    assert "Traceback" not in said
    assert "BrokenPipe" not in said


def test_interrupted(tmp_path) -> None:
    fifo = tmp_path / "events.csv"
    os.mkfifo(fifo)
    process = program("detect", str(fifo), "--pattern", "A")
    with fifo.open("w"):  # which waits until the program reads, and keeps it waiting
        for _ in range(60):  # a signal can fall where Python drops it; people press again
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                out, err = process.communicate(timeout=2)
                break
    # Pressed again while Python ends, it is the signal that ends it; a shell says 130, too.
    assert process.returncode in (130, -signal.SIGINT)
    assert (out, err) == (b"", b"")


def test_a_terminal_without_unicode() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    process = program("detect", BUTTONS, "--pattern", PATTERN, env=environment)
    out, _ = process.communicate()
    assert process.returncode == 0
    assert "#1  |---|" in out.decode("ascii")
