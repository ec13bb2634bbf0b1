"""The way to Spark's JVM: in one step if nothing speaks to the others, and whatever happens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkConf

import tocsin as tc
from tocsin.spark import archive, gateway
from tocsin.spark.java import MEMORY, OPTIONS

SETTINGS = {MEMORY: "512m", OPTIONS: ""}

STARTED = """
from tocsin.spark.session import local_session

with local_session(cores=1, memory="512m") as spark:
    java = spark._jvm.java.lang.System
    print(spark.range(3).count(), java.getProperty("sun.java.command").split()[0])
    print("spark-mllib_" in java.getProperty("java.class.path"))
"""


def started() -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", STARTED], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_one_step() -> None:
    assert archive.make() is not None
    assert started() == f"3 {gateway.SERVER}\nFalse\n"


def test_the_steps_that_are_told_something_are_taken(monkeypatch: Any) -> None:
    assert archive.make() is not None
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.ui.enabled=false pyspark-shell")
    assert started() == "3 org.apache.spark.deploy.SparkSubmit\nTrue\n"


def test_a_start_that_does_not_fit_any_more_is_no_trouble(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("TOCSIN_CACHE_DIR", str(tmp_path))
    place = tmp_path / archive._name()
    place.mkdir()
    (place / archive.ARGUMENTS).write_text("--no-such-option\n")
    assert started() == "3 org.apache.spark.deploy.SparkSubmit\nTrue\n"


def test_what_speaks_to_the_other_steps(tmp_path: Path, monkeypatch: Any) -> None:
    assert not gateway._is_told(SETTINGS)
    assert gateway._is_told(SETTINGS | {"spark.jars.packages": "org:name:1"})
    with monkeypatch.context() as told:
        told.setenv("HADOOP_CONF_DIR", "/etc/hadoop")
        assert gateway._is_told(SETTINGS)
    monkeypatch.setattr(gateway, "spark_home", lambda: tmp_path)
    (tmp_path / "conf").mkdir()
    assert not gateway._is_told(SETTINGS)
    (tmp_path / "conf" / "spark-defaults.conf").write_text("")
    assert gateway._is_told(SETTINGS)


def test_without_java_there_is_one_sentence(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(tc.SparkError, match=r"^Spark needs Java, and there is none; install Java"):
        gateway.Jvm(SETTINGS)


@pytest.mark.parametrize(
    ("says", "sentence"),
    [
        ("java.lang.UnsupportedClassVersionError: SparkSubmit", r"is too old for Spark; install"),
        ("Error: no such option", r"^Spark did not start: Error: no such option; see that"),
    ],
)
def test_a_java_that_fails_is_quoted(
    says: str, sentence: str, tmp_path: Path, monkeypatch: Any
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit 1\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(tc.SparkError, match=sentence) as refused:
        gateway.Jvm(SETTINGS).gateway(SparkConf(loadDefaults=False))
    assert "\n" not in str(refused.value)
