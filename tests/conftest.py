"""One Spark session for all tests of a process that want one, started once and quiet.

Tests with Spark are not kept in one process: several share them as work comes, which is worth more
than the start of a session that each of them has to wait for.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# A busy or slow machine is no failure.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

os.environ["PYSPARK_PYTHON"] = sys.executable  # workers need the same packages as the tests


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    wanted = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.memory": "1g",
        "spark.driver.host": "localhost",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.coalescePartitions.enabled": "false",  # seven are to be seven
        "spark.sql.session.timeZone": "Europe/Berlin",
    }
    builder = SparkSession.builder.master("local[2]").appName("tocsin tests")
    for name, value in wanted.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = builder.getOrCreate()
    yield session
    session.stop()
