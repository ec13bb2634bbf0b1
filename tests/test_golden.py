"""The worked examples of the papers and of SPEC, on every engine there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from engine import cases
from engine.conformance import ask_engine
from golden_cases import Case, golden_cases, normal

from tocsin.language.parser import parse
from tocsin.semantics import report
from tocsin.semantics.history import History


def oracle(case: Case) -> list[str]:
    history = History.of(case.events, until=case.until, policy=case.policy)
    found = report(
        parse(case.pattern),
        history,
        semantics=case.semantics,
        basis=case.basis,
        report=case.report,
    )
    if case.on_arrival:  # where `detected` is no time, but the number of an arrival
        found = [replace(o, detected=o.end) for o in found]
    return [str(occurrence) for occurrence in found]


def local(case: Case) -> list[str]:
    """The engine in one call."""
    return asked(case, step_by_step=False)


def cut(case: Case) -> list[str]:
    """The engine, an instant at a time, saved and loaded in between."""
    return asked(case, step_by_step=True)


def asked(case: Case, *, step_by_step: bool) -> list[str]:
    events = [cases.Event(0, (name,), times[0], times[-1]) for name, *times in case.events]
    whole = cases.Case(
        (parse(case.pattern),),
        tuple(events),
        calls=(),
        semantics=case.semantics,
        basis=case.basis,
        report=case.report,
        until=case.until,
        policy=case.policy,
    )
    cuts = sorted(set(whole.known)) if step_by_step else []
    calls = [cases.Call(upto, "save") for upto in [*cuts, whole.last]]
    found = ask_engine(whole, calls).get(0, {}).get(0, [])
    if case.on_arrival:
        found = [(start, end, end, parts) for start, end, _, parts in found]
    return [shown(*occurrence) for occurrence in found]


def shown(start: int, end: int, detected: int, parts: tuple[tuple[str, int, int, int], ...]) -> str:
    late = f"!{detected}" if detected != end else ""
    return " ".join([f"[{start}, {end}]{late}", *(f"{name}@{last}" for name, _, _, last in parts)])


ENGINES: dict[str, Callable[[Case], list[str]]] = {"oracle": oracle, "local": local, "cut": cut}


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("case", list(golden_cases()), ids=lambda case: case.name)
def test_golden_case(case: Case, engine: Callable[[Case], list[str]]) -> None:
    found = [normal(text) for text in engine(case)]

    assert tuple(found) in case.answers, f"{case.source}: {case.pattern}"
