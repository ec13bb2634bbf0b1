"""A table on a cluster that loses a machine on the way: the same answer."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cluster import job
from cluster.shipping import packed
from cluster.standalone import SPARK_HOME, Cluster, cluster, environment, kill

import tocsin as tc
from tocsin.engine.kernels.compiling import cache_folder

pytestmark = pytest.mark.xdist_group("cluster")

PARTITIONS = 16


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tmp_path_factory.mktemp("shipped"))


@pytest.fixture
def events(tmp_path: Path) -> pa.Table:
    random = np.random.default_rng(7)
    size = 20_000
    table = pa.table(
        {
            "user": random.integers(0, 400, size),
            "time": random.integers(0, 5_000, size),
            "type": pa.array(random.choice(list("ABCD"), size)),
            "id": np.arange(size),
        }
    )
    pq.write_table(table, tmp_path / "events.parquet")
    return table


def submit(running: Cluster, archive: Path, *arguments: Path) -> subprocess.Popen[str]:
    """Start the job as docs/cluster.md says."""
    cache = cache_folder("streams")
    settings = {
        "spark.pyspark.python": "./environment/bin/python",
        "spark.pyspark.driver.python": archive.parent / "environment" / "bin" / "python",
        "spark.executorEnv.TOCSIN_CACHE_DIR": cache and cache.parent,
        "spark.sql.shuffle.partitions": PARTITIONS,
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.shuffle.io.retryWait": "200ms",
        "spark.ui.enabled": "false",
    }
    command = [SPARK_HOME / "bin" / "spark-submit", "--master", running.url]
    command += ["--driver-memory", "512m", "--executor-memory", "512m"]
    command += ["--archives", f"{archive}#environment"]
    for name, value in settings.items():
        command += ["--conf", f"{name}={value}"]
    with (running.folder / "driver.log").open("wb") as log:
        return subprocess.Popen(
            [*command, Path(job.__file__), *arguments],
            stdout=subprocess.PIPE, stderr=log, text=True, cwd=running.folder, env=environment(),
        )  # fmt: skip


def told(output: IO[str], fact: str) -> Iterator[dict[str, Any]]:
    """What the job tells, of one kind; other programs may print there too."""
    for line in output:
        if line.startswith(f'{{"{fact}"'):
            yield json.loads(line)


def answer(rows: list[dict[str, Any]]) -> list[Any]:
    return sorted(
        (
            row["pattern"], row["user"], row["detected"], row["end"], row["start"],
            tuple((e["name"], e["id"]) for e in row["events"]),
        )
        for row in rows
    )  # fmt: skip


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(
    running: Cluster, archive: Path, events: pa.Table, tmp_path: Path
) -> None:
    driver = submit(running, archive, tmp_path / "events.parquet", tmp_path / "result")
    try:
        assert driver.stdout
        places = next(told(driver.stdout, "places"))["places"]
        for stage in told(driver.stdout, "stage"):
            if stage["of"] == PARTITIONS and stage["done"] >= 3:
                break
        kill(running.workers[0])
        driver.communicate(timeout=180)
    finally:
        kill(driver)
    log = (running.folder / "driver.log").read_text()
    assert driver.returncode == 0, log[-3000:]
    assert "Lost executor" in log
    assert stage["done"] < PARTITIONS - 3, "the worker was killed too late to matter"
    assert {Path(file).is_relative_to(running.folder) for file, _ in places} == {True}
    assert {Path(folder) for _, folder in places} == {cache_folder("streams")}
    found = answer(pq.read_table(tmp_path / "result").to_pylist())
    expected = tc.detect_all(job.PATTERNS, events, key="user", carry=["id"])
    assert found == answer(expected.to_arrow().to_pylist())
    assert len(found) > 1000
