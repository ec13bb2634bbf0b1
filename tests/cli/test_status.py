"""How far a stream has come, in a line."""

from __future__ import annotations

import io
from typing import Any

from pyspark.sql import Row

from tocsin.cli import status
from tocsin.cli.status import StatusLine
from tocsin.spark import tally
from tocsin.spark.tally import Tally


def progress(batch: int, rows: int, **further: Any) -> dict[str, Any]:
    """What Spark says of a micro-batch that took two seconds, at the beginning of time."""
    metrics = {"late": further.get("late", 0), "waiting": further.get("waiting")}
    return {
        "batchId": batch,
        "timestamp": "1970-01-01T00:01:40.000Z",
        "durationMs": {"triggerExecution": 2000},
        "eventTime": {"watermark": further.get("watermark", "1970-01-01T00:00:00.000Z")},
        "observedMetrics": {
            "read": Row(rows=rows, used=rows - 1, null_keys=1, null_times=0),
            "files": Row(files=1, oldest=99_500),
            "tocsin": Row(**metrics),
        },
    }


def test_a_tally_adds_up() -> None:
    told = Tally(began=0)
    assert str(told) == "0 rows, nothing decided yet, 0 occurrences"
    told.add(None)
    told.add(progress(0, 3000, waiting=5))
    told.add(progress(0, 3000, waiting=5))
    assert str(told) == "3,000 rows, 1,500 rows/s, lag 2.5 s, nothing decided yet, 0 occurrences"
    told.add(progress(1, 10, late=2, waiting=0, watermark="1970-01-01T00:00:01.500Z"))
    told.found = 1
    assert str(told) == (
        "3,010 rows, 5.0 rows/s, lag 2.5 s, decided up to 1500, 1 occurrence, 2 late"
    )
    assert (told.counts.used, told.counts.null_keys, told.late, told.waiting) == (3008, 2, 2, 0)
    told.add({**progress(2, 0), "observedMetrics": {}})
    assert (told.counts.rows, told.waiting) == (3010, 0)


def test_files_that_were_there_before_have_no_lag() -> None:
    told = Tally(began=101)
    told.add(progress(0, 1))
    assert "lag 1.0 s" in str(told)


def test_what_is_forgotten_still_counts(monkeypatch: Any) -> None:
    monkeypatch.setattr(tally, "KEPT", 3)
    told = Tally(began=0)
    for batch in range(10):
        told.add(progress(batch, 5, late=1))
    for batch in range(10):  # as Spark tells at the end
        told.add(progress(batch, 5, late=1))
    assert (told.counts.rows, told.late) == (50, 10)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_one_line(monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    screen = Terminal()
    line = StatusLine(screen)
    line.wait("hundred rows, and more")
    line.show("hundred rows, and more")
    line.clear()
    line.clear()
    assert screen.getvalue() == "\r\x1b[2Khundred row\r\x1b[2K"


def test_elsewhere_there_is_a_line_now_and_then(monkeypatch: Any) -> None:
    times = [0.0]
    monkeypatch.setattr(status, "monotonic", lambda: times[-1])
    file = io.StringIO()
    line = StatusLine(file)
    line.wait("starting")
    for time, text in ((1.0, "a"), (10.5, "b"), (12.0, "c"), (21.0, "d"), (40.0, "d")):
        times.append(time)
        line.show(text)
        line.clear()
    assert file.getvalue() == "tocsin: b\ntocsin: d\n"
