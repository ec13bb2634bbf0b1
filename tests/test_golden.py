"""The worked examples of the papers and of SPEC, on every engine there is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from golden_cases import Case, golden_cases, normal

from tocsin.language.parser import parse
from tocsin.semantics import report
from tocsin.semantics.history import History


def oracle(case: Case) -> list[str]:
    history = History.of(case.events, until=case.until)
    found = report(
        parse(case.pattern),
        history,
        semantics=case.semantics,
        basis=case.basis,
        report=case.report,
    )
    return [str(occurrence) for occurrence in found]


ENGINES: dict[str, Callable[[Case], list[str]]] = {"oracle": oracle}


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("case", list(golden_cases()), ids=lambda case: case.name)
def test_golden_case(case: Case, engine: Callable[[Case], list[str]]) -> None:
    found = [normal(text) for text in engine(case)]

    assert tuple(found) in case.answers, f"{case.source}: {case.pattern}"
