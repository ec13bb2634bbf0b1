"""The benchmarks run; what they measure is not a matter of tests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
ENGINE, SPARK, STREAM = (BENCHMARKS / f"{name}.py" for name in ("engine", "spark", "stream"))


def test_the_engine_is_measured() -> None:
    command = [
        sys.executable,
        str(ENGINE),
        "--events",
        "10000",
        "--only",
        "first,contexts",
        "--json",
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured = json.loads(done.stdout)
    assert measured["events"] == 10_000
    assert set(measured["sections"]) == {"first", "contexts"}
    figures = [figure for section in measured["sections"].values() for figure in section]
    assert all(figure["value"] > 0 for figure in figures if figure["unit"] == "M events/s")
    assert {figure["reached"] for figure in figures} <= {None, True, False}


def test_an_unknown_section_is_refused() -> None:
    done = subprocess.run([sys.executable, str(ENGINE), "--only", "nonsense"], capture_output=True)
    assert done.returncode == 2
    assert b"no section nonsense; there are first" in done.stderr


def test_tables_in_spark_are_measured(tmp_path: Path) -> None:
    command = [sys.executable, str(SPARK), "--quick", "--only", "lag", "--folder", str(tmp_path)]
    done = subprocess.run([*command, "--json"], check=True, capture_output=True, text=True)
    own, query, ratio = json.loads(done.stdout)["sections"]["lag"]
    assert ratio["value"] == query["value"] / own["value"] > 0


def test_streams_are_measured() -> None:
    command = [sys.executable, str(STREAM), "--quick", "--only", "small", "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures = json.loads(done.stdout)["sections"]["small"]
    whole, *parts = (figure["value"] for figure in figures[::2])
    assert 0 < max(parts) < whole
