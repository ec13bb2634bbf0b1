"""What commands share: reading a pattern and the definitions of its events."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tocsin.errors import DataError, DefinitionError
from tocsin.language.nodes import Expression
from tocsin.language.parser import parse


def read_pattern(text: str, define: Mapping[str, str]) -> Expression:
    """The pattern of an argument: the text itself, or that of the file after `@`."""
    if text.startswith("@"):
        path = Path(text[1:])
        try:
            text = path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise DataError(
                "the pattern is not UTF-8 text", where=str(path), hint="save it as UTF-8"
            ) from error
    return parse(text, define)


def pairs(given: list[str] | None, option: str) -> dict[str, str]:
    """`NAME=SQL` pairs as a mapping.

    >>> pairs(["hot=celsius > 35", "ok=code = 200"], "--define")
    {'hot': 'celsius > 35', 'ok': 'code = 200'}
    """
    found: dict[str, str] = {}
    for pair in given or []:
        name, equals, sql = (piece.strip() for piece in pair.partition("="))
        if not (name and equals and sql):
            raise DefinitionError(
                f"{option} {pair!r} is not NAME=SQL", hint=f'write {option} "hot=celsius > 35"'
            )
        if name in found:
            raise DefinitionError(f"{option} gives {name!r} twice", hint="keep one of the two")
        found[name] = sql
    return found
