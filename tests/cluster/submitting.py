"""Starting the job, listening to it, and reading its answer."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from cluster import job
from cluster.standalone import SPARK_HOME, Cluster, environment, kill

import tocsin as tc
from tocsin.engine.kernels.compiling import cache_folder

PATIENCE = 240
"""Seconds after which a job that says nothing more is taken for stuck."""

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
IN_HASTE = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For a JVM that has little to do before it ends."""
SETTINGS = {
    "spark.driver.extraJavaOptions": IN_HASTE,
    "spark.executor.extraJavaOptions": IN_HASTE,
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
    "spark.shuffle.io.retryWait": "200ms",
    "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
    "spark.sql.streaming.stateStore.maintenanceInterval": "2s",
    "spark.sql.streaming.minBatchesToRetain": "3",
    "spark.ui.enabled": "false",
}


class Job:
    """A job that runs, and what it has told so far."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process, self.log = process, log

    def told(self, fact: str) -> Iterator[dict[str, Any]]:
        """What the job tells from now on, of one kind; Spark may print there too."""
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith(f'{{"{fact}"'):
                yield json.loads(line)

    def ends(self) -> None:
        """Wait until the job has ended well."""
        self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, self.complaint()

    def complaint(self) -> str:
        """The end of its log."""
        return self.log.read_text(errors="replace")[-4000:]


@contextmanager
def submitted(
    master: str,
    folder: Path,
    *arguments: object,
    settings: Mapping[str, object],
    archive: Path | None = None,
    **variables: str,
) -> Iterator[Job]:
    """A job, as docs/cluster.md says to submit one; it is gone afterwards."""
    command = [str(SPARK_HOME / "bin" / "spark-submit"), "--master", master]
    if archive:
        command += ["--archives", f"{archive}#environment"]
    for name, value in (SETTINGS | dict(settings)).items():
        command += ["--conf", f"{name}={value}"]
    command += [job.__file__, *map(str, arguments)]
    log = folder / "driver.log"
    place = archive.parent if archive else folder
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=place,
            env=environment(**variables),
        )  # fmt: skip
    try:
        yield Job(process, log)
    finally:
        kill(process)
        assert process.stdout
        process.stdout.close()


@contextmanager
def on_cluster(
    running: Cluster, archive: Path, *arguments: object, partitions: int
) -> Iterator[Job]:
    """A job on a cluster that has no Tocsin, but a folder for its machine code."""
    cache = cache_folder("streams")
    settings = {
        "spark.pyspark.python": "./environment/bin/python",
        "spark.pyspark.driver.python": archive.parent / "environment" / "bin" / "python",
        "spark.executorEnv.TOCSIN_CACHE_DIR": cache and cache.parent,
        "spark.sql.shuffle.partitions": partitions,
    }
    with submitted(
        running.url, running.folder, *arguments, settings=settings, archive=archive
    ) as job:
        yield job


@contextmanager
def on_this_machine(
    folder: Path, *arguments: object, partitions: int, attempts: int = 1
) -> Iterator[Job]:
    """A job in one process of Spark's, with the Tocsin that is tested."""
    settings = {
        "spark.pyspark.python": sys.executable,
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": partitions,
    }
    path = str(Path(tc.__file__).parent.parent)
    cache = cache_folder("streams")
    with submitted(
        f"local[2,{attempts}]", folder, *arguments, settings=settings, PYTHONPATH=path,
        TOCSIN_CACHE_DIR=str(cache and cache.parent),
    ) as job:  # fmt: skip
        yield job


def drawn_events(seed: int, size: int, keys: int, last: int) -> pa.Table:
    """Rows of some keys, at times from 1 on."""
    random = np.random.default_rng(seed)
    return pa.table(
        {
            "user": random.integers(0, keys, size),
            "time": random.integers(1, last, size),
            "type": pa.array(random.choice(list("ABCD"), size)),
            "id": np.arange(size),
        }
    )


def answer(rows: list[dict[str, Any]]) -> list[Any]:
    """Rows of a result, in a form that can be compared."""
    return sorted(
        (
            row["pattern"], row["user"], row["detected"], row["end"], row["start"],
            tuple((e["name"], e["id"]) for e in row["events"]),
        )
        for row in rows
    )  # fmt: skip


def expected(events: pa.Table) -> list[Any]:
    """What the engine says without Spark."""
    found = tc.detect_all(job.PATTERNS, events, key="user", carry=["id"], until=job.UNTIL)
    return answer(found.to_arrow().to_pylist())
