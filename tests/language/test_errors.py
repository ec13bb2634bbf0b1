"""Texts that are no patterns, as data: the place and what the message says (`errors.txt`)."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tocsin import PatternSyntaxError, parse
from tocsin.language.words import FUNCTIONS, RESERVED


def cases() -> list[tuple[str, str, str]]:
    lines = Path(__file__).with_name("errors.txt").read_text("utf-8").splitlines()
    places = [n for n, line in enumerate(lines) if re.fullmatch(r"\d+:\d+", line)]
    return [(_unescaped(lines[n - 1]), lines[n], lines[n + 1]) for n in places]


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t").replace("\\u200b", "\u200b")


@pytest.mark.parametrize(("text", "place", "pieces"), cases())
def test_a_wrong_text_is_explained(text: str, place: str, pieces: str) -> None:
    with pytest.raises(PatternSyntaxError) as caught:
        parse(text)
    error, message = caught.value, str(caught.value)
    assert f"{error.line}:{error.column}" == place
    assert message.startswith(f"line {error.line}, column {error.column}: ")
    for piece in pieces.split(" / "):
        assert piece in message
    shown, caret = message.splitlines()[-2:]
    assert shown[2:] == (text.splitlines() or [""])[error.line - 1].replace("\t", " ")
    if text.isascii():
        assert caret == " " * (error.column + 1) + "^"
    assert not re.search(r"_[A-Z]|\$END|NAME|INT\b|QUOTED", message), "a name of the grammar"


def test_a_long_line_is_shown_around_the_place() -> None:
    with pytest.raises(PatternSyntaxError) as caught:
        parse("A ; " * 100 + "B -> C" + " ; A" * 100)
    message, shown, caret = str(caught.value).splitlines()
    assert "column 403" in message
    assert len(shown) < 100
    assert shown[caret.index("^") :].startswith("-> C")


def test_the_caret_stands_below_wide_letters() -> None:
    with pytest.raises(PatternSyntaxError) as caught:
        parse("温度 ; `e\u0301` C")  # two letters of two columns, an accent of none
    assert caught.value.column == 11
    assert str(caught.value).splitlines()[-1] == "  " + " " * 11 + "^"


def test_an_error_survives_pickling() -> None:
    for text in ("A ->", "any(4; A, B)"):
        with pytest.raises(PatternSyntaxError) as caught:
            parse(text)
        again = pickle.loads(pickle.dumps(caught.value))
        assert (type(again), str(again)) == (type(caught.value), str(caught.value))
        assert (again.line, again.column, again.hint) == (1, caught.value.column, caught.value.hint)


def test_a_number_too_long_to_read_is_refused() -> None:
    for text in ("A#", "A within ", "any("):
        with pytest.raises(PatternSyntaxError, match="5000 digits is too large"):
            parse(text + "9" * 5000 + "; A)" * (text == "any("))
    with pytest.raises(PatternSyntaxError, match="5001 characters is no duration"):
        parse("A within " + "9" * 5000 + "s")


SCRAPS = st.sampled_from(
    [
        *("A", "B", "`a b`", "5", "2s", "1.5", "(", ")", ",", ";", "|", "&", "-", "#", ">>"),
        *("->", "&&", "!", '"x"', "'", "`", "``", "*", "+", ".", "=", "%", "\n", "\t", "AND", "é"),
        *(f"{function}(" for function in FUNCTIONS),
        *(*RESERVED, "not", "seconds", "recent", "chronical", "foo(", "\u200b"),
    ]
)


@settings(deadline=None)
@given(st.lists(SCRAPS, max_size=12), st.sampled_from(["", " "]))
@example(["A", "within", "2", "s"], " ")
def test_scraps_parse_or_are_explained(scraps: list[str], glue: str) -> None:
    _parses_or_explains(glue.join(scraps))


@settings(deadline=None)
@given(st.text())
def test_any_text_parses_or_is_explained(text: str) -> None:
    _parses_or_explains(text)


def _parses_or_explains(text: str) -> None:
    error = _error(text)
    if error is None:
        expression = parse(text)
        assert parse(str(expression)) == expression
        return
    lines = text.splitlines() or [""]
    assert 1 <= error.line <= len(lines)
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1
    assert error.found
    assert str(error)


def _error(text: str) -> PatternSyntaxError | None:
    try:
        parse(text)
    except PatternSyntaxError as error:
        return error
    return None
