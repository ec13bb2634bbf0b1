"""Java's regular expressions, which are Spark's, as RE2's, which are DuckDB's."""

from __future__ import annotations

import re

LINE_ENDS = r"\n\r\x{85}\x{2028}\x{2029}"
"""What ends a line in Java; in RE2 only the first does."""

_END = rf"(?:\r\n|[{LINE_ENDS}])?\z"
_SPACE = r"\s\x0b"
_ALIKE = re.compile(r"\\(?:[dDwWbBtnrfaA]|z|x[0-9a-fA-F]{2}|pL|p\{\w+\}|[^\w\s])")
"""Escapes that mean the same in both."""
_PIECE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|p\{\w+\}|pL|.)|\(\?[^:)]*[:)]?|\[\^?\]?|.", re.DOTALL)


def re2(pattern: str, *, matching: bool) -> str:
    r"""The pattern in RE2's words; a `ValueError` says what there are no words for.

    Where only a match is asked for, `$` takes the end of the last line with it, which does no harm.

    >>> re2("a.c", matching=True)
    'a[^\\n\\r\\x{85}\\x{2028}\\x{2029}]c'
    >>> re2("(?<=a)b", matching=True)
    Traceback (most recent call last):
    ValueError: (?<=a)
    """
    translated, in_class, place = "", False, 0
    while place < len(pattern):
        piece = _PIECE.match(pattern, place)
        if piece is None:
            raise ValueError(pattern[place:])
        text = piece[0]
        if in_class and text[0] != "\\":
            text = text[0]
        place += len(text)
        translated += _in_class(text, pattern, place) if in_class else _outside(text, matching)
        in_class = text != "]" if in_class else text[0] == "["
    if "(?i)" in translated and not pattern.isascii():
        raise ValueError("(?i) with letters beyond ASCII")
    return translated


def _outside(text: str, matching: bool) -> str:
    if text == ".":
        return f"[^{LINE_ENDS}]"
    if text == "$":
        return _END if matching else text
    if text == r"\s":
        return f"[{_SPACE}]"
    if text == r"\S":
        return f"[^{_SPACE}]"
    if text.startswith("(?") and text not in ("(?:", "(?i)"):
        raise ValueError(text)
    return _escape(text)


def _in_class(text: str, pattern: str, place: int) -> str:
    if text == "[" or (text == "&" and pattern[place : place + 1] == "&"):
        raise ValueError("a class within a class")
    return _SPACE if text == r"\s" else _escape(text)


def _escape(text: str) -> str:
    if text[0] == "\\" and not _ALIKE.fullmatch(text):
        raise ValueError(text)
    return text
