"""A stream whose driver is killed again and again, and goes on from its checkpoint each time.

    PYTHONPATH=tests python -m faults.kills --kills 20 [--seed N]

Files come while it is down. At a random moment the driver, its JVM and its workers are killed
(SIGKILL); in the end all that was written must be the answer of a table: nothing lost, nothing
twice.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlparse

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from cluster import job
from cluster.submitting import answer, drawn_events, expected, on_this_machine

ROWS = 150
"""In a file."""
AT_ONCE = 2
"""So many files come between a kill and the next start."""


class Source:
    """Events that come in files, out of order, but never late."""

    def __init__(self, folder: Path, seed: int, files: int) -> None:
        self.folder, self.files = folder, files
        self.events = drawn_events(seed, ROWS * files, keys=30, last=5000)
        late = np.random.default_rng(seed).integers(0, job.DELAY - 5, self.events.num_rows)
        order = np.argsort(self.events.column("time").to_numpy() + late, kind="stable")
        self.coming = self.events.take(pa.array(order))
        self.put = 0
        folder.mkdir()

    def more(self, files: int) -> None:
        """Let some files come, if there are any left; after the last, one that ends the stream."""
        for _ in range(min(files, self.files - self.put)):
            self._write(self.coming.slice(ROWS * self.put, ROWS))
        if self.put == self.files:
            end = {"user": [-1], "time": [1_000_000], "type": ["none"], "id": [-1]}
            self._write(pa.table(end).cast(self.events.schema))

    def _write(self, table: pa.Table) -> None:
        hidden = self.folder / ".coming"
        pq.write_table(table, hidden)
        os.utime(hidden, (self.put, self.put))  # Spark takes files by their age, to the millisecond
        hidden.rename(self.folder / f"{self.put:04}.parquet")
        self.put += 1


def committed(folder: Path) -> list[dict[str, Any]]:
    """The rows that a file sink has committed: its log says which files count."""
    logs = {int(path.name.split(".")[0]): path for path in folder.glob("_spark_metadata/[0-9]*")}
    whole = max((n for n, path in logs.items() if path.suffix == ".compact"), default=0)
    entries = [
        json.loads(line)
        for number, path in sorted(logs.items())
        if number >= whole
        for line in path.read_text().splitlines()[1:]
    ]
    files = [urlparse(entry["path"]).path for entry in entries]
    assert len(set(files)) == len(files)
    return [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]


def killed(folder: Path, random: Random) -> bool:
    """Start the stream and kill it at some moment; whether that was before it had ended."""
    batches, seconds = random.randint(0, 2), random.uniform(0, 1.5)
    with on_this_machine(folder, "stream", folder, partitions=2) as running:
        said = running.told("started")
        assert next(said, None), running.complaint()
        for _, batch in zip(range(batches), running.told("batch"), strict=False):
            assert not batch["late"]
        time.sleep(seconds)
        alive = running.process.poll() is None
    print(f"  killed after {batches} micro-batches and {seconds:.2f} s", "" if alive else "(ended)")
    return alive


def check(folder: Path, kills: int, seed: int) -> None:
    """Kill a stream so many times; compare in the end."""
    random = Random(seed)
    print(f"seed {seed}: {kills} kills")
    source = Source(folder / "events", seed, files=AT_ONCE * kills + 1)
    done = 0
    for _ in range(2 * kills):
        source.more(AT_ONCE if source.put < AT_ONCE * kills else 0)
        done += killed(folder, random)
        if done == kills:
            break
    assert done == kills, "it ended before it could be killed"
    source.more(source.files)
    with on_this_machine(folder, "stream", folder, partitions=2) as running:
        running.ends()
    found, wanted = answer(committed(folder / "answer")), expected(source.events)
    lost, twice = set(wanted) - set(found), len(found) - len(set(found))
    assert found == wanted, f"seed {seed}: {len(lost)} lost, {twice} twice, e.g. {list(lost)[:3]}"
    assert len(found) > 10 * kills


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=Random().randrange(10**6))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        check(Path(folder), asked.kills, asked.seed)
    print("nothing lost, nothing twice")


if __name__ == "__main__":
    main()
