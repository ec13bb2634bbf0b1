"""What a condition of SQL says of one column before anything else: that it is one of some texts.

Of `kind = 'login' and not success` only rows whose `kind` is `login` need be asked. So of many such
conditions few are asked of each row, once its `kind` is looked up (`Primitives`). This is only for
speed, so whatever is not certain to mean the same here and in Spark is left to Spark.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark.sql import types as t

from tocsin.errors import DefinitionError
from tocsin.spark.columns import Columns

if TYPE_CHECKING:
    from sqlglot import exp

K = TypeVar("K", bound=Hashable)

ENOUGH = 16
"""From so many conditions on, looking a value up is cheaper than asking them all."""

_UNSURE = re.compile(r'["\\]|--|/\*|\$\{')
"""Names or texts, as the session has it; escapes; comments; and variables, which Spark puts in."""

_RESERVED = "spark.sql.ansi.enforceReservedKeywords"
"""If so, `user` is no column but who asks; and there are more such names."""

_PADDED = "__CHAR_VARCHAR_TYPE_STRING"
"""What Spark notes of a column of CHAR, for which trailing blanks make no difference."""


@dataclass(frozen=True)
class Factor:
    """A condition is only true of rows whose column is one of these texts, and `whole` if it is
    true of all of them."""

    column: str
    values: frozenset[str]
    whole: bool


def factored(conditions: Mapping[K, str], columns: Columns, conf: Any) -> dict[K, Factor]:
    """A factor of each condition that has one; of several that whose column has the most values.

    A column that tells few conditions apart is none: to look its value up would cost more.
    """
    if str(conf.get(_RESERVED, "false")).lower() == "true":
        return {}
    found = {key: factors(text, columns) for key, text in conditions.items()}
    every = {
        (factor.column, v) for some in found.values() for factor in some for v in factor.values
    }
    count = Counter(column for column, _ in every)
    best = {k: max(some, key=lambda x: count[x.column]) for k, some in found.items() if some}
    conditions_of = Counter(factor.column for factor in best.values())
    return {k: factor for k, factor in best.items() if conditions_of[factor.column] >= ENOUGH}


def factors(text: str, columns: Columns) -> list[Factor]:
    """What a condition that Spark takes demands of columns, in the order of the text.

    >>> kinds = t.StructType().add("kind", "string").add("amount", "long")
    >>> columns = Columns(tuple(kinds.fields), False)
    >>> factors("amount > 3 and 'pay' = Kind", columns)
    [Factor(column='kind', values=frozenset({'pay'}), whole=False)]
    >>> factors("(kind in ('pay'))", columns)
    [Factor(column='kind', values=frozenset({'pay'}), whole=True)]
    >>> factors("kind = 'pay' or amount > 3", columns)
    []
    """
    from tocsin.tables.sql.parse import parse  # sqlglot takes a while to import

    if _UNSURE.search(text):
        return []
    try:
        parts = list(_conjuncts(parse(text, "the condition")))
    except DefinitionError:  # only Spark can read it
        return []
    found = (_factor(part, columns, whole=len(parts) == 1) for part in parts)
    return [factor for factor in found if factor is not None]


def _conjuncts(tree: exp.Expression) -> Iterator[exp.Expression]:
    from sqlglot import exp

    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.Paren):
            waiting.append(part.this)
        elif isinstance(part, exp.And):
            waiting += [part.expression, part.this]
        else:
            yield part


def _factor(part: exp.Expression, columns: Columns, *, whole: bool) -> Factor | None:
    """What a conjunct demands, if it is `column = 'text'`, `'text' = column` or
    `column in ('text', …)`."""
    from sqlglot import exp

    if isinstance(part, exp.EQ):
        sides = (part.this, part.expression)
        column, *texts = sides if isinstance(part.this, exp.Column) else reversed(sides)
    elif isinstance(part, exp.In):
        column, texts = part.this, part.expressions
    else:
        return None
    plain = all(isinstance(x, exp.Literal) and x.is_string and "'" not in x.this for x in texts)
    name = _plain_text(column, columns)
    if name is None or not texts or not plain:
        return None
    return Factor(name, frozenset(x.this for x in texts), whole)


def _plain_text(column: exp.Expression, columns: Columns) -> str | None:
    """The name of a column, if it is one of text that is equal only to the same bytes."""
    from sqlglot import exp

    if not isinstance(column, exp.Column) or len(column.parts) > 1:
        return None
    try:
        field = columns.find(column.name, "the column")
    except DefinitionError:
        return None
    kind = field.dataType
    plain = isinstance(kind, t.StringType) and kind.isUTF8BinaryCollation()
    return field.name if plain and _PADDED not in field.metadata else None
