"""A little of everything that people do in Spark, after which the JVM writes its classes down.

python -m tocsin.spark.rehearsal PLACE, as `archive` calls it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tocsin.spark import archive
from tocsin.spark.entry import Streaming, detect
from tocsin.spark.gateway import VARIABLES, Jvm
from tocsin.spark.java import MEMORY, OPTIONS
from tocsin.spark.session import local_session
from tocsin.tables.call import asked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = ("id % 9 as user", "timestamp_seconds(id) as time", "if(id % 2 = 0, 'A', 'B') as type")

UNUSED_JARS = "spark-mllib_"
"""A session asks all jars what extends it, and MLlib takes long to answer."""
UNUSED_ARGUMENTS = ("-Xmx", "--add-modules=")
"""The memory is told each time, and the only module that Spark adds is for MLlib."""


def rehearse(spark: SparkSession, folder: str) -> None:
    """Tables in files of all kinds, read, asked and written; then a stream of them."""
    call = asked({"p": "(A ; B) within 9s - C"}, key="user", carry="type", measures={"m": "A.type"})
    rows = spark.range(100).selectExpr(*ROWS)
    for kind in ("csv", "json", "parquet"):
        rows.write.format(kind).save(f"{folder}/{kind}")
        table = spark.read.schema(rows.schema).format(kind).load(f"{folder}/{kind}")
        found = detect(call, table, None, Streaming())
        found.toArrow()
        found.write.format("noop").mode("append").save()
    stream = spark.readStream.schema(rows.schema).parquet(f"{folder}/parquet")
    found = detect(call, stream, None, Streaming(watermark="1s"))
    query = found.writeStream.trigger(availableNow=True).format("parquet")
    query.option("checkpointLocation", f"{folder}/state").start(f"{folder}/out").awaitTermination()


def arguments() -> list[str]:
    """What Spark would tell the JVM itself, without what nobody here uses."""
    from pyspark import SparkConf

    gateway = Jvm({MEMORY: "1g", OPTIONS: ""}).gateway(SparkConf(loadDefaults=False))
    bean = gateway.jvm.java.lang.management.ManagementFactory.getRuntimeMXBean()
    told = [text for text in bean.getInputArguments() if not text.startswith(UNUSED_ARGUMENTS)]
    places = str(bean.getClassPath()).split(os.pathsep)
    used = [place for place in places if not Path(place).name.startswith(UNUSED_JARS)]
    _end(gateway)
    return ["-cp", os.pathsep.join(used), *told]


def main(place: Path) -> None:
    """Keep what the JVM is told, start it so, rehearse, and wait for it to have ended."""
    from pyspark import SparkContext

    for name in VARIABLES & os.environ.keys():
        del os.environ[name]
    quoted = [text.replace("\\", "\\\\").replace('"', '\\"') for text in arguments()]
    with tempfile.TemporaryDirectory(dir=place) as folder:
        made = Path(folder) / "made"
        made.write_text("".join(f'"{text}"\n' for text in quoted))
        made.replace(place / archive.ARGUMENTS)
        with local_session(settings={OPTIONS: f'"{archive.LEAVE}{made}"'}) as spark:
            rehearse(spark, folder)
        _end(SparkContext._gateway)
        if made.exists():
            made.replace(place / archive.CLASSES)


def _end(gateway: Any) -> None:
    gateway.shutdown()
    gateway.proc.stdin.close()  # which is what a JVM of PySpark ends by
    gateway.proc.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
