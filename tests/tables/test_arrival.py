"""Detection on arrival, through the front door: in the order of the rows (SPEC §8, §10)."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from engine.cases import arrivals, draw_case
from written import encoded

import tocsin as tc
from tocsin.errors import DefinitionError
from tocsin.tables import ranks

SEED = 20261115
LATE = [("A", 5), ("A", 1), ("B", 3), ("B", 6)]


def detect(pattern: str, events: Any, **options: Any) -> Any:
    given = {"semantics": "recent", "basis": "point", "policy": "asynchronous-partial"}
    return tc.detect(pattern, events, **given | options)


def test_the_policy_decides_who_waits() -> None:
    partial = detect("A ; B", LATE)
    total = detect("A ; B", LATE, policy="asynchronous-total")
    assert [(o.start, o.end, o.detected) for o in partial] == [(3, 3, 3), (6, 6, 6)]
    assert [o.end for o in total] == [6]


def test_the_result_says_so() -> None:
    found = detect("A ; B", LATE)
    assert found[0].policy == "asynchronous-partial"
    assert repr(found).startswith("2 occurrences, asynchronous-partial\n")
    assert found.to_arrow().column("policy").to_pylist() == ["asynchronous-partial"] * 2
    assert json.loads(encoded("jsonl", found).splitlines()[0])["policy"] == "asynchronous-partial"
    header, first, _ = encoded("csv", found).decode().splitlines()
    assert header.endswith(",events,policy")
    assert first.endswith(",asynchronous-partial")
    assert "policy" in detect("A ; B", []).to_arrow().column_names

    synchronous = tc.detect("A ; B", LATE)
    assert synchronous[0].policy == "synchronous"
    assert "policy" not in synchronous.to_arrow().column_names
    assert "policy" not in json.loads(encoded("jsonl", synchronous).splitlines()[0])


def test_measures_stand_after_it_and_events_in_order_of_time() -> None:
    found = detect("A & B", LATE[:1] + LATE[2:3], measures={"first": "events[0].name"})
    assert found.to_arrow().column_names[-2:] == ["policy", "first"]
    assert found[0].first == "B"
    assert [event.row for event in found[0].events] == [1, 0]


def test_occurrences_come_in_the_order_in_which_they_are_found_over_all_keys() -> None:
    rows = [
        {"k": key, "type": name, "time": time}
        for key, name, time in [(1, "A", 1), (2, "A", 1), (2, "B", 9), (1, "B", 5), (2, "B", 3)]
    ]
    found = detect("A ; B", rows, key="k")
    assert [(o.key, o.end) for o in found] == [(2, 9), (1, 5), (2, 3)]


def test_a_column_called_policy() -> None:
    rows = [{"policy": "p", "type": name, "time": time} for name, time in LATE]
    assert len(tc.detect("A ; B", rows, key="policy")) == 2
    assert detect("A ; B", rows, carry=["policy"])[0].events[0].policy == "p"
    with pytest.raises(DefinitionError, match="rename the column"):
        detect("A ; B", rows, key="policy")
    with pytest.raises(DefinitionError, match="give the measure another name"):
        tc.detect("A ; B", rows, measures={"policy": "1"})


def test_what_does_not_go_on_arrival_is_refused_when_defined() -> None:
    with pytest.raises(DefinitionError, match="write basis='point'"):
        detect("A ; B", LATE, basis="interval")
    with pytest.raises(DefinitionError, match="has no meaning with policy"):
        detect("plus(A, 3)", LATE)


def test_arrivals_are_those_of_the_definition() -> None:
    for number in range(50):
        case = draw_case(Random(f"{SEED}-{number}"), policy="asynchronous-total")
        keys = sorted({event.key for event in case.events})
        groups = np.array([keys.index(event.key) for event in case.events], np.int64)
        ends = np.array([event.end for event in case.events], np.int64)
        assert ranks.arrivals(groups, ends).tolist() == arrivals(case.events), f"{SEED}-{number}"


@pytest.mark.filterwarnings("ignore::tocsin.errors.TocsinWarning")
@pytest.mark.parametrize("part", range(4))
def test_both_engines_on_random_tables(part: int) -> None:
    some = 0
    for number in range(part, 120, 4):
        policy = ("asynchronous-partial", "asynchronous-total")[number // 4 % 2]
        case = draw_case(Random(f"{SEED}-{number}"), policy=policy, depth=2)
        rows = [
            {"k": e.key, "start": e.start, "end": e.end, "names": list(e.names), "id": place}
            for place, e in enumerate(case.events)
        ]
        if not rows:
            continue
        patterns = {str(n): pattern for n, pattern in enumerate(case.patterns)}
        names = {p.name for pattern in case.patterns for p in pattern.primitives()}
        options: dict[str, Any] = {
            "key": "k", "start": "start", "end": "end", "carry": ["id"],
            "define": {name: f"array_contains(names, '{name}')" for name in names},
            "semantics": case.semantics, "basis": "point", "report": case.report, "policy": policy,
        }  # fmt: skip
        table = pa.Table.from_pylist(rows)
        local = tc.detect_all(patterns, table, **options)
        assert local == tc.detect_all(patterns, table, engine="oracle", **options), (
            f"seed {SEED}-{number}"
        )
        some += len(local) > 0
    assert some > 5
