"""`tocsin state`: what a checkpoint keeps, in words."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from stream.queries import Folder

import tocsin as tc
from tocsin.cli import main
from tocsin.errors import DataError
from tocsin.spark.stream.checkpoint import memories
from tocsin.spark.stream.inspecting import Inspector, header_in

pytestmark = pytest.mark.xdist_group("state")  # one checkpoint for all of them

ROWS = [
    ("ann", "failed", 1, "a"), ("ann", "ok", 3, "a"), ("ann", "failed", 5, "b"),
    ("bob", "failed", 40, "c"), ("bob", "failed", 60, "d"), ("eve", "ok", 70, "e"),
    ("ann", "failed", 95, "f"), ("zed", "none", 100, "g"),
]  # fmt: skip
PATTERNS = {"in": "failed ; ok", "both": "(failed ; failed) - ok", "quiet": "absent(failed, 500)"}


@pytest.fixture(scope="module")
def checkpoint(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stream that has decided everything up to 90."""
    from tocsin.spark.stream.query import PROVIDER, ROCKSDB

    before = spark.conf.get(PROVIDER)
    spark.conf.set(PROVIDER, ROCKSDB)
    folder = Folder(spark, tmp_path_factory.mktemp("stream"))
    columns = dict(zip(("user", "type", "time", "ip"), zip(*ROWS, strict=True), strict=True))
    folder.put(pa.table(columns))
    folder.run(
        lambda events: tc.detect_all(
            PATTERNS, events, key="user", carry="ip", watermark=10, buckets=2
        )
    )
    spark.conf.set(PROVIDER, before)
    return folder.path / "checkpoint"


def read(capsys: Any, *arguments: object) -> dict[str, Any]:
    assert main(["state", *map(str, arguments), "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_in_all(checkpoint: Path, capsys: Any) -> None:
    found = read(capsys, checkpoint)
    assert (found["decided"], found["waiting"], found["buckets"]) == (90, 2, 2)
    assert {p["name"]: p["pattern"] for p in found["patterns"]} == PATTERNS
    assert all(p["bytes"] > 100 for p in found["patterns"])
    keys = {one["key"]["user"]: (one["kept"], one["waiting"]) for one in found["shown"]}
    assert keys == {"ann": (4, 1), "bob": (3, 0), "eve": (1, 0), "zed": (0, 1)}
    assert found["keys"] == 4
    sizes = sum(one["bytes"] for one in found["shown"])
    assert sizes == pytest.approx(sum(p["bytes"] for p in found["patterns"]), abs=9)
    assert len(read(capsys, checkpoint, "--limit", 1)["shown"]) == 1


def test_a_key(checkpoint: Path, capsys: Any) -> None:
    (ann,) = read(capsys, checkpoint, "--key", "user=ann")["shown"]
    failed = {"start": 5, "end": 5, "detected": 5}
    event = {"name": "failed", "start": 5, "end": 5, "ip": "b"}
    assert ann["state"] == [
        {"pattern": "in", "node": 2, "finds": "failed ; ok", "what": "waits"}
        | failed
        | {"events": [event]},
        {"pattern": "both", "node": 1, "finds": "failed ; failed", "what": "waits"}
        | failed
        | {"events": [event]},
        {"pattern": "both", "node": 3, "finds": "(failed ; failed) - ok", "what": "guard"}
        | {"start": 3, "end": 3},
        {"pattern": "quiet", "node": 1, "finds": "absent(failed, 500)", "what": "silent since"}
        | {"at": 5},
    ]
    assert ann["rows"] == [{"name": "failed", "start": 95, "end": 95, "ip": "f"}]


def test_for_people(checkpoint: Path, capsys: Any) -> None:
    assert main(["state", str(checkpoint)]) == 0
    printed = capsys.readouterr().out
    assert "2 buckets; decided up to 90; 2 rows wait for the watermark" in printed
    assert "4 keys with state or waiting rows" in printed
    assert main(["state", str(checkpoint), "--key", "user=bob"]) == 0
    printed = capsys.readouterr().out
    assert "bob" in printed
    assert "failed@60 ip=d" in printed
    assert "ann" not in printed
    assert main(["state", str(checkpoint), "--key", "user=zed"]) == 0
    printed = capsys.readouterr().out
    assert re.search(
        r"waiting for the watermark\nevent +when +ip *\n─+\nno event +100 +g *\n", printed
    )


def test_what_is_not_there(checkpoint: Path, tmp_path: Path, capsys: Any) -> None:
    assert main(["state", str(checkpoint), "--key", "user=nobody"]) == 0
    assert "nothing is kept of user nobody" in capsys.readouterr().err
    for arguments, code, sentence in (
        ([checkpoint, "--key", "usr=ann"], 2, "has no key 'usr'; did you mean 'user'?"),
        ([checkpoint, "--key", "ann"], 2, "--key 'ann' is not COL=VALUE; write --key user=7"),
        ([tmp_path / "none"], 1, "none is no folder; name a stream's checkpointLocation"),
        ([tmp_path], 1, "holds no state of Tocsin's; name the checkpointLocation of a stream"),
    ):
        assert main(["state", *map(str, arguments)]) == code
        assert sentence in capsys.readouterr().err


def test_damaged_files(checkpoint: Path, tmp_path: Path, capsys: Any) -> None:
    copy = shutil.copytree(checkpoint, tmp_path / "copy")
    for file in copy.glob("state/0/*/SSTs/*.sst"):
        file.write_bytes(bytes(file.stat().st_size))
    assert main(["state", str(copy)]) == 1
    said = capsys.readouterr().err
    sentence = r"tocsin: .*copy: Spark cannot read the state: Checksum error: .+; if the .+\n"
    assert re.fullmatch(sentence, said)


def test_state_of_another_version(checkpoint: Path, spark: Any) -> None:
    header = json.loads(next(filter(None, map(header_in, memories(spark, checkpoint)))))
    Inspector(json.dumps(header))
    other = header | {"tocsin": "0.0.9", "plans": dict.fromkeys(PATTERNS, "another")}
    older = {name: fact for name, fact in other.items() if name != "shown"}
    for facts in (other, older):
        with pytest.raises(DataError, match=r"by Tocsin 0\.0\.9, which keeps other .* look at it"):
            Inspector(json.dumps(facts))
