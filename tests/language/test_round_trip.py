"""Any pattern: its text reads back, its Python evaluates back, no parenthesis is needless."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Iterator
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import TICKS, UNITS, expressions

import tocsin
from tocsin import DefinitionError, Expression, parse
from tocsin.language.words import FUNCTIONS, RESERVED

NAMES = st.one_of(
    st.sampled_from(["A", "b2", "été", *RESERVED, *FUNCTIONS, "2s", "a b", "`", "a``b", "x\ny"]),
    st.text(min_size=1),
)
EVERYTHING = expressions(names=NAMES, durations=TICKS | UNITS, max_depth=4)
PYTHON = dict(vars(tocsin))


@settings(deadline=None)
@given(EVERYTHING)
def test_text_reads_back(expression: Expression) -> None:
    again = parse(str(expression))
    assert again == expression
    assert hash(again) == hash(expression)
    assert str(again) == str(expression)


@settings(deadline=None)
@given(EVERYTHING)
def test_python_evaluates_back(expression: Expression) -> None:
    assert eval(repr(expression), dict(PYTHON)) == expression


@settings(deadline=None)
@given(expressions(max_depth=2), st.dictionaries(st.sampled_from("ABC"), st.text(min_size=1)))
def test_definitions_come_with_copies(expression: Expression, define: dict[str, str]) -> None:
    defined = parse(str(expression), define)
    assert parse(str(defined), defined.definitions()) == defined
    assert eval(repr(defined), dict(PYTHON)) == defined
    assert pickle.loads(pickle.dumps(defined)) == defined
    assert copy.deepcopy(defined) == defined


@settings(deadline=None)
@given(expressions())
def test_no_parenthesis_of_the_text_is_needless(expression: Expression) -> None:
    for shorter in _without_a_pair(str(expression)):
        with suppress(DefinitionError):
            assert parse(shorter) != expression


@settings(deadline=None)
@given(expressions())
def test_no_parenthesis_of_the_python_is_needless(expression: Expression) -> None:
    for shorter in _without_a_pair(repr(expression)):
        with suppress(SyntaxError, TypeError, AttributeError, DefinitionError):
            assert eval(shorter, dict(PYTHON)) != expression


def _without_a_pair(text: str) -> Iterator[str]:
    """The text without one pair of parentheses, for each pair that is not a function's."""
    open_: list[int] = []
    for place, character in enumerate(text):
        if character == "(":
            open_.append(place)
        elif character == ")":
            start = open_.pop()
            if not re.search(r"[\w*=]$", text[:start]):
                yield text[:start] + text[start + 1 : place] + text[place + 1 :]
