"""A small Spark cluster on this machine: a master and some workers, each with its own processes.

Everything listens on loopback, at ports that the system chooses, and writes below one folder.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyspark

SPARK_HOME = Path(pyspark.__file__).parent
PATIENCE = 60
"""Seconds to wait for a process to say that it is ready."""


def environment(**more: str) -> dict[str, str]:
    """That of a machine which has Spark, and nothing of this process but where programs are."""
    kept = {name: os.environ[name] for name in ("PATH", "JAVA_HOME") if name in os.environ}
    return {
        **kept,
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_PUBLIC_DNS": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -Dspark.master.rest.enabled=false",
        **more,
    }


def tree(pid: int) -> list[int]:
    """A process and all that it started, and these, and so on."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [pid]
    for parent in found:
        found += children.get(parent, [])
    return found


def kill(process: subprocess.Popen[Any]) -> None:
    """End a process and all that it started, at once, as a machine does that fails."""
    if process.poll() is not None:
        return
    for pid in tree(process.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


class Cluster:
    """A master, and workers that have one core each."""

    def __init__(self, folder: Path, memory: str = "512m") -> None:
        self.folder, self.memory = folder, memory
        self.master: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self.url = ""

    def staff(self, workers: int = 2) -> None:
        """Start a master if there is none, and workers until so many are there."""
        if self.master is None:
            self.master, log = self._start("master", "master.Master")
            self.url = said(log, r"Starting Spark master at (\S+)")
        logs = []
        while sum(worker.poll() is None for worker in self.workers) < workers:
            name = f"worker-{len(self.workers)}"
            size = ["--cores", "1", "--memory", self.memory, "--work-dir", str(self.folder / name)]
            worker, log = self._start(name, "worker.Worker", *size, self.url)
            self.workers.append(worker)
            logs.append(log)
        for log in logs:
            said(log, "(Successfully registered)")

    def stop(self) -> None:
        """Leave nothing running."""
        for process in (*self.workers, *filter(None, [self.master])):
            kill(process)

    def _start(self, name: str, kind: str, *own: str) -> tuple[subprocess.Popen[bytes], Path]:
        log = self.folder / f"{name}.log"
        command = [str(SPARK_HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}"]
        command += ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0", *own]
        with log.open("wb") as out:
            process = subprocess.Popen(
                command, stdout=out, stderr=out, env=environment(), cwd=self.folder
            )
        return process, log


def said(log: Path, pattern: str, patience: float = PATIENCE) -> str:
    """What a log says where it matches a pattern, once it does."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if found := re.search(pattern, log.read_text(errors="replace")):
            return found[1]
        time.sleep(0.1)
    raise TimeoutError(f"{log.name} does not say {pattern!r}:\n{log.read_text()[-3000:]}")
