"""What Python's workers do besides their work."""

from __future__ import annotations

import subprocess
import sys

SETTLED = """
import gc
from tocsin.spark.workers import settle

settle()
kept = gc.get_freeze_count()
assert kept > 1000, kept

left_behind = []
left_behind.append(left_behind)
del left_behind
settle()
assert gc.get_freeze_count() == kept  # nothing has been imported since
assert gc.collect() > 0

import tocsin.spark.batch
settle()
assert gc.get_freeze_count() > kept
"""


def test_a_worker_keeps_what_it_imported_and_not_what_tasks_left() -> None:
    done = subprocess.run([sys.executable, "-c", SETTLED], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
