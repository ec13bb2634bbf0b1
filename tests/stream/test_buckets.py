"""Buckets give the answer of a table, however the rows are cut, shuffled and spread."""

from __future__ import annotations

from random import Random

import pytest
from spark.questions import RANDOM, golden, golden_question, histories, random_question, written
from stream.buckets import run

pytestmark = pytest.mark.filterwarnings("ignore::tocsin.errors.TocsinWarning")


@pytest.mark.parametrize("number", range(len(RANDOM)), ids=["-".join(s) for s in RANDOM])
def test_random_cases(number: int) -> None:
    question = random_question(RANDOM[number])
    expected = question.ask("local")
    for seed in range(4):
        stream = run(question, Random(seed), buckets=1 + seed)
        assert stream.answer() == expected, f"seed {seed}"


def test_golden_cases() -> None:
    for place, cases in enumerate(golden()):
        stream = run(golden_question(cases), Random(place), buckets=2)
        answer = stream.answer()
        for number, case in enumerate(cases):
            found = written(answer, f"{number}", histories(cases).index(case.events))
            assert tuple(found) in case.answers, f"{case.name}, {case.source}: {case.pattern}"
