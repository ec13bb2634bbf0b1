"""The words of the language: grammar and `words` agree, and a light import."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tocsin import PatternSyntaxError, event, parse
from tocsin.language.durations import MICROSECONDS
from tocsin.language.words import FUNCTIONS, RESERVED, quote, unquote


@pytest.mark.parametrize("word", [word for word in RESERVED if word != "nothing"])
def test_a_reserved_word_is_no_name(word: str) -> None:
    with pytest.raises(PatternSyntaxError, match="line 1, column 1"):
        parse(word)
    assert parse(f"`{word}`") == event(word)
    assert parse(f"{word}s ; x_{word}") == event(f"{word}s") >> event(f"x_{word}")


@pytest.mark.parametrize("word", [word for word in FUNCTIONS if word.isalpha()])
def test_a_function_is_a_name_without_its_parenthesis(word: str) -> None:
    assert parse(word) == event(word)
    assert parse(f"{word} ; {word}#2") == parse(f"`{word}` ; `{word}`#2")


@pytest.mark.parametrize("signature", FUNCTIONS.values())
def test_what_hints_suggest_parses(signature: str) -> None:
    assert str(parse(signature)) == signature


@pytest.mark.parametrize("unit", MICROSECONDS)
def test_units(unit: str) -> None:
    expected = event("A").within(f"3{unit}")
    assert parse(f"A within 3{unit}") == parse(f"A within 3 {unit}") == expected


@pytest.mark.parametrize("name", ["A", "été", "or", "2s", "a b", "`", "``", "a`b", "x\ny", " "])
def test_names_are_quoted_and_read(name: str) -> None:
    assert unquote(quote(name)) == name
    assert parse(quote(name)) == event(name)


def test_importing_does_not_load_the_parser_generator() -> None:
    program = "import tocsin, sys; sys.exit('lark' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
