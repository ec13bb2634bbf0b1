"""A cluster for the tests of this folder, and Tocsin packed for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster.shipping import packed
from cluster.standalone import Cluster


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield started
    finally:
        started.stop()


@pytest.fixture
def running(cluster: Cluster) -> Cluster:
    """With two workers, whatever befell those of the test before."""
    cluster.staff(workers=2)
    return cluster


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tmp_path_factory.mktemp("shipped"))
