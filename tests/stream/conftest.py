"""Streams keep their state in RocksDB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tocsin.spark.session import ROCKSDB
from tocsin.spark.stream.query import PROVIDER


@pytest.fixture
def rocks(spark: Any) -> Iterator[Any]:
    before = spark.conf.get(PROVIDER)
    spark.conf.set(PROVIDER, ROCKSDB)
    yield spark
    spark.conf.set(PROVIDER, before)


@pytest.fixture
def folder(rocks: Any, tmp_path: Path) -> Any:
    from stream.queries import Folder

    return Folder(rocks, tmp_path)
