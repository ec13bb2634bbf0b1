"""A little of everything that people do in Spark, after which the JVM writes its classes down.

python -m tocsin.spark.rehearsal ARCHIVE, as `archive` calls it.
"""

from __future__ import annotations

import sys
import tempfile
from typing import TYPE_CHECKING

from tocsin.spark import archive
from tocsin.spark.entry import Streaming, detect
from tocsin.spark.java import OPTIONS
from tocsin.spark.session import local_session
from tocsin.tables.call import asked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = ("id % 9 as user", "timestamp_seconds(id) as time", "if(id % 2 = 0, 'A', 'B') as type")


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


def main(made: str) -> None:
    """Rehearse, and wait for the JVM to have ended."""
    from pyspark import SparkContext

    leave = {OPTIONS: f'"{archive.LEAVE}{made}"'}
    with local_session(settings=leave) as spark, tempfile.TemporaryDirectory() as folder:
        rehearse(spark, folder)
    gateway = SparkContext._gateway
    assert gateway is not None
    gateway.shutdown()
    gateway.proc.stdin.close()  # which is what a JVM of PySpark ends by
    gateway.proc.wait()


if __name__ == "__main__":
    main(sys.argv[1])
