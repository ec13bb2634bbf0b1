"""The errors people meet: one root, and every message says what, where, and what to do."""

from __future__ import annotations

import unicodedata
from typing import Any


class TocsinError(Exception):
    """The root of everything Tocsin raises on purpose.

    >>> print(TocsinError("time 'noon' is no time", where="row 3", hint="write a number"))
    row 3: time 'noon' is no time; write a number
    """

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        self.what, self.where, self.hint = what, where, hint
        super().__init__((f"{where}: " if where else "") + what + (f"; {hint}" if hint else ""))

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle by itself would lose the arguments that have names, and then fail.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[TocsinError], args: tuple[Any, ...], state: dict[str, Any]) -> TocsinError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class DefinitionError(TocsinError, ValueError):
    """A pattern or a call that has no meaning, found before any event is looked at."""


class DataError(TocsinError, ValueError):
    """Events that cannot be read as they are; names the row."""


class SparkError(TocsinError, RuntimeError):
    """Apache Spark is not there, or did not start or finish."""


class StorageError(TocsinError):
    """A disk that cannot be written to or read from; names the folder."""


class PatternSyntaxError(DefinitionError):
    """A text that is no pattern: the place, what was found, what was expected, a hint.

    `str(error)` holds the line of the text with a caret below the place.
    """

    def __init__(
        self,
        text: str,
        *,
        line: int,
        column: int,
        found: str,
        expected: str,
        hint: str | None = None,
    ) -> None:
        self.text, self.line, self.column = text, line, column
        self.found, self.expected = found, expected
        where = f"line {line}, column {column}"
        super().__init__(f"found {found}, expected {expected}", where=where, hint=hint)

    def __str__(self) -> str:
        lines = self.text.splitlines() or [""]
        line, place = lines[min(self.line, len(lines)) - 1].replace("\t", " "), self.column - 1
        if len(line) > 100:  # only what stands around the place
            left = max(0, place - 40)
            line = (
                ("… " if left else "")
                + line[left : left + 80]
                + (" …" if line[left + 80 :] else "")
            )
            place -= left - 2 if left else 0
        return f"{super().__str__()}\n  {line}\n  {' ' * _width(line[:place])}^"


class PatternMeaningError(PatternSyntaxError):
    """A text that reads well but says what has no meaning, as `any(4; A, B)`."""

    def __init__(self, text: str, *, line: int, column: int, cause: DefinitionError) -> None:
        self.text, self.line, self.column = text, line, column
        self.found, self.expected = cause.what, cause.hint or ""
        where = f"line {line}, column {column}"
        TocsinError.__init__(self, cause.what, where=where, hint=cause.hint)


def _width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


class TocsinWarning(UserWarning):
    """Something that is allowed but is probably not what was meant."""


def did_you_mean(word: str, known: list[str]) -> str | None:
    """A hint that names the nearest of the known words, if one is near.

    >>> did_you_mean("chronical", ["recent", "chronicle"])
    "did you mean 'chronicle'?"
    """
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=1)
    return f"did you mean {near[0]!r}?" if near else None
