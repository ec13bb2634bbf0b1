"""The session that Tocsin starts itself: quiet, set up for detection, and gone afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tocsin.spark import session

PROGRAM = """
import sys, threading
import tocsin as tc
from tocsin.spark import session
from tocsin.spark.session import local_session

def talk(batches):
    import os, sys
    print("a worker speaks", file=sys.stderr)
    assert sys.executable == "{python}"
    assert "numba" in sys.modules, "a worker that was not prepared"
    assert os.environ["MALLOC_MMAP_MAX_"] == "0"
    assert sys.modules["__main__"].__spec__.name == "tocsin.spark.daemon", "no copy of ours"
    yield from batches

with local_session(cores=1, memory="512m", settings={{"spark.sql.ansi.enabled": "false"}}) as own:
    aside = [thread for thread in threading.enumerate() if thread.name.startswith("tocsin ")]
    assert len(aside) == 2
    for thread in aside:
        thread.join()
    print(own.range(3).mapInArrow(talk, "id bigint").count())
    tc.detect("A ; B", own.sql("select 'A' as type, 1 as time"))
    assert "numba" not in sys.modules, "whoever only defines something waits for the kernels"
    beans = own._jvm.java.lang.management.ManagementFactory.getGarbageCollectorMXBeans()
    assert all(bean.getName().startswith("PS ") for bean in beans), "another collector"
    told = own._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments()
    assert "-XX:Tier4BackEdgeThreshold=400000" in list(told), "the JVM compiles what runs once"
    assert set(session._pages()) <= set(told), "the JVM knows nothing of large pages"
    daemons = own._jvm.java.lang.ProcessHandle.current().children().count()
    assert daemons == 1, "workers that were prepared are not those that work"
    print(own.conf.get("spark.sql.codegen.hugeMethodLimit"), own.conf.get("spark.sql.ansi.enabled"))
"""


def test_nothing_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM.format(python=sys.executable)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "3\n8000 false\n"
    assert list(tmp_path.iterdir()) == []


def test_a_session_that_is_there_is_shared_and_left_alone(spark: Any) -> None:
    before = spark.conf.get("spark.sql.session.timeZone")
    with session.local_session(timezone="Asia/Tokyo", partitions=3) as own:
        assert own.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
        assert own.conf.get("spark.sql.shuffle.partitions") == "3"
        assert spark.conf.get("spark.sql.session.timeZone") == before
    assert spark.range(2).count() == 2


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("always [madvise] never\n", [session.LARGE_PAGES]),
        ("[always] madvise never\n", [session.LARGE_PAGES]),
        ("always madvise [never]\n", []),
        (None, []),
    ],
)
def test_large_pages_are_asked_for_where_there_are_some(
    said: str | None, told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "PAGES", tmp_path / "enabled")
    if said is not None:
        session.PAGES.write_text(said)
    assert session._pages() == told
