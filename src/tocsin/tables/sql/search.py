"""Spark's functions with regular expressions, which Java reads, in DuckDB's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from tocsin.tables.sql.regex import LINE_ENDS, re2
from tocsin.tables.sql.typed import Arguments, Function, is_text, text

if TYPE_CHECKING:
    from tocsin.tables.sql.translate import Translator


def _rlike(t: Translator, arguments: Arguments) -> str:
    if len(arguments) != 2:
        raise t.error("rlike takes a text and a regular expression")
    return f"regexp_matches({t.sql(arguments[0])}, {_regex(t, arguments[1], matching=True)})"


def _regexp_extract(t: Translator, arguments: Arguments) -> str:
    if len(arguments) not in (2, 3):
        raise t.error("regexp_extract takes a text, a regular expression and a number")
    group = t.sql(arguments[2]) if len(arguments) == 3 else "1"
    value, regex = t.sql(arguments[0]), _regex(t, arguments[1])
    return _guarded(value, regex, f"regexp_extract({value}, {regex}, {group})")


def _regexp_replace(t: Translator, arguments: Arguments) -> str:
    if len(arguments) != 3 or not is_text(arguments[2]):
        raise t.error("regexp_replace takes a text, a regular expression and a text to put there")
    written = arguments[2].this
    if "\\" in written or re.search(r"\$(?!\d)", written):
        raise t.error(f"what to put there, {written!r}, is not known", "write $1 for a group")
    value, regex = t.sql(arguments[0]), _regex(t, arguments[1])
    put = text(re.sub(r"\$(\d)", r"\\\1", written))
    return _guarded(value, regex, f"regexp_replace({value}, {regex}, {put}, 'g')")


def _split(t: Translator, arguments: Arguments) -> str:
    if len(arguments) != 2:
        raise t.error("split takes a text and a regular expression")
    value, regex = t.sql(arguments[0]), _regex(t, arguments[1])
    pieces = f"CASE WHEN {value} = '' THEN [''] ELSE string_split_regex({value}, {regex}) END"
    return _guarded(value, regex, pieces)


def _guarded(value: str, regex: str, found: str) -> str:
    """What is found, but where the place of `$` in a text is another than in Java."""
    if "$" not in regex:
        return found
    message = "error('the text ends with the end of a line, where $ is not known away from Spark')"
    return f"CASE WHEN regexp_matches({value}, '[{LINE_ENDS}]\\z') THEN {message} ELSE {found} END"


def _regex(t: Translator, node: exp.Expression, *, matching: bool = False) -> str:
    if not is_text(node) and not isinstance(node, exp.RawString):
        raise t.error("a regular expression is calculated", "write it as text")
    try:
        return text(re2(node.this, matching=matching))
    except ValueError as error:
        raise t.error(
            f"the regular expression {node.this!r} is not known away from Spark, see {error}"
        ) from None


SEARCHES: dict[str, Function] = {
    "rlike": _rlike,
    "regexp_extract": _regexp_extract,
    "regexp_replace": _regexp_replace,
    "split": _split,
}
