"""Tocsin on its way to a cluster, as docs/cluster.md says: a packed environment."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import tocsin

NOT_OURS = ("pyspark", "py4j", "tocsin", "_tocsin", "_editable", "__editable__")
"""A cluster has its own PySpark; and Tocsin is to come from nowhere but the archive."""


def packed(folder: Path) -> Path:
    """An environment with Tocsin, and the archive of it.

    What Tocsin needs is linked rather than copied: it is half a gigabyte, which this machine has.
    """
    made = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
    (site,) = made.glob("lib/python*/site-packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.startswith(NOT_OURS) and path.suffix != ".pth":
            (site / path.name).symlink_to(path)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(tocsin.__file__).parent, site / "tocsin", ignore=ignored)
    archive = folder / "environment.tar.gz"
    subprocess.run(["tar", "-czf", archive, "-C", made, "."], check=True)
    return archive
