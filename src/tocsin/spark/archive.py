"""Spark's start, kept: what its JVM is told, and its classes, loaded and checked beforehand.

A JVM spends most of Spark's start on reading ten thousand classes. It can write down those that it
has loaded when it ends, and another one takes them from there (class data sharing). What does not
fit any more, the JVM ignores.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from shutil import rmtree

from tocsin.engine.keeping import roots
from tocsin.errors import SparkError
from tocsin.spark.java import java, spark_home

ENOUGH = 300
"""Seconds after which a JVM is not waited for."""

ARGUMENTS, CLASSES = "arguments", "classes"
"""The files of a start; Java reads its arguments from the first."""

TAKE = "-XX:SharedArchiveFile="
LEAVE = "-XX:ArchiveClassesAtExit="


def kept() -> list[str]:
    """What to tell a JVM so that it starts as one has before; nothing if none has."""
    places = [root / _name() for root in roots(to_write=False)] if java() else []
    found = (place for place in places if (place / ARGUMENTS).is_file())
    if (place := next(found, None)) is None:
        return []
    classes = place / CLASSES
    return [f"@{place / ARGUMENTS}", *([f"{TAKE}{classes}"] if classes.is_file() else ())]


def make() -> Path | None:
    """Start Spark and let it detect something, for its classes; None where they cannot be kept.

    Those that are there already are kept.
    """
    for root in roots():
        place = root / _name()
        classes = place / CLASSES
        if classes.is_file():
            return classes
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        try:
            _run(place)
        finally:
            if not classes.is_file():  # not every Java can
                rmtree(place, ignore_errors=True)
        if not classes.is_file():
            return None
        _drop_older(place)
        return classes
    return None


def _run(place: Path) -> None:
    """Everything in a process of its own: a JVM writes its classes down when it ends."""
    command = [sys.executable, "-m", "tocsin.spark.rehearsal", str(place)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ENOUGH)
        said = (done.stderr.strip().splitlines() or ["nobody said why"]) if done.returncode else []
    except subprocess.TimeoutExpired:
        said = [f"it was not done after {ENOUGH} seconds"]
    if said:
        raise SparkError(f"Spark did not run: {said[-1]}", hint="see that `java -version` runs")


def _name() -> str:
    """A start fits one Java and the jars of one Spark, for as long as nobody installs either anew:
    a JVM takes no classes of a jar that has changed, be it only its date."""
    machine, jars = Path(java() or "").resolve(), spark_home() / "jars"
    files = (machine, *sorted(jars.glob("*.jar")))
    dates = " ".join(f"{file.name} {file.stat().st_mtime_ns}" for file in files)
    return f"spark-{_hashed(f'{machine} {jars}')}-{_hashed(dates)}"


def _drop_older(place: Path) -> None:
    """Remove what this Java and Spark had before they were installed anew."""
    where, _, _ = place.name.rpartition("-")
    for older in place.parent.glob(f"{where}-*"):
        if older != place:
            rmtree(older, ignore_errors=True)


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
