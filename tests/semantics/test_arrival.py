"""Evaluation on arrival (SPEC §8): what must hold of the oracle, whatever the pattern."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from engine.cases import TIMELESS, Case, draw_case, draw_events
from engine.conformance import ask_oracle

from tocsin.errors import DefinitionError
from tocsin.language import nodes
from tocsin.language.nodes import CONTEXTS, USABLE, Primitive
from tocsin.language.parser import parse
from tocsin.language.settings import POLICIES, TIMERS, check
from tocsin.semantics import History, report

SEED = 20261115
PARTIAL, TOTAL = POLICIES[1:]
ASYNCHRONOUS = pytest.mark.parametrize("policy", [PARTIAL, TOTAL])


def draw(kind: type, semantics: str, policy: str, number: int, depth: int = 4) -> Case:
    random = Random(f"{SEED}-{kind.__name__}-{semantics}-{number}")
    return draw_case(random, root=kind, semantics=semantics, policy=policy, depth=depth)


def found(case: Case) -> dict[int, dict[int, list[Any]]]:
    """What was found, as points with their rows, in the order in which it was found."""
    return {
        number: {
            key: [(o[0], o[1], sorted(part[:2] for part in o[3])) for o in own]
            for key, own in keys.items()
        }
        for number, keys in ask_oracle(case).items()
    }


@ASYNCHRONOUS
@pytest.mark.parametrize("semantics", USABLE)
def test_rows_that_arrive_in_order_give_point_semantics(semantics: str, policy: str) -> None:
    some = 0
    for kind in TIMELESS:
        for number in range(20):
            drawn = draw(kind, semantics, policy, number)
            by_time = sorted(drawn.events, key=lambda event: (event.end, event.start))
            case = replace(drawn, events=tuple(by_time))
            here = found(case)
            assert here == found(replace(case, policy="synchronous")), f"seed {SEED}: {case}"
            some += bool(here)
    assert some > 80


@pytest.mark.parametrize("semantics", [name for name in USABLE if name != "recent"])
def test_only_in_recent_the_policies_differ(semantics: str) -> None:
    for kind in TIMELESS:
        for number in range(10):
            case = draw(kind, semantics, TOTAL, number)
            if any(isinstance(n, nodes.Using) for p in case.patterns for n in p.postorder()):
                continue
            assert found(case) == found(replace(case, policy=PARTIAL)), f"seed {SEED}: {case}"


def test_what_total_finds_of_a_sequence_partial_finds_too() -> None:
    fewer = 0
    for number in range(200):
        events = draw_events(Random(f"{SEED}-{number}"), 0, 12, [0])
        total = Case((parse("A ; B"),), events, (), "recent", "point", policy=TOTAL)
        some, more = found(total), found(replace(total, policy=PARTIAL))
        least, most = (answer.get(0, {}).get(0, []) for answer in (some, more))
        assert all(o in most for o in least), f"seed {SEED}-{number}: {events}"
        fewer += len(least) < len(most)
    assert fewer > 20


@ASYNCHRONOUS
@pytest.mark.parametrize("context", CONTEXTS)
def test_an_initiator_that_arrives_after_its_decider_is_never_paired(
    context: str, policy: str
) -> None:
    for pattern in ("A ; C", "not(B; A, C)", "aperiodic(A, C, B)"):
        history = History.of([("C", 5), ("A", 1), ("B", 9)], policy=policy)
        assert report(parse(pattern), history, semantics=context, basis="point") == []


@ASYNCHRONOUS
def test_timers_have_no_meaning_on_arrival(policy: str) -> None:
    a, b = Primitive("A"), Primitive("B")
    timed = {
        nodes.Plus: "plus(A, 3)",
        nodes.Delay: "delay(A, 3)",
        nodes.Periodic: "periodic(A, 3, B)",
        nodes.PeriodicStar: "periodic*(A, 3, B)",
        nodes.Absent: "absent(A, 3)",
        nodes.At: 'at("17:00")',
        nodes.Every: "every(3)",
    }
    assert timed.keys() == set(TIMERS)
    for text in timed.values():
        with pytest.raises(DefinitionError, match="nobody knows then what time it is"):
            check(a >> (b | parse(text)), semantics="recent", basis="point", policy=policy)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"basis": "interval"}, "write basis='point'"),
        ({"semantics": "restricted-2004"}, "which the algebra of 2004 does not have"),
        ({"policy": "asynchronus-total"}, "did you mean 'asynchronous-total'"),
    ],
)
def test_settings_that_do_not_go_together(settings: dict[str, str], says: str) -> None:
    given = {"semantics": "recent", "basis": "point", "policy": TOTAL} | settings
    with pytest.raises(DefinitionError, match=says):
        check(parse("A ; B"), **given)
