"""One answer on the oracle, on the local engine and in Spark, however the rows are spread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from spark.answers import WAYS, Answer, ask_together, spread
from spark.questions import RANDOM, golden, golden_question, histories, random_question, written

WAY = pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way[0]}-partitions", indirect=True)


@pytest.fixture(scope="module")
def way(request: Any, spark: Any) -> Iterator[tuple[int, int]]:
    with spread(spark, *request.param):
        yield request.param


@WAY
def test_golden_cases(way: tuple[int, int], spark: Any) -> None:
    several = golden()
    if way[0] > 2:  # where there is one history, there is nothing more to spread
        several = [cases for cases in several if len(histories(cases)) > 1]
    answers = ask_together(spark, list(map(golden_question, several)))
    for place, cases in enumerate(several):
        for number, case in enumerate(cases):
            found = written(answers[place], f"{number}", histories(cases).index(case.events))
            assert tuple(found) in case.answers, f"{case.name}, {case.source}: {case.pattern}"


@pytest.fixture(scope="module")
def oracle() -> list[Answer]:
    return [random_question(settings).ask("oracle") for settings in RANDOM]


@pytest.mark.parametrize("number", range(len(RANDOM)), ids=["-".join(s) for s in RANDOM])
def test_random_cases_on_the_local_engine(number: int, oracle: list[Answer]) -> None:
    assert random_question(RANDOM[number]).ask("local") == oracle[number]


@WAY
def test_random_cases(way: tuple[int, int], spark: Any, oracle: list[Answer]) -> None:
    answers = ask_together(spark, list(map(random_question, RANDOM)))
    for number, settings in enumerate(RANDOM):
        assert answers[number] == oracle[number], settings
