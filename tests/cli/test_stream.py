"""`tocsin detect --stream`: files come into a folder, and what they complete comes out, once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tocsin.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
PAIR = ["--pattern", "(A ; B) within 9", "--key", "user", "--watermark", "0", "--format", "jsonl"]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: Any, monkeypatch: Any) -> Run:
    """Run `tocsin detect`; gives the exit code, stdout, and stderr without what depends on the
    clock."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: object) -> tuple[int, str, str]:
        code = main(["detect", *map(str, arguments)])
        out, err = capfd.readouterr()
        lines = [line for line in err.splitlines() if " rows/s, " not in line]
        return code, out, re.sub(r", \d+\.\d\d s$", "", "\n".join(lines))

    return call


@pytest.fixture
def follow(spark: Any, run: Run, tmp_path: Path) -> Callable[..., tuple[int, list[Any], str]]:
    """Take what is new in a folder, with a checkpoint; gives the exit code, objects, and stderr."""

    def call(*arguments: object) -> tuple[int, list[Any], str]:
        places = ("--checkpoint", tmp_path / "checkpoint", "--stream", tmp_path / "events")
        code, out, err = run(*places, "--once", *arguments)
        return code, [json.loads(line) for line in out.splitlines()], err

    (tmp_path / "events").mkdir()
    return call


def spans(found: list[Any]) -> list[tuple[str, int, int]]:
    return [(o["key"]["user"], o["start"], o["end"]) for o in found]


def test_each_start_goes_on_from_the_last(follow: Any, tmp_path: Path) -> None:
    events, checkpoint = tmp_path / "events", tmp_path / "checkpoint"
    (events / "1.csv").write_text("type,time,user,note\nA,1,ann,\nB,2,ann,\nA,3,007,\n")
    code, found, err = follow(*PAIR)
    assert (code, spans(found)) == (0, [("ann", 1, 2)])
    assert err == "tocsin: 3 rows read, 3 used, 1 occurrence"

    unnote_the_last(checkpoint)  # what was told is not told again
    (events / "2.csv").write_text("user,time,type\n007,x,B\n")
    code, found, err = follow(*PAIR)
    assert (code, found) == (1, [])
    assert err == (
        f"tocsin: {events}/2.csv: the column 'time' holds string, but when the stream began it "
        "held int64; mend the file, or start with an empty checkpoint"
    )

    (events / "2.csv").write_text("user,time,type\n007,4,B\n008,5,A\n")
    (events / "3.CSV").write_text("user,time,type\n,6,A\n009,1,A\n")
    code, found, err = follow(*PAIR, "--late", "keep")
    late = [o for o in found if o["measures"]["late"]]
    assert spans(late) == [("009", 1, 1)]
    assert [o["events"][0]["name"] for o in late] == [None]
    assert spans([o for o in found if not o["measures"]["late"]]) == [("007", 3, 4)]
    assert err == "tocsin: 4 rows read, 3 used, 1 dropped (1 without a key), 1 late, 1 occurrence"

    for other, said in (
        (["--pattern", "A ; C"], "for the pattern '(A ; B) within 9', not for 'A ; C'"),
        (["--define", "A=time > 1"], "when 'A' stood for rows whose type is 'A', not for rows "
         "where time > 1"),
    ):  # fmt: skip
        code, found, err = follow(*PAIR, *other)  # though no row has come, it is said
        assert (code, found) == (1, [])
        assert err == (
            f"tocsin: {checkpoint}: the checkpoint was made {said}; go back to that, or start anew "
            "with another --checkpoint"
        )


def test_a_pattern_that_has_seen_nothing_can_be_changed(follow: Any, tmp_path: Path) -> None:
    like = tmp_path / "like.csv"
    like.write_text("type,time,user\nA,1,ann\n")
    assert follow(*PAIR, "--pattern", "A ; C", "--like", like)[:2] == (0, [])
    (tmp_path / "events" / "1.csv").write_text("type,time,user\nA,1,ann\nB,2,ann\n")
    code, found, _ = follow(*PAIR)
    assert (code, spans(found)) == (0, [("ann", 1, 2)])


def unnote_the_last(checkpoint: Path) -> None:
    """Make a checkpoint as if the command had been killed before its last micro-batch was noted."""
    commits = [file for file in (checkpoint / "commits").iterdir() if file.name.isdigit()]
    last = max(commits, key=lambda file: int(file.name))
    last.unlink()
    last.with_name(f".{last.name}.crc").unlink(missing_ok=True)


