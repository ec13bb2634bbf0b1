"""A Python worker dies in the middle of a task: Spark does the task again, with the same answer."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cluster.standalone import tree
from cluster.submitting import Job, answer, drawn_events, expected, on_this_machine

pytestmark = pytest.mark.xdist_group("cluster")

PARTITIONS = 12
DIED = "Python worker exited unexpectedly"


def python_workers(job: Job) -> list[int]:
    """The processes that a daemon of PySpark's has forked."""
    started = tree(job.process.pid)
    commands = {pid: Path(f"/proc/{pid}/cmdline") for pid in started}
    daemons = [p for p, c in commands.items() if c.exists() and b"pyspark.daemon" in c.read_bytes()]
    return [pid for daemon in daemons for pid in tree(daemon)[1:]]


def test_a_table(tmp_path: Path) -> None:
    events = drawn_events(9, 12_000, keys=300, last=5_000)
    pq.write_table(events, tmp_path / "events.parquet")
    arguments = ("table", tmp_path / "events.parquet", tmp_path / "answer")
    with on_this_machine(tmp_path, *arguments, partitions=PARTITIONS, attempts=4) as job:
        for stage in job.told("stage"):
            if DIED in job.log.read_text():
                break
            if stage["of"] == PARTITIONS and stage["done"] >= 2:  # nobody misses an idle one
                for worker in python_workers(job):
                    with suppress(ProcessLookupError):
                        os.kill(worker, signal.SIGKILL)
        job.ends()
    assert DIED in job.log.read_text()
    assert answer(pq.read_table(tmp_path / "answer").to_pylist()) == expected(events)
