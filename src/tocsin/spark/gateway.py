"""Spark's JVM: started in one step where it is known how, and reached from Python.

PySpark runs a script, which runs a JVM, which says how to start the JVM proper, whose program reads
settings that we know and opens a gateway. What that comes to is kept (`archive`), and then the
gateway is opened at once.
"""

from __future__ import annotations

import os
import shlex
import signal
import struct
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen
from time import sleep
from typing import Any

from tocsin.errors import SparkError
from tocsin.spark.archive import kept
from tocsin.spark.java import MEMORY, OPTIONS, java, spark_home

INSTALL_JAVA = (
    "install Java 17 or newer, as openjdk-17-jre-headless, or set JAVA_HOME to where it is"
)
SERVER = "org.apache.spark.api.python.PythonGatewayServer"
PORT, SECRET = "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"
"""By which PySpark finds a server that is there already."""

VARIABLES = {
    *("SPARK_CONF_DIR", "SPARK_SUBMIT_OPTS", "SPARK_DIST_CLASSPATH"),
    *("PYSPARK_SUBMIT_ARGS", "HADOOP_CONF_DIR", "YARN_CONF_DIR", PORT),
}
FILES = ("spark-defaults.conf", "spark-env.sh")
SETTINGS = (
    *("spark.jars", "spark.files", "spark.archives", "spark.submit."),
    *("spark.driver.extraClassPath", "spark.driver.extraLibraryPath"),
    *("spark.driver.defaultJavaOptions", "spark.driver.userClassPathFirst"),
)
"""What speaks to the steps that would be left out: in the environment, in Spark's folder `conf`,
and among the settings, by how they begin. Where any of it is there, they are taken."""


class Jvm:
    """A JVM that starts, while others prepare what they have to say; its chatter, and that of the
    workers it starts, goes to a file without a name."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        check_java()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - until the JVM has answered
        self._folder = tempfile.TemporaryDirectory()
        self._told = Path(self._folder.name) / "port"
        known = [] if _is_told(settings) else kept()
        self._process = self._begin(known, settings) if known else None

    def gateway(self, conf: Any) -> Any:
        """The way to it, once it listens."""
        from pyspark.errors import PySparkRuntimeError
        from pyspark.java_gateway import launch_gateway

        with self._folder, self._log, self._known(), warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # a pipe to a JVM that did not start
            pipes = {"stdout": self._log, "stderr": self._log}
            with suppress(PySparkRuntimeError):
                gateway = launch_gateway(conf, pipes)  # type: ignore[no-untyped-call]
                gateway.proc = gateway.proc or self._process
                return gateway
            raise self._refusal()

    def _begin(self, known: list[str], settings: Mapping[str, str]) -> Popen[bytes]:
        said = [f"-Xmx{settings[MEMORY]}", *shlex.split(settings[OPTIONS])]
        return Popen(
            [java() or "", *known, *said, SERVER],
            stdin=PIPE,  # the server ends when nobody holds the other end
            stdout=self._log,
            stderr=STDOUT,
            env=os.environ | {"_PYSPARK_DRIVER_CONN_INFO_PATH": str(self._told)},
            preexec_fn=_ignore_interrupts,
        )

    @contextmanager
    def _known(self) -> Iterator[None]:
        """Wait for the server, and name it to PySpark, which else starts one."""
        while self._process and self._process.poll() is None and not self._told.exists():
            sleep(0.005)
        if not self._told.exists():
            if self._process:
                self._process.communicate()
            yield
            return
        told = self._told.read_bytes()
        os.environ[PORT] = str(struct.unpack_from(">i", told)[0])
        os.environ[SECRET] = told[8:].decode()
        try:
            yield
        finally:
            del os.environ[PORT], os.environ[SECRET]

    def _refusal(self) -> SparkError:
        self._log.seek(0)
        lines = [line.strip() for line in self._log.read().decode(errors="replace").splitlines()]
        if any("UnsupportedClassVersionError" in line for line in lines):
            return SparkError(f"the Java at {java()} is too old for Spark", hint=INSTALL_JAVA)
        said = next((line for line in lines if "rror" in line or "xception" in line), "")
        said = said or next(filter(None, reversed(lines)), "nobody said why")
        return SparkError(
            f"Spark did not start: {said}", hint="see that `java -version` says 17 or newer"
        )


def check_java() -> None:
    """Refuse at once where Spark cannot start."""
    if not java():
        raise SparkError("Spark needs Java, and there is none", hint=INSTALL_JAVA)


def _is_told(settings: Mapping[str, str]) -> bool:
    """Whether anything speaks to the other steps."""
    return (
        os.name != "posix"
        or bool(VARIABLES & os.environ.keys())
        or any((spark_home() / "conf" / name).exists() for name in FILES)
        or any(name.startswith(SETTINGS) for name in settings)
    )


def _ignore_interrupts() -> None:
    """In the JVM: whoever is interrupted at the terminal ends it himself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
