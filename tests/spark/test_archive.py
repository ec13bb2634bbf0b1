"""Spark's classes, kept for the next start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import tocsin as tc
from tocsin.cli import app
from tocsin.engine import warming
from tocsin.spark import archive

STARTED = """
import sys
from tocsin.spark.java import OPTIONS
from tocsin.spark.session import COLLECTOR, local_session

logged = {OPTIONS: f"{COLLECTOR} -Xlog:class+load:file={sys.argv[1]}"}
with local_session(cores=1, memory="512m", settings=logged) as spark:
    print(spark.range(3).count())
"""


@pytest.fixture
def places(tmp_path: Path, monkeypatch: Any) -> Path:
    monkeypatch.setenv("TOCSIN_CACHE_DIR", str(tmp_path))
    return tmp_path


def keep(root: Path, name: str = "") -> Path:
    """Files in place of a start, by default of that of this Java and Spark."""
    place = root / (name or archive._name())
    place.mkdir(exist_ok=True)
    for file in (archive.ARGUMENTS, archive.CLASSES):
        (place / file).write_text("")
    return place


def test_spark_starts_from_its_archive(tmp_path: Path) -> None:
    """One for all: it takes half a minute to make."""
    assert archive.make() is not None
    log = tmp_path / "classes.log"
    done = subprocess.run(
        [sys.executable, "-c", STARTED, str(log)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")
    loaded = log.read_text().splitlines()
    kept = [line for line in loaded if line.endswith("shared objects file (top)")]
    assert any("org.apache.spark.SparkContext " in line for line in kept)
    assert len(kept) > len(loaded) / 2


def test_who_looks_leaves_nothing_behind(tmp_path: Path, monkeypatch: Any) -> None:
    for name in ("TOCSIN_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    assert archive.kept() == []
    assert list(tmp_path.iterdir()) == []


def test_a_start_is_taken_from_where_it_is(places: Path) -> None:
    place = keep(places)
    taken = [f"@{place / archive.ARGUMENTS}", f"{archive.TAKE}{place / archive.CLASSES}"]
    assert archive.kept() == taken
    assert archive.make() == place / archive.CLASSES


def test_a_start_without_classes_is_one(places: Path) -> None:
    """So the rehearsal starts whose classes are kept."""
    place = keep(places)
    (place / archive.CLASSES).unlink()
    assert archive.kept() == [f"@{place / archive.ARGUMENTS}"]


def test_another_java_has_another_archive(tmp_path: Path, monkeypatch: Any) -> None:
    before = archive._name()
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert archive._name() != before


def test_an_installation_in_its_place_has_another_archive(tmp_path: Path, monkeypatch: Any) -> None:
    jar = tmp_path / "jars" / "spark.jar"
    jar.parent.mkdir()
    jar.write_text("")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    before = archive._name()
    os.utime(jar, (1, 1))
    assert archive._name() != before


def test_the_start_of_what_was_there_before_goes(places: Path, monkeypatch: Any) -> None:
    """A new one takes its place; those of other installations stay."""
    name = archive._name()
    older, other = f"{name.rpartition('-')[0]}-older", "spark-elsewhere-older"
    for place in (older, other):
        keep(places, place)
    monkeypatch.setattr(archive, "_run", lambda place: keep(places, place.name))
    assert archive.make() == places / name / archive.CLASSES
    assert {place.name for place in places.iterdir()} == {name, other}


def test_without_java_there_is_none(places: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("JAVA_HOME", str(places))
    assert archive.kept() == []


def test_a_java_that_keeps_nothing(places: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(archive, "_run", lambda place: (place / archive.ARGUMENTS).write_text(""))
    assert archive.make() is None
    assert list(places.iterdir()) == []


def test_nowhere_to_write(places: Path, monkeypatch: Any) -> None:
    (places / "file").write_text("")
    monkeypatch.setenv("TOCSIN_CACHE_DIR", str(places / "file" / "cache"))
    assert archive.make() is None


def test_a_rehearsal_that_fails_is_quoted(places: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(tc.SparkError, match=r"^Spark did not run: nobody said why; see that"):
        archive.make()
    assert list(places.iterdir()) == []


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (None, "kept no classes of Spark: this Java does not, or no folder can be written"),
        (tc.SparkError("Spark did not run: so"), "kept no classes of Spark: Spark did not run: so"),
    ],
)
def test_warming_says_what_became_of_it(made: Any, said: str, monkeypatch: Any) -> None:
    def make() -> Any:
        if made:
            raise made

    monkeypatch.setattr(archive, "make", make)
    monkeypatch.setattr(warming, "warm", lambda: 1)
    done = CliRunner().invoke(app, ["warm"])
    assert done.exit_code == 0
    assert f"tocsin: {said}\n" in done.output
