"""`tocsin detect --stream` as people run it: files are dropped in while it runs, Ctrl-C ends it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from queue import Queue
from threading import Thread

MAIN = "import sys; from tocsin.cli import main; sys.exit(main())"
PATIENCE = 300
"""Seconds that a busy machine may take."""


def put(folder: Path, name: str, text: str) -> None:
    """Let a file come, whole."""
    part = folder / f".{name}"
    part.write_text(text)
    part.rename(folder / name)


def test_a_growing_folder(tmp_path: Path) -> None:
    events, work = tmp_path / "the events [1] 100%", tmp_path / "work"
    events.mkdir()
    work.mkdir()
    put(events, "first ä.csv", "type,time,user\nA,1,ann\n")
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", MAIN, "detect", "--stream", str(events), "--pattern", "A ; B"),
            *("--key", "user", "--watermark", "0", "--format", "csv"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(work)},
    )
    assert process.stdout
    assert process.stderr
    lines: Queue[str] = Queue()
    reader = Thread(target=lambda: [lines.put(line) for line in process.stdout], daemon=True)
    reader.start()
    try:
        assert lines.get(timeout=PATIENCE) == "user,pattern,start,end,detected,events\n"
        put(events, "second.csv", "type,time,user\nB,2,ann\nA,3,bob\n")
        assert lines.get(timeout=PATIENCE).startswith("ann,A ; B,1,2,2,")
        put(events, "third.csv", "type,time,user\nB,4,bob\nA,5,cleo\n")
        assert lines.get(timeout=PATIENCE).startswith("bob,A ; B,3,4,4,")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        reader.join(PATIENCE)
        said = process.stderr.read().splitlines()
    finally:
        process.kill()
        process.communicate()  # closes the pipes
    assert lines.empty()
    assert said[0] == "tocsin: without --checkpoint the next start begins anew"
    end = r"tocsin: 5 rows read, 5 used, (1 that wait for later ones, )?2 occurrences, \d+\.\d\d s"
    assert re.fullmatch(end, said[-1])
    decided = r"(nothing decided yet|decided up to \d)"
    way = rf"tocsin: [1-5] rows, \d+(\.\d)? rows/s, lag \d+\.\d s, {decided}, [0-2] occurrences?"
    assert all(re.fullmatch(way, line) for line in said[1:-1])
    assert list(work.glob("tocsin-*")) == []
