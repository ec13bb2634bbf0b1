"""The Java that Spark would start."""

from __future__ import annotations

import os
import shutil

OPTIONS = "spark.driver.extraJavaOptions"
"""The setting for what a JVM is told besides."""


def java() -> str | None:
    """The command that starts Java, if there is one."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(os.path.join(home, "bin", "java")) if home else shutil.which("java")
