"""The driver is killed at random moments: nothing is lost, nothing comes twice."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from faults.kills import check

pytestmark = pytest.mark.xdist_group("cluster")


def test_a_driver_that_is_killed(tmp_path: Path) -> None:
    """`make soak` does it twenty times."""
    check(tmp_path, kills=3, seed=Random().randrange(10**6))
