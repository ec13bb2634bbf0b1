"""A stream on a cluster that loses a machine on the way: the answer of a table."""

from __future__ import annotations

from pathlib import Path

import pytest
from cluster.standalone import Cluster, kill
from cluster.submitting import answer, expected, on_cluster
from faults.kills import Source, committed

pytestmark = pytest.mark.xdist_group("cluster")


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(
    running: Cluster, archive: Path, tmp_path: Path
) -> None:
    source = Source(tmp_path / "events", seed=3, files=4)
    source.more(4)
    with on_cluster(running, archive, "stream", tmp_path, partitions=2) as job:
        for batch in job.told("batch"):
            if batch["batch"] >= 1:
                break
        kill(running.workers[-1])
        job.ends()
    assert "Lost executor" in job.log.read_text()
    found = answer(committed(tmp_path / "answer"))
    assert found == expected(source.events)
    assert len(found) > 100
