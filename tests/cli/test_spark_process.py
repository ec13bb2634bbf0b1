"""`tocsin detect` with Spark as people run it: in a process of its own, quiet, leaving nothing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
BUTTONS = [str(EXAMPLES / "buttons.csv"), "--pattern", "(B ; B) within 2 - (P | T)"]
MAIN = "import sys; from tocsin.cli import main; sys.exit(main())"


def start(*arguments: str, code: str = MAIN, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, "detect", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )


def run(*arguments: str, code: str = MAIN, **environment: str) -> tuple[int, str, str]:
    process = start(*arguments, code=code, **environment)
    out, err = process.communicate()
    return process.returncode, out, err


def test_the_answer_and_two_lines_about_it(tmp_path: Path) -> None:
    code, out, err = run(*BUTTONS, "--format", "csv", TMPDIR=str(tmp_path))
    assert (code, out) == run(*BUTTONS, "--format", "csv", "--engine", "local")[:2]
    assert re.fullmatch(
        r"tocsin: 16 rows read, 16 used, 4 occurrences, \d+\.\d\d s\n"
        r"tocsin: Spark took \d+\.\d s to start; --engine local needs about 2 s for 16 rows\n",
        err,
    )
    assert [path.name for path in tmp_path.iterdir() if "tocsin-" in path.name] == []


def test_without_java_there_is_one_sentence(tmp_path: Path) -> None:
    nothing = {"PATH": str(tmp_path), "JAVA_HOME": ""}
    code, out, err = run(*BUTTONS, **nothing)
    assert (code, out) == (2, "")
    assert err == (
        "tocsin: Spark needs Java, and there is none; install Java 17 or newer, as "
        "openjdk-17-jre-headless, or set JAVA_HOME to where it is, or write --engine local\n"
    )
    assert run(*BUTTONS, "--engine", "local", **nothing)[0] == 0


def test_without_pyspark_there_is_one_sentence() -> None:
    hidden = f"import sys; sys.modules['pyspark'] = None; {MAIN}"
    code, out, err = run(*BUTTONS, code=hidden)
    assert (code, out) == (2, "")
    assert err == (
        "tocsin: PySpark is not installed; pip install tocsin[spark], or write --engine local\n"
    )
    assert run(*BUTTONS, "--engine", "local", code=hidden)[0] == 0


def test_the_local_engine_knows_nothing_of_spark() -> None:
    code = (
        "import sys; from tocsin.cli import main; main(); "
        "print([name for name in sys.modules if name.split('.')[0] in ('pyspark', 'py4j')])"
    )
    assert run(*BUTTONS, "--engine", "local", code=code)[1].endswith("\n[]\n")


def test_interrupted(tmp_path: Path) -> None:
    events, work = tmp_path / "events.csv", tmp_path / "work"
    events.write_text("type,time\n" + "A,1\n" * 20_000)
    work.mkdir()
    slow = "A=sha2(repeat(string(rand()), 2000000), 512) = 'x'"
    process = start(
        *(str(events), "--pattern", "A", "--define", slow, "--output", str(tmp_path / "found.csv")),
        TMPDIR=str(work),
        SPARK_LOCAL_DIRS=str(work / "spark"),
    )
    try:
        while not list(work.glob("spark/blockmgr-*")):
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "", "")
    assert list(work.glob("tocsin-*/*")) == []
    assert not (tmp_path / "found.csv").exists()
