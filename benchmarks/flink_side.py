"""MATCH_RECOGNIZE in Flink SQL: what `flink.py` runs in Flink's own environment, with its Python.

It is asked in JSON, as one argument, and answers in JSON on the last line.
"""

import json
import sys
import time

from pyflink.java_gateway import get_gateway
from pyflink.table import EnvironmentSettings, TableEnvironment

SETTINGS = {
    "parallelism.default": "2",
    "taskmanager.numberOfTaskSlots": "2",
    "taskmanager.memory.managed.size": "1g",
    "taskmanager.memory.network.min": "256m",
    "taskmanager.memory.network.max": "256m",
    "pipeline.object-reuse": "true",
}

EVENTS = """
    create table events (
        `user` string, `time` bigint, `type` string,
        moment as to_timestamp_ltz(`time`, 3), watermark for moment as moment
    ) with ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{place}')
"""
"""Batch mode sorts rows by key and time itself, so no row is late."""

FOUND = "create table {name} (`user` string, a bigint, b bigint, c bigint) with ({options})"

MATCHES = """
    select * from events match_recognize (
        partition by `user` order by moment
        measures A.`time` as a, B.`time` as b, C.`time` as c
        one row per match after match skip to next row
        pattern ({pattern}) within interval '1' hour
        define A as A.`type` = 'A', B as B.`type` = 'B', C as C.`type` = 'C'{others}
    )
"""

QUERIES = {
    "strict": MATCHES.format(pattern="A B C", others=""),
    "gappy": MATCHES.format(
        pattern="A X*? B Y*? C",
        others=", X as X.`type` not in ('B', 'D'), Y as Y.`type` not in ('C', 'D')",
    ),
}


def quiet() -> None:
    """At the end of a table Flink warns of millions of timers, one by one, into a file."""
    log4j = get_gateway().jvm.org.apache.logging.log4j
    log4j.core.config.Configurator.setRootLevel(log4j.Level.ERROR)


def main(pattern: str, place: str, found: str, repeats: int, began: float) -> dict[str, float]:
    """How long it took since `began`; and, if it is to be repeated, then at best without start-up,
    after which what is found is written."""
    tables = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    quiet()
    for name, value in SETTINGS.items():
        tables.get_config().set(name, value)
    files = f"'connector' = 'filesystem', 'format' = 'csv', 'path' = '{found}'"
    tables.execute_sql(EVENTS.format(place=place))
    tables.execute_sql(FOUND.format(name="unused", options="'connector' = 'blackhole'"))
    tables.execute_sql(FOUND.format(name="written", options=files))

    def run(sink: str) -> float:
        """The seconds that the job takes once its cluster runs, as Flink counts them."""
        job = tables.execute_sql(f"insert into {sink} {QUERIES[pattern]}").get_job_client()
        return job.get_job_execution_result().result().get_net_runtime() / 1000

    run("unused")
    times = {"cold": time.time() - began}
    if repeats:
        times["warm"] = min(run("unused") for _ in range(repeats))
        run("written")
    return times


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.argv[1]))))
