"""Where a text stops being a pattern, in words: what stands there, and what could."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lark import Token

_EXPECTED = (
    ("_LPAR", "an event name or `(`"),
    ("_OR", "an operator"),
    ("DURATION", "a duration"),
    ("STRING", "a time in quotes"),
    ("_COMMA", "`,`"),
    ("_RPAR", "`)`"),
    ("$END", "the end of the text"),
)
"""What a kind of token is in words, told by the one kind that every such place accepts."""


@dataclass(frozen=True)
class Mistake:
    """The first place where a text stops being the beginning of a pattern."""

    text: str
    place: int
    wrong: Token | None
    """The token that cannot stand there; None at the end of the text, or where none begins."""
    before: Sequence[Token]
    accepts: frozenset[str]
    """The kinds of token that could."""

    @property
    def kind(self) -> str:
        """The kind of the wrong token; `$END` at the end, empty where no token begins."""
        if self.wrong is not None:
            return self.wrong.type
        return "" if self.rest.strip() else "$END"

    @property
    def rest(self) -> str:
        """The text from the place on."""
        return self.text[self.place :]

    @property
    def found(self) -> str:
        """What stands at the place; a word or a character where it is no token."""
        if self.wrong is not None:
            return str(self.wrong)
        word = re.match(r"\w+|.", self.rest.strip(), re.DOTALL)
        return word[0] if word else ""

    @property
    def wants_operand(self) -> bool:
        """A pattern should begin at the place."""
        return "_LPAR" in self.accepts

    @property
    def wants_operator(self) -> bool:
        """A pattern has ended just before the place."""
        return "_OR" in self.accepts

    @property
    def wants_duration(self) -> bool:
        """A duration should stand at the place."""
        return "DURATION" in self.accepts

    @property
    def openers(self) -> list[Token]:
        """The parentheses that are open at the place, with their functions' words."""
        found: list[Token] = []
        for token in self.before:
            if token.endswith("("):
                found.append(token)
            elif token.type == "_RPAR":
                found.pop()
        return found

    @property
    def function(self) -> str:
        """The function in whose parentheses the place is; empty if it is in none."""
        openers = self.openers
        return openers[-1].rstrip("(").rstrip() if openers else ""

    def last(self, number: int = 1) -> str:
        """The kind of the token before the place, or before that; empty if there is none."""
        return self.before[-number].type if len(self.before) >= number else ""

    def expected(self) -> str:
        """What could stand at the place, in words."""
        words = [word for kind, word in _EXPECTED if kind in self.accepts]
        if "INT" in self.accepts and not self.wants_duration:
            words.append("a whole number")
        if "NAME" in self.accepts and not self.wants_operand:
            words.append("the name of a semantics")
        if "_SEMICOLON" in self.accepts and "_THEN" not in self.accepts:
            words.append("`;`")  # where it is no operator: in not(B; A, C) and any(2; A, B)
        return ", ".join(words[:-1]) + (" or " if words[:-1] else "") + words[-1]


def shown(piece: str) -> str:
    r"""A piece of the text as a message shows it.

    >>> print(shown("->"), shown("`a b`"), shown("not  ("), shown("\u200b"), shown(""), sep=", ")
    `->`, `a b`, `not (`, the character U+200B, the end of the text
    """
    if not piece:
        return "the end of the text"
    if piece == "`":
        return "a backtick"
    if len(piece) == 1 and not piece.isprintable():
        return f"the character U+{ord(piece):04X}"
    short = " ".join(piece.split())
    if len(short) > 40:
        short = short[:39] + "…"
    return short if short.startswith("`") else f"`{short}`"


def position(text: str, place: int) -> tuple[int, int]:
    r"""The line and the column of a place in a text, both counted from 1.

    >>> position("A ;\r\n\tB", 6)
    (2, 2)
    """
    lines = (text[:place] + "^").splitlines()
    return len(lines), len(lines[-1])
