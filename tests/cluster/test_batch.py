"""A table on a cluster that loses a machine on the way: the same answer."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cluster.standalone import Cluster, kill
from cluster.submitting import answer, drawn_events, expected, on_cluster

from tocsin.engine.kernels.compiling import cache_folder

pytestmark = pytest.mark.xdist_group("cluster")

PARTITIONS = 16


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(
    running: Cluster, archive: Path, tmp_path: Path
) -> None:
    events = drawn_events(7, 20_000, keys=400, last=5_000)
    pq.write_table(events, tmp_path / "events.parquet")
    arguments = ("table", tmp_path / "events.parquet", tmp_path / "answer")
    with on_cluster(running, archive, *arguments, partitions=PARTITIONS) as job:
        places = next(job.told("places"))["places"]
        for stage in job.told("stage"):
            if stage["of"] == PARTITIONS and stage["done"] >= 3:
                break
        kill(running.workers[0])
        job.ends()
    assert stage["done"] < PARTITIONS - 3, "the worker was killed too late to matter"
    assert "Lost executor" in job.log.read_text()
    assert {Path(file).is_relative_to(running.folder) for file, _ in places} == {True}
    assert {Path(folder) for _, folder in places} == {cache_folder("streams")}
    found = answer(pq.read_table(tmp_path / "answer").to_pylist())
    assert found == expected(events)
    assert len(found) > 1000
