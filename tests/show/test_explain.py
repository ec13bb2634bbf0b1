"""Patterns in words."""

from __future__ import annotations

from io import StringIO

import pytest
from hypothesis import given
from rich.console import Console
from strategies import UNITS, expressions

from tocsin.language.parser import parse
from tocsin.show.explain import MAX_LINES, as_json, outline, show, start_and_end
from tocsin.show.words import word

# Every operator of the language, and the sentence it gets.
SENTENCES = {
    "A | B": "A or B",
    "A & B": "A and B, in any order",
    "A ; B": "A, then B, each after the end of the one before",
    "A - B": "A, with no B during it",
    "A within 2s": "A, lasting at most 2s from start to end",
    "not(B; A, C)": "A, then C, with no B between the two",
    "any(2; A, B, C)": "any 2 of A, B, C, in any order",
    "aperiodic(A, B, C)": "every B after A, until C occurs",
    "aperiodic*(A, B, C)": "all B between A and C together, once, detected with C",
    "periodic(A, 10s, C)": "the instants every 10s after A, until C occurs",
    "periodic*(A, 10s, C)": "all instants every 10s after A and before C together, "
    "once, detected with C",
    "plus(A, 10s)": "the instant 10s after A",
    "delay(A, 10s)": "A, extended by 10s",
    "A#4": "every 4th A, from the first of each 4 to the last",
    "absent(A, 30min)": "no A for 30min: once per silence, "
    "30min after the last one or after observation began",
    "both(A, B)": "A and B of the same events: what both name is the same rows in both",
    "either(A, B)": "A or B, once where both are made of the same events",
    'at("17:00")': "every day at 17:00",
    'at("2026-11-15 17:00")': "once, at 2026-11-15 17:00",
    "every(1h)": "again and again, every 1h, counted from the epoch",
    "nothing": "never occurs",
    "A using chronicle": "A, where the oldest initiator counts, and is used up",
    "A": "rows whose type is 'A'",
}


@pytest.mark.parametrize("text", SENTENCES)
def test_every_operator_has_its_sentence(text: str) -> None:
    assert as_json(parse(text))["steps"][0]["says"] == SENTENCES[text]


def shown(text: str, width: int = 80) -> str:
    out = StringIO()
    show(parse(text), Console(file=out, width=width, highlight=False))
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def test_the_tree() -> None:
    assert shown("(B ; B) within 2s - (P | T)").splitlines() == [
        "Pattern",
        "  (B ; B) within 2s - (P | T)",
        "",
        "What it says",
        "  1 without     ((B ; B) within 2s), with no (P | T) during it",
        "  ├─ 2 within   (B ; B), lasting at most 2s from start to end",
        "  │  └─ 3 then  B, then B, each after the end of the one before",
        "  └─ 4 or       P or T",
        "",
        "Events",
        "  B  rows whose type is 'B'",
        "  P  rows whose type is 'P'",
        "  T  rows whose type is 'T'",
        "",
        "Start and end",
        "  An occurrence starts with B.",
        "  It ends with B, and is detected then.",
    ]


def test_long_operands_are_called_by_their_number() -> None:
    steps = as_json(parse("(alpha ; beta ; gamma ; delta ; epsilon ; zeta) - (eta | theta)"))[
        "steps"
    ]
    assert steps[0]["says"] == "[2], with no (eta | theta) during it"
    assert steps[0]["operands"] == [2, 3]


def test_late_detection_is_said() -> None:
    assert list(start_and_end(parse("aperiodic*(A, B, C)"))) == [
        "An occurrence starts with B.",
        "It ends with B.",
        "It is detected with C, at its end or later.",
    ]


def test_timers_and_clocks_are_called_so() -> None:
    assert list(start_and_end(parse('at("17:00") ; plus(A, 3s)'))) == [
        'An occurrence starts with the clock at("17:00").',
        "It ends with the timer plus(A, 3s), and is detected then.",
    ]


def test_what_never_occurs() -> None:
    assert list(start_and_end(parse("A ; nothing"))) == [
        "It never occurs: it waits for something that never happens."
    ]


@pytest.mark.parametrize(
    "text",
    [
        " ; ".join(f"E{i}" for i in range(10_000)),
        "A" + " - B ; C" * 5_000,
        "(" * 5_000 + "A" + " - B) within 3" * 5_000,
    ],
    ids=["chain", "comb", "deep"],
)
def test_ten_thousand_operators_fit_a_screen(text: str) -> None:
    lines = shown(text).splitlines()
    assert len(lines) < 3 * MAX_LINES
    assert all(len(line) <= 80 for line in lines)
    assert len(as_json(parse(text))["steps"]) >= 1


@given(expressions(durations=UNITS))
def test_every_pattern_can_be_explained(pattern) -> None:
    steps = outline(pattern)
    assert steps[0].node is pattern
    numbers = [operand for step in steps for operand in step.operands if isinstance(operand, int)]
    assert sorted(numbers) == list(range(2, len(steps) + 1))  # every step but the top is used once
    data = as_json(pattern)
    assert [step["operator"] for step in data["steps"]] == [word(step.node) for step in steps]
    assert all(step["says"] for step in data["steps"])
