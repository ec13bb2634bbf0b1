"""Detection through Spark Connect: a server on loopback, and a client in a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest

CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"
PATIENCE = 120
"""Seconds that a server may take to start where others are busy, too."""

CLIENT = """
import sys
from pyspark.sql import Observation, SparkSession
import tocsin as tc

spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
assert type(spark).__module__.startswith("pyspark.sql.connect")
logins = spark.createDataFrame(
    [("ann", False, 1, "a"), ("ann", False, 20, "b"), ("bob", True, 30, "c"),
     ("ann", True, 50, "d"), (None, True, 60, "e")],
    "user string, success boolean, ts bigint, ip string",
)
asked = dict(key="user", time="ts", unit="s", carry=["ip"])
define = {"failed": "not success", "ok": "success"}

seen = Observation()
found = tc.detect("(failed ; failed ; ok) within 1min", logins, define=define, observation=seen,
                  measures={"tries": "size(failed)", "to": "ok.ip"}, **asked)
print([(r.user, r.start, r.end, r.tries, r.to, [e.ip for e in r.events]) for r in found.collect()])
print(seen.get["rows"], seen.get["used"], seen.get["null_keys"])

silences = tc.detect("absent(ok, 15s)", logins, define={"ok": "success"}, **asked)
print(sorted((r.user, r.end) for r in silences.collect()))
print("in one shuffle by user" in tc.explain("ok", logins, define={"ok": "success"}, **asked))

for wrong in ({"carry": "ipp"}, {"define": {"ok": "sucess"}}, {"measures": {"n": "sise(events)"}}):
    try:
        tc.detect("ok", logins, **{**asked, "define": {"ok": "success"}, **wrong})
    except tc.DefinitionError as error:
        print(str(error).split(";")[0])
spark.stop()
"""

ANSWER = """\
[('ann', 1, 50, 2, 'd', ['a', 'b', 'd'])]
5 4 1
[('ann', 16), ('bob', 16), ('bob', 45)]
True
carry is 'ipp', but there is no such column
the event 'ok', "sucess": there is no column 'sucess'
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "spark.master": "local[1]",
        "spark.driver.memory": "512m",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--class", CLASS]
    for name, value in settings.items():
        command += ["--conf", f"{name}={value}"]
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_CONNECT_MODE": "0"}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "spark-internal"], env=environment, cwd=tmp_path, stdout=log, stderr=log
        )
    try:
        wait_for(port, process, tmp_path / "log")
        yield f"sc://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(PATIENCE)


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(PATIENCE * 10):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
    raise AssertionError(log.read_text())


def test_a_connect_session_gives_the_answers_and_the_sentences(server: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CLIENT, server],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines(keepends=True)
    assert "".join(said[:-1]) == ANSWER
    assert said[-1].startswith("the measure 'n', \"sise(events)\": Spark refuses it: ")
    assert done.stderr == ""
