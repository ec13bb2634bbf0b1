"""From the text of a Spark SQL expression to a tree, in which functions keep Spark's names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import sqlglot
from sqlglot import exp
from sqlglot.dialects.spark import Spark

from tocsin.errors import DefinitionError

LONGEST = 80
"""How much of an expression is shown in a message."""


def _only(known: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: known[name] for name in names}


class _Expressions(Spark):  # type: ignore[misc]
    """Spark's grammar, but a function is a name with arguments, whatever the function."""

    class Tokenizer(Spark.Tokenizer):  # type: ignore[misc]
        STRING_ESCAPES = (*Spark.Tokenizer.STRING_ESCAPES, "'", '"')  # 'it''s', since Spark 4

    class Parser(Spark.Parser):  # type: ignore[misc]
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS = _only(Spark.Parser.FUNCTION_PARSERS, "CAST", "TRY_CAST", "EXTRACT")
        NO_PAREN_FUNCTIONS: ClassVar[dict[str, Any]] = {}
        NO_PAREN_FUNCTION_PARSERS = _only(Spark.Parser.NO_PAREN_FUNCTION_PARSERS, "CASE")
        STRICT_CAST = True


def parse(text: str, what: str) -> exp.Expression:
    """The tree of an expression; `what` says in messages which one it is.

    >>> parse("amount >", "the event 'A'")
    Traceback (most recent call last):
    tocsin.errors.DefinitionError: the event 'A', "amount >": this is no SQL expression \
(something is missing after '>'); write a Spark SQL expression over the columns
    """
    if not isinstance(text, str) or not text.strip():
        raise DefinitionError(f"{what} is {text!r}", hint="write a Spark SQL expression as text")
    try:
        trees = sqlglot.parse(text, read=_Expressions)
    except sqlglot.errors.SqlglotError as error:
        raise _no_expression(text, what, _reason(error)) from None
    except RecursionError:
        raise _no_expression(text, what, "it is too deep") from None
    if len(trees) != 1 or trees[0] is None:
        raise _no_expression(text, what, "it holds a semicolon")
    if isinstance(trees[0], exp.Query | exp.DDL | exp.DML | exp.Command):
        raise _no_expression(text, what, "it is a statement")
    return trees[0]


def names(tree: exp.Expression) -> set[str]:
    """The names of columns in an expression, of `a.b.c` the first, in lower case.

    >>> sorted(names(parse("A.amount > 3 and exists(events, e -> e.x = n)", "")))
    ['a', 'events', 'n']
    """
    return {column.parts[0].name.lower() for column in tree.find_all(exp.Column)}


def place(text: str, what: str) -> str:
    """Which expression it is, for messages.

    >>> print(place("a > 3", "the event 'A'"))
    the event 'A', "a > 3"
    """
    return f'{what}, "{text if len(text) <= LONGEST else text[:LONGEST] + " …"}"'


def _no_expression(text: str, what: str, reason: str) -> DefinitionError:
    return DefinitionError(
        f"this is no SQL expression ({reason})",
        where=place(text, what),
        hint="write a Spark SQL expression over the columns",
    )


def _reason(error: Exception) -> str:
    details = getattr(error, "errors", None)
    if not details:
        return re.sub(r"\s+", " ", str(error))
    found = details[0]
    what = str(found["description"]).rstrip(".")
    if what.startswith("Required keyword"):
        return f"something is missing after '{found['highlight']}'"
    place = f"at column {found['col']}" if found["line"] == 1 else f"at line {found['line']}"
    return f"{what[:1].lower()}{what[1:]} {place}, near '{found['highlight']}'"
