"""The table is complete, and a law can be had of any patterns."""

from __future__ import annotations

import re

import pytest

from tocsin.errors import DefinitionError
from tocsin.language.parser import parse
from tocsin.laws.instantiate import instantiate
from tocsin.laws.table import LAWS, Law


def test_38_laws_of_003_and_12_of_000() -> None:
    assert list(LAWS) == [("003", n) for n in range(1, 39)] + [("000", n) for n in range(1, 13)]


def test_theorems_and_asterisks_are_the_papers() -> None:
    last = {"4.6": 10, "4.7": 18, "4.8": 28, "4.9": 38}
    of_003 = [law for law in LAWS.values() if law.paper == "003"]
    for law in of_003:
        assert law.theorem == next(theorem for theorem, n in last.items() if law.number <= n)
    assert [law.number for law in of_003 if law.derived] == [8, 13, 15, 16, 21, 28, 30, 32]
    assert [law.number for law in LAWS.values() if law.condition] == [26]


@pytest.mark.parametrize("law", LAWS.values(), ids=lambda law: f"{law.paper}-{law.number}")
def test_both_sides_are_patterns_and_printed_without_placeholders(law: Law) -> None:
    for side in (law.left, law.right):
        text = side.format(t=3, u=4, min=3)
        assert parse(str(parse(text))) == parse(text)
    assert not re.search(r"[{}]", str(law))


def test_instantiate_takes_the_shorter_duration_for_min() -> None:
    left, right = instantiate(LAWS["003", 27], {"A": parse("X ; Y")}, {"t": "5s", "u": "1min"})
    assert left == parse("((X ; Y) within 5s) within 1min")
    assert right == parse("(X ; Y) within 5s")


def test_instantiate_does_not_mistake_an_operand_for_a_letter() -> None:
    left, right = instantiate(LAWS["003", 2], {"A": parse("B"), "B": parse("A")})
    assert (left, right) == (parse("B | A"), parse("A | B"))


def test_a_law_is_refused_where_its_condition_does_not_hold() -> None:
    with pytest.raises(DefinitionError, match="law 26 holds only where A is an instantaneous"):
        instantiate(LAWS["003", 26], {"A": parse("X ; Y")}, {"t": 5})


def test_ticks_and_units_have_no_minimum() -> None:
    with pytest.raises(DefinitionError, match="neither is the shorter"):
        instantiate(LAWS["003", 27], {"A": parse("X")}, {"t": 5, "u": "1min"})