def test_the_answer_of_a_table(follow: Any, run: Run, tmp_path: Path) -> None:
    question = ["--key", "user", "--carry", "ip", "--measure", "address=ok.ip", "--format", "jsonl"]
    question += ["--define", "failed=type = 'login' and not success"]
    question += ["--define", "ok=type = 'login' and success"]
    question += ["--pattern", "(failed ; ok) within 10min - reset"]
    lines = (EXAMPLES / "logins.jsonl").read_text().splitlines()
    end = json.dumps({**json.loads(lines[-1]), "type": "end", "time": "2027-01-01T00:00:00Z"})
    output = tmp_path / "found"
    for number, some in enumerate((lines[::2], [*lines[1::2], end])):
        (tmp_path / "events" / f"{number}.jsonl").write_text("\n".join(some))
        places = ("--output", output, "--like", EXAMPLES / "logins.jsonl")
        assert follow(*question, *places, "--watermark", "1d")[:2] == (0, [])
    found = [line for file in output.iterdir() for line in file.read_text().splitlines()]
    expected = run(EXAMPLES / "logins.jsonl", *question, "--engine", "local")[1].splitlines()
    assert sorted(found) == sorted(expected) != []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file, and another that is empty."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "1.csv").write_text("type,time\nA,1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["events", "--stream"],
         "a stream needs --watermark, which says how late rows may be; write --watermark 10min, "
         "or 0s if they come in order"),
        (["events", "--once"], "--once is for streams; write --stream, or leave it out"),
        (["events", "--late", "keep"], "--late is for streams; write --stream, or leave it out"),
        (["events", "--stream", "--watermark", "1", "--late", "kep"],
         "late is 'kep', which is not known; did you mean 'keep'? (drop or keep)"),
        (["events", "--stream", "--watermark", "1", "--engine", "local"],
         "--engine is 'local', which follows no stream; leave --engine out"),
        (["events", "--stream", "--watermark", "1", "--output", "found"],
         "--format is 'table', which is for the screen; write --format jsonl, csv or parquet, or "
         "leave --output out"),
        (["events", "--stream", "--watermark", "1", "--output", "events/found.csv"],
         "--output is 'events/found.csv', in the folder that is followed; name a place elsewhere"),
        (["empty", "--stream", "--watermark", "1", "--output", "events", "--format", "csv"],
         "events: the folder holds something already; name another, or go on with the --checkpoint "
         "that it came with"),
        (["events", "--like", "x.csv"], "--like is for streams; write --stream, or leave it out"),
        (["empty", "--stream", "--watermark", "1", "--like", "x.csv"],
         "x.csv: there is no such file or folder"),
        (["events", "--stream", "--watermark", "1", "--time", "when"],
         "time is 'when', but there is no such column; name one that there is "
         "(columns: type, time)"),
        (["events", "--stream", "--watermark", "1", "--format", "json"],
         "--format is 'json', which has an end, and a stream has none; use table, jsonl or csv"),
        (["events/1.csv", "--stream", "--watermark", "1"],
         "events/1.csv: this is a file; --stream follows a folder"),
        (["nowhere", "--stream", "--watermark", "1"],
         "nowhere: there is no such folder; --stream follows a folder"),
        (["empty", "--stream", "--watermark", "1"],
         "{}/empty: there is nothing here yet, so nobody knows what columns there will be; put a "
         "first file there, or name one that shows them: --like FILE"),
        (["events", "--stream", "--watermark", "1", "--checkpoint", "events/1.csv"],
         "events/1.csv: this is a file; of a stream --checkpoint is a folder"),
        (["events", "--stream", "--watermark", "1", "--checkpoint", "events/c"],
         "--checkpoint is 'events/c', in the folder that is followed; name a place elsewhere"),
        (["empty", "--stream", "--watermark", "1", "--checkpoint", "events"],
         "{}/events: the folder holds something else than a checkpoint of `tocsin detect`; name an "
         "empty one, or one that there is not yet"),
        (["events", "--stream", "--watermark", "1", "--key", "usr"],
         "key is 'usr', but there is no such column; name one that there is "
         "(columns: type, time)"),
    ],
)  # fmt: skip
def test_wrong_use_is_one_sentence(
    folder: Path, run: Run, monkeypatch: Any, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = run(*arguments, "--pattern", "A")
    assert (code, out, err) == (code, "", f"tocsin: {said.format(folder)}")
    assert code in (1, 2)
