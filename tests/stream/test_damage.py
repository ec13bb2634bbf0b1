"""What can befall a checkpoint: a clear error, and nothing that stands in the way later."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from spark.answers import sorted_answer
from stream.queries import Folder
from stream.waves import waves

import tocsin as tc
from tocsin.errors import StorageError
from tocsin.spark.refusals import failures
from tocsin.spark.stream.memory import Name
from tocsin.spark.stream.processor import Processor

QUESTION = waves(11)
END = {"k": -1, "end": 1000, "id": -1, "type": "none"}


def detect(events: DataFrame, **changed: Any) -> DataFrame:
    options = QUESTION.options | {"carry": ["id"], "watermark": 20, "buckets": 2} | changed
    return tc.detect_all(QUESTION.patterns, events, **options)


def begun(folder: Folder) -> None:
    """A stream in its middle, with the rest to come."""
    folder.put(QUESTION.table.slice(0, 200))
    folder.run(detect)
    folder.put(pa.concat_tables([QUESTION.table.slice(200), pa.Table.from_pylist([END])]))


def goes_on(folder: Folder) -> None:
    """It ends with the answer of a table."""
    folder.run(detect)
    assert sorted_answer(folder.answer()) == QUESTION.ask("local") != []


def checkpoint(folder: Folder) -> dict[str, bytes]:
    """All its files, but the hidden ones of Hadoop's checksums."""
    path = folder.path / "checkpoint"
    files = (file for file in path.rglob("*") if file.is_file() and file.name[0] != ".")
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


def as_it_was(folder: Folder, before: dict[str, bytes]) -> None:
    """Nothing is lost, changed or committed; Spark has only noted what it was about to do."""
    after = checkpoint(folder)
    assert before.items() <= after.items()
    begun = 1 + max(int(name.removeprefix("commits/")) for name in before if "commits/" in name)
    notes = rf"offsets/{begun}|sources/0/\d+|state/0/_metadata/v2/{begun}"
    new = after.keys() - before.keys()
    assert [name for name in new if not re.fullmatch(notes, name)] == []


def copy(source: Path, target: Path) -> None:
    """The checkpoint and what the sink has written, in place of what was there."""
    for name in ("checkpoint", "answer"):
        shutil.rmtree(target / name, ignore_errors=True)
        shutil.copytree(source / name, target / name)


def test_another_schema_is_refused_and_changes_nothing(folder: Folder) -> None:
    begun(folder)
    before = checkpoint(folder)
    sentence = "made with carry='id bigint', this query has carry='type string'; go back to that"
    with pytest.raises(StreamingQueryException, match=sentence):
        folder.run(lambda events: detect(events, carry=["type"]))
    as_it_was(folder, before)
    goes_on(folder)


def test_damaged_state_is_refused_and_a_copy_goes_on(folder: Folder) -> None:
    class Vandal(Processor):
        """Turns a bit of what it keeps."""

        def init(self, handle: Any) -> None:
            super().init(handle)
            put = self.memory.put

            def turned(name: Name, piece: int, value: bytes) -> None:
                put(name, piece, value[:-1] + bytes([value[-1] ^ 1]))

            self.memory.put = turned  # type: ignore[method-assign]

    begun(folder)
    copy(folder.path, folder.path / "copy")
    sentence = r"the kept state is damaged \(head\): its checksum is wrong; restore the checkpoint"
    refused = pytest.raises(StreamingQueryException, match=sentence)
    with patch("tocsin.spark.stream.query.Processor", Vandal), refused:
        folder.run(detect)  # keeps what the next micro-batch cannot read
    before = checkpoint(folder)
    assert "commits/2" in before
    with pytest.raises(StreamingQueryException, match=sentence):
        folder.run(detect)
    as_it_was(folder, before)
    copy(folder.path / "copy", folder.path)
    goes_on(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes, at the checkpoint's place."""
    disk = tmp_path / "checkpoint"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tocsin", str(disk)]
    if os.getuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only a user who may mount can have a small disk")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_full_disk_is_named_and_with_more_room_it_goes_on(
    small_disk: Path, folder: Folder
) -> None:
    begun(folder)
    left = os.statvfs(small_disk)
    filler = small_disk / "filler"
    filler.write_bytes(bytes(left.f_bavail * left.f_frsize - (4 << 10)))
    before = checkpoint(folder)
    with pytest.raises(StreamingQueryException, match="No space left on device") as refused:
        folder.run(detect)
    said = rf"a disk .* is full \(.* checkpoint is in {small_disk}\); make room and start again"
    with pytest.raises(StorageError, match=said), failures():
        raise refused.value
    as_it_was(folder, before)
    filler.unlink()
    goes_on(folder)
