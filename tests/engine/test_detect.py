"""`tocsin.detect` by both engines: the same answer to random patterns on random tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from engine.cases import Case, draw_case

from tocsin import detect_all

NUMBER = 300


def table(case: Case, random: Random, timed: bool) -> list[dict[str, Any]]:
    """The events as rows in any order, with a key of text, a tie-break and something carried."""
    rows = []
    for number, event in enumerate(case.events):
        times: dict[str, Any] = {"from": event.start, "to": event.end}
        if timed:
            shortly = datetime(2026, 3, 28, 16, 59, 59, 999_995, tzinfo=UTC)
            times = {name: shortly + timedelta(microseconds=t) for name, t in times.items()}
        for name in event.names:
            rows.append(
                {
                    "who": f"k{event.key}",
                    "type": name,
                    "rank": random.randint(0, 2),
                    "note": f"n{number % 3}",
                    **times,
                }
            )
    random.shuffle(rows)
    return rows


def found(case: Case, rows: list[dict[str, Any]], engine: str) -> list[Any]:
    """Everything that a person can see of the answer."""
    patterns = {f"p{i}": pattern for i, pattern in enumerate(case.patterns)}
    times = {"start": "from", "end": "to"} if case.durative else {"time": "to"}
    answer = detect_all(
        patterns,
        rows,
        key="who",
        order_by="rank",
        carry="note",
        semantics=case.semantics,
        basis=case.basis,
        report=case.report,
        timezone=case.zone,
        engine=engine,
        **times,
    )
    return [
        (
            o.pattern,
            o.key,
            o.start,
            o.end,
            o.detected,
            [(e.name, e.row, e.start, e.end, e.note) for e in o.events],
        )
        for o in answer
    ]


@pytest.mark.filterwarnings("ignore::tocsin.errors.TocsinWarning")  # names that match nothing
@pytest.mark.parametrize("timed", [False, True], ids=["ticks", "timestamps"])
def test_both_engines_give_the_same_answer(timed: bool) -> None:
    some = 0
    for number in range(NUMBER):
        random = Random(f"detect-{timed}-{number}")
        case = draw_case(random, depth=3)
        if not case.events or (case.tick is not None and not timed):
            continue
        if timed and max(abs(event.end) for event in case.events) > 10_000:
            continue
        rows = table(case, random, timed)
        expected = found(case, rows, "oracle")
        assert found(case, rows, "local") == expected, f"{number}: {case}"
        some += bool(expected)
    assert some > 15
