"""A pattern may be as deep as memory allows: nothing recurses, not even when it is thrown away."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

from tocsin import PatternSyntaxError, event, parse

N = 10_000
OPERATORS = (" ; ", " | ", " & ", " - ", " within 2s - ", "#3 ; ")

TEXTS = {
    "nested to the left": " ; ".join(["A"] * (N + 1)),
    "nested to the right": "(A ; " * N + "B" + ")" * N,
    "mixed, to the right": "".join("(A" + OPERATORS[i % 6] for i in range(N)) + "B" + ")" * N,
    "mixed, to the left": "(" * N + "A" + "".join(OPERATORS[i % 6] + "B)" for i in range(N)),
    "postfix": "A" + " within 5s" * N,
    "functions": "not(B; A, " * N + "C" + ")" * N,
    "many operands": "any(2; " + ", ".join(["A"] * N) + ")",
}


@pytest.fixture(autouse=True)
def _default_recursion_limit() -> None:
    assert sys.getrecursionlimit() <= 1000


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_ten_thousand_operators(text: str) -> None:
    expression = parse(text)
    again = pickle.loads(pickle.dumps(expression))
    assert again == expression
    assert hash(again) == hash(expression)
    assert copy.copy(expression) == expression
    assert repr(expression).count("event(") == sum(
        1 for n in expression.postorder() if not n.children
    )
    assert parse(str(expression), {"A": "x > 1"}) != expression
    assert expression.primitives()[-1].name in "ABC"
    del expression, again


def test_ten_thousand_parentheses() -> None:
    assert parse("(" * N + "A" + ")" * N) == event("A")
    with pytest.raises(PatternSyntaxError, match=f"column {N} is not closed"):
        parse("(" * N + "A")


def test_a_mistake_at_the_bottom() -> None:
    with pytest.raises(PatternSyntaxError, match=f"column {4 * N + 3}: found `->`"):
        parse("(A ;" * N + "B -> C" + ")" * N)


def test_a_deep_pattern_is_thrown_away_quietly() -> None:
    program = """
from tocsin import event
e = event("A")
for _ in range(100_000):
    e = event("B") - e
f = event("A")
for _ in range(100_000):
    f = f >> event("B")
del e, f
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
