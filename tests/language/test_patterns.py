"""Texts as data: what each prints to, and the Python that builds it (`patterns.txt`)."""

from __future__ import annotations

from pathlib import Path

import pytest

import tocsin
from tocsin import DefinitionError, event, parse


def cases() -> list[tuple[str, str, str]]:
    lines = Path(__file__).with_name("patterns.txt").read_text("utf-8").splitlines()
    written = [line for line in lines if line and not line.startswith("# ")]
    assert len(written) % 3 == 0
    return list(zip(written[::3], written[1::3], written[2::3], strict=True))


@pytest.mark.parametrize(("text", "canonical", "python"), cases())
def test_text_and_python_say_the_same(text: str, canonical: str, python: str) -> None:
    expression = parse(text)
    assert str(expression) == canonical
    assert repr(expression) == python
    assert parse(canonical) == expression
    assert eval(python, dict(vars(tocsin))) == expression


def test_every_node_has_a_case() -> None:
    nodes = {type(node) for text, _, _ in cases() for node in parse(text).postorder()}
    assert nodes == set(tocsin.Expression.__subclasses__())


def test_lines_and_tabs_are_white_space() -> None:
    assert parse("\n A\t;\r\n  B\u00a0\n") == event("A") >> event("B")


def test_definitions_are_attached_by_name() -> None:
    expression = parse("(A ; B ; A) within 5", {"A": "x > 1", "C": "unused"})
    a, b = event("A", "x > 1"), event("B")
    assert expression == (a >> b >> a).within(5)
    assert expression.definitions() == {"A": "x > 1"}
    assert repr(parse("`log in`", {"log in": "type = 'x'"})) == "event('log in', \"type = 'x'\")"


@pytest.mark.parametrize("text", [None, 5, b"A ; B", event("A")])
def test_only_text_is_parsed(text: object) -> None:
    with pytest.raises(DefinitionError, match="a pattern's text is"):
        parse(text)  # type: ignore[arg-type]


def test_definitions_are_a_mapping_of_texts() -> None:
    with pytest.raises(DefinitionError, match="define is"):
        parse("A", [("A", "x > 1")])  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match="predicate of 'A'"):
        parse("A", {"A": 5})  # type: ignore[dict-item]
