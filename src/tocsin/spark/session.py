"""A local Spark session for people who only want an answer: started by us, quiet, stopped by us."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tocsin.spark.gateway import Jvm, check_java
from tocsin.spark.java import MEMORY, OPTIONS, spark_home
from tocsin.spark.workers import practise, prepare

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

HUGE_METHOD = 8000
"""Bytes of a method that the JVM still compiles; past that Spark had better not make one."""

UNMEASURED = 2**31 - 1
"""With any other limit Spark measures its Arrow batches after each row, which takes as long as
writing them; rows are limited anyway."""
TASK = "512m"
"""What a task reads of files at most; of less than that for each core, every core has one. Spark's
own 128 MB make three tasks for two cores of many a table, and one core waits at the end."""
COLLECTOR = "-XX:+UseParallelGC"
"""The JVM's own choice collects while tasks run, on the cores that they have."""
COMPILER = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000"
    " -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
"""Ten times what the JVM would go by: its second compiler else spends much of the processor on what
Spark does only when it starts. What is done for each row gets there as soon."""

CLASSES = "-XX:MetaspaceSize=128m"
"""What classes may take before the JVM collects all garbage for their sake, in the midst of its
start."""
PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
"""Where Linux says whether a program may ask for large pages of memory."""
LARGE_PAGES = "-XX:+UseTransparentHugePages"
"""A column of many keys is looked up all over the memory. The processor knows where some pages are,
and large ones hold more."""
WORKERS = {
    # Columns of millions of rows come and go, and the C library would give each back to the system,
    # which takes longer to hand out memory than a kernel to fill it.
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
    # As SQL says it by itself: those that are started before it are then the same for Spark.
    "SPARK_SIMPLIFIED_TRACEBACK": "1",
}
"""What Python's workers find in their environment."""
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
    partitions: over how many rows go in a shuffle; four times the cores, if nobody says, so that
        few others are with a key that has half of the rows. Spark puts small ones together.
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
        "spark.sql.shuffle.partitions": str(partitions or 4 * cores),
        "spark.sql.codegen.hugeMethodLimit": str(HUGE_METHOD),
        "spark.sql.execution.arrow.maxBytesPerBatch": str(UNMEASURED),
        "spark.sql.files.maxPartitionBytes": TASK,
        "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
        **(settings or {}),
    }
    shared = _running()
    if shared:
        session = shared.newSession()
        for key, value in wanted.items():
            session.conf.set(key, value)
        yield session
        return
    preparing = prepare(_start(name, cores, memory, wanted), cores)
    session = _session()
    practising = practise(session)
    try:
        yield session
    finally:
        session.stop()
        preparing.join()
        practising.join()


def require() -> None:
    """Refuse at once where Spark cannot start."""
    if _running() is None:
        check_java()


def _running() -> SparkSession | None:
    spark_home()  # refuses where there is none
    if "pyspark" not in sys.modules:
        return None
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def _start(name: str, cores: int, memory: str, settings: dict[str, str]) -> SparkContext:
    # Workers are to have the packages that this process has, and nobody else is to connect.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    fixed = {
        # PySpark would note for each expression where it was written, in eight calls to the JVM;
        # what is wrong with a call, we say in other words.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.master": f"local[{cores}]",
        "spark.app.name": name,
        MEMORY: memory,
        "spark.driver.host": "localhost",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        OPTIONS: " ".join((COLLECTOR, COMPILER, CLASSES, *_pages())),
        **{f"spark.executorEnv.{name}": value for name, value in WORKERS.items()},
        "spark.python.daemon.module": "tocsin.spark.daemon",
        "spark.sql.warehouse.dir": os.path.join(tempfile.gettempdir(), "tocsin-warehouse"),
    }
    wanted = fixed | settings
    earlier = _gateway()
    starting = None if earlier else Jvm(wanted)
    # What will be needed is imported while the JVM starts.
    from pyspark import SparkConf, SparkContext

    import tocsin.spark.entry  # noqa: F401

    conf = SparkConf(loadDefaults=False)
    for key, value in wanted.items():
        conf.set(key, value)
    return SparkContext(conf=conf, gateway=starting.gateway(conf) if starting else earlier)


def _pages() -> list[str]:
    """What to tell a JVM of pages: one that may not have large ones would complain."""
    try:
        said = PAGES.read_text()
    except OSError:
        return []
    return [] if "[never]" in said else [LARGE_PAGES]


def _session() -> SparkSession:
    """Of the context that has been started."""
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate()


def _gateway() -> Any:
    """The way to the JVM of a session that has ended."""
    if "pyspark" not in sys.modules:
        return None
    from pyspark import SparkContext

    return SparkContext._gateway
