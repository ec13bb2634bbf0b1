"""Spark's classes, loaded and checked beforehand, so that its JVM starts in half the time.

A JVM spends most of Spark's start on reading ten thousand classes. It can write down those that it
has loaded when it ends, and another one takes them from there (class data sharing). What does not
fit any more, the JVM ignores.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from tocsin.engine.keeping import roots
from tocsin.errors import SparkError
from tocsin.spark.java import java

ENOUGH = 300
"""Seconds after which a JVM is not waited for."""

TAKE = "-XX:SharedArchiveFile="
LEAVE = "-XX:ArchiveClassesAtExit="


def kept_classes() -> str:
    """The option with which a JVM starts from the archive; nothing if none has been made."""
    places = [root / _name() for root in roots(to_write=False)] if java() else []
    kept = next((place for place in places if place.is_file()), None)
    return f'"{TAKE}{kept}"' if kept else ""


def make() -> Path | None:
    """Start Spark and let it detect something, for its classes; None where they cannot be kept.

    One that is there already is kept.
    """
    for root in roots():
        kept = root / _name()
        if kept.is_file():
            return kept
        try:
            root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=root) as folder:
                made = Path(folder) / "classes"
                _run(made)
                if not made.exists():  # not every Java can
                    return None
                os.replace(made, kept)
            _drop_older(kept)
            return kept
        except OSError:
            continue
    return None


def _run(made: Path) -> None:
    """Everything in a process of its own: a JVM writes its classes down when it ends."""
    command = [sys.executable, "-m", "tocsin.spark.rehearsal", str(made)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ENOUGH)
        said = (done.stderr.strip().splitlines() or ["nobody said why"]) if done.returncode else []
    except subprocess.TimeoutExpired:
        said = [f"it was not done after {ENOUGH} seconds"]
    if said:
        raise SparkError(f"Spark did not run: {said[-1]}", hint="see that `java -version` runs")


def _name() -> str:
    """An archive fits one Java and the jars of one PySpark, for as long as nobody installs either
    anew: a JVM takes no classes of a jar that has changed, be it only its date."""
    import pyspark

    machine, jars = Path(java() or "").resolve(), Path(pyspark.__file__).with_name("jars")
    files = (machine, *sorted(jars.glob("*.jar")))
    dates = " ".join(f"{file.name} {file.stat().st_mtime_ns}" for file in files)
    return f"spark-{_hashed(f'{machine} {jars}')}-{_hashed(dates)}.jsa"


def _drop_older(kept: Path) -> None:
    """Remove what this Java and PySpark had before they were installed anew."""
    where, _, _ = kept.name.rpartition("-")
    for place in kept.parent.glob(f"{where}-*.jsa"):
        if place != kept:
            with suppress(OSError):
                place.unlink()


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
