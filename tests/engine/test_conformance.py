"""Every operator, semantics and basis: the engine says what the oracle says, in every way."""

from __future__ import annotations

from random import Random
from unittest.mock import patch

import pytest
from engine import conformance
from engine.cases import TIMELESS, Call, Case, Event, draw_case
from engine.conformance import TABLE, Difference, check
from engine.shrinking import shrunk
from engine.soak import fails, smallest

from tocsin.language.nodes import USABLE, Expression
from tocsin.language.parser import parse
from tocsin.language.settings import POLICIES

SEED = 20261115
EACH = 10
ON_ARRIVAL_EACH = 6
NESTED = 600
"""How many cases; `make soak` asks for many more."""


def check_or_shrink(case: Case, seed: str) -> None:
    try:
        check(case)
    except Difference:
        pytest.fail(f"seed {seed}: {smallest(case)}", pytrace=False)


@pytest.mark.parametrize(
    ("kind", "semantics"), TABLE, ids=[f"{kind.__name__}-{name}" for kind, name in TABLE]
)
def test_operator(kind: type[Expression], semantics: str) -> None:
    for basis in ("interval", "point"):
        for number in range(EACH):
            seed = f"{SEED}-{kind.__name__}-{semantics}-{basis}-{number}"
            case = draw_case(Random(seed), root=kind, semantics=semantics, basis=basis)
            check_or_shrink(case, seed)


@pytest.mark.parametrize("semantics", USABLE)
@pytest.mark.parametrize("policy", POLICIES[1:])
def test_operators_on_arrival(semantics: str, policy: str) -> None:
    for kind in TIMELESS:
        for number in range(ON_ARRIVAL_EACH):
            seed = f"{SEED}-{kind.__name__}-{semantics}-{policy}-{number}"
            depth = 1 + 3 * (number % 2)
            case = draw_case(
                Random(seed), root=kind, semantics=semantics, policy=policy, depth=depth
            )
            check_or_shrink(case, seed)


@pytest.mark.parametrize("part", range(6))
def test_nested_patterns(part: int) -> None:
    for number in range(part, NESTED, 6):
        seed = f"{SEED}-{number}"
        check_or_shrink(draw_case(Random(seed)), seed)


def test_most_cases_find_something() -> None:
    """Else all of this would prove little."""
    answers = [conformance.ask_oracle(draw_case(Random(f"{SEED}-{n}"))) for n in range(300)]
    assert sum(map(bool, answers)) > 150


def test_a_wrong_engine_is_found_out_and_the_case_made_small() -> None:
    """An engine that loses the last of three parts: `(A ; B) ; C` is the smallest that shows it."""
    read = conformance.read

    def forgetful(found: object, plan: object) -> object:
        for key, (start, end, detected, parts) in read(found, plan):  # type: ignore[arg-type]
            yield key, (start, end, detected, parts[:2])

    events = [Event(i % 2, (name,), i, i) for i, name in enumerate("AABBCCABC")]
    case = Case((parse("((A ; B) within 9 ; (C | A)) - nothing"),), tuple(events), (Call(9),))
    check(case)
    with patch.object(conformance, "read", forgetful):
        assert fails(case)
        small = shrunk(case, fails)
        assert len(small.events) == 3
        assert len(list(small.patterns[0].postorder())) == 5
        assert "the oracle, then the engine" in smallest(case)


def test_another_order_is_a_difference() -> None:
    read = conformance.read
    case = Case((parse("A"),), (Event(0, ("A",), 1, 1), Event(0, ("A",), 2, 2)), (Call(2),))
    check(case)
    backwards = patch.object(conformance, "read", lambda *given: reversed(list(read(*given))))
    with backwards, pytest.raises(Difference, match="in another order"):
        check(case)
