"""A local Spark session for people who only want an answer: started by us, quiet, stopped by us."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

from tocsin.errors import SparkError
from tocsin.spark.archive import kept_classes
from tocsin.spark.java import OPTIONS, java
from tocsin.spark.workers import prepare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INSTALL_JAVA = (
    "install Java 17 or newer, as openjdk-17-jre-headless, or set JAVA_HOME to where it is"
)
HUGE_METHOD = 8000
"""Bytes of a method that the JVM still compiles; past that Spark had better not make one."""

UNMEASURED = 2**31 - 1
"""With any other limit Spark measures its Arrow batches after each row, which takes as long as
writing them; rows are limited anyway."""
COLLECTOR = "-XX:+UseParallelGC"
"""The JVM's own choice collects while tasks run, on the cores that they have."""
COMPILER = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000"
    " -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
"""Ten times what the JVM would go by: its second compiler else spends much of the processor on what
Spark does only when it starts. What is done for each row gets there as soon."""

KEEPING = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 30)}
"""For Python workers: columns of millions of rows come and go, and the C library would give each
back to the system, which takes longer to hand out memory than a kernel to fill it."""
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
"""What keeps the state of streams."""


@contextmanager
def local_session(
    name: str = "tocsin",
    *,
    cores: int | None = None,
    memory: str = "2g",
    partitions: int | None = None,
    timezone: str = "UTC",
    settings: Mapping[str, str] | None = None,
) -> Iterator[SparkSession]:
    """A Spark session on this machine, which says nothing on the terminal.

    cores: how many to use; all, if nobody says.
    memory: what the JVM may take; Python workers take theirs besides.
    partitions: over how many rows go in a shuffle; twice the cores, if nobody says.
    timezone: the session's.
    settings: further ones of Spark's, by name.

    Where a session is there already, the new one shares its context, and leaves it running.

    >>> with local_session(timezone="Europe/Berlin") as session:  # doctest: +SKIP
    ...     session.range(3).count()
    3
    """
    cores = cores or os.cpu_count() or 1
    wanted = {
        "spark.sql.session.timeZone": timezone,
        "spark.sql.shuffle.partitions": str(partitions or 2 * cores),
        "spark.sql.codegen.hugeMethodLimit": str(HUGE_METHOD),
        "spark.sql.execution.arrow.maxBytesPerBatch": str(UNMEASURED),
        "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
        **(settings or {}),
    }
    shared = _running()
    session = shared.newSession() if shared else _start(name, cores, memory, wanted)
    for key, value in wanted.items() if shared else ():
        session.conf.set(key, value)
    preparing = None if shared else prepare(session, cores)
    try:
        yield session
    finally:
        if preparing:
            session.stop()
            preparing.join()


def require() -> None:
    """Refuse at once where Spark cannot start."""
    if _running() is None:
        _check_java()


def _running() -> SparkSession | None:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise SparkError("PySpark is not installed", hint="pip install tocsin[spark]") from None
    return SparkSession.getActiveSession()


def _start(name: str, cores: int, memory: str, settings: dict[str, str]) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    # Workers are to have the packages that this process has, and nobody else is to connect.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    fixed = {
        # PySpark would note for each expression where it was written, in eight calls to the JVM;
        # what is wrong with a call, we say in other words.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.master": f"local[{cores}]",
        "spark.app.name": name,
        "spark.driver.memory": memory,
        "spark.driver.host": "localhost",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        OPTIONS: " ".join(filter(None, (COLLECTOR, COMPILER, kept_classes()))),
        **{f"spark.executorEnv.{name}": value for name, value in KEEPING.items()},
        "spark.sql.warehouse.dir": os.path.join(tempfile.gettempdir(), "tocsin-warehouse"),
    }
    conf = SparkConf(loadDefaults=False)
    for key, value in (fixed | settings).items():
        conf.set(key, value)
    SparkContext(conf=conf, gateway=SparkContext._gateway or _launch(conf))
    return SparkSession.builder.getOrCreate()


def _launch(conf: Any) -> Any:
    """A JVM whose chatter, and that of the workers it starts, goes to a file without a name."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    _check_java()
    with tempfile.TemporaryFile() as log, warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # a pipe to a JVM that did not start
        with suppress(PySparkRuntimeError):
            return launch_gateway(conf, {"stdout": log, "stderr": log})  # type: ignore[no-untyped-call]
        raise _not_started(log)


def _check_java() -> None:
    if not java():
        raise SparkError("Spark needs Java, and there is none", hint=INSTALL_JAVA)


def _not_started(log: IO[bytes]) -> SparkError:
    log.seek(0)
    lines = [line.strip() for line in log.read().decode(errors="replace").splitlines()]
    if any("UnsupportedClassVersionError" in line for line in lines):
        return SparkError(f"the Java at {java()} is too old for Spark", hint=INSTALL_JAVA)
    said = next((line for line in lines if "rror" in line or "xception" in line), "")
    said = said or next(filter(None, reversed(lines)), "nobody said why")
    return SparkError(
        f"Spark did not start: {said}", hint="see that `java -version` says 17 or newer"
    )
