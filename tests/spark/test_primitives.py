"""Rows are told which events they are, however many there are to tell (SPEC §1)."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest

import tocsin as tc
from tocsin.language.nodes import Expression


def named(count: int) -> list[Any]:
    return [tc.event(f"é{n}") for n in range(count)]


def defined(count: int) -> list[Any]:
    return [tc.event(f"e{n}", f"type = 'é{n}' and time >= 0") for n in range(count)]


def both(count: int) -> list[Any]:
    return [*named(count)[::2], *defined(count)[1::2]]


@pytest.mark.parametrize("make", [named, defined, both])
@pytest.mark.parametrize("count", [3, 7, 70])
def test_each_row_is_what_it_is(spark: Any, make: Any, count: int) -> None:
    rows = [(time, None if time % 5 == 0 else f"é{time % (count + 2)}") for time in range(300)]
    frame = spark.createDataFrame(rows, "time long, type string")
    events = make(count)
    names = {f"é{event.name[1:]}": event.name for event in events}
    pattern: Expression = reduce(lambda a, b: a | b, events)
    found = tc.detect(pattern, frame).selectExpr("start", "events[0].name").collect()
    assert sorted(map(tuple, found)) == [(t, names[kind]) for t, kind in rows if kind in names]


def test_many_conditions_are_asked_once_and_in_small_methods(spark: Any) -> None:
    """Each stands twice before the shuffle (see `_apart`), not in a filter as well."""
    frame = spark.createDataFrame([(1, "é1")], "time long, type string")
    pattern: Expression = reduce(lambda a, b: a | b, defined(20))
    plan = tc.detect(pattern, frame)._jdf.queryExecution().optimizedPlan().toString()
    assert plan.count("= é19") == 2
