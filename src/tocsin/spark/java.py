"""The Java that Spark would start, and the Spark that it would run."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from tocsin.errors import SparkError

OPTIONS = "spark.driver.extraJavaOptions"
"""The setting for what a JVM is told besides."""
MEMORY = "spark.driver.memory"
"""The setting for what a JVM may take."""


def java() -> str | None:
    """The command that starts Java, if there is one."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(os.path.join(home, "bin", "java")) if home else shutil.which("java")


def spark_home() -> Path:
    """The folder of Spark. PySpark is not imported, which takes as long as a JVM to start."""
    found = find_spec("pyspark")
    if found is None or found.origin is None:
        raise SparkError("PySpark is not installed", hint="pip install tocsin[spark]")
    return Path(os.environ.get("SPARK_HOME") or Path(found.origin).parent)
