"""Primitives as Catalyst columns: no row goes to Python to be told what it is (SPEC §1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException
from pyspark.sql import types as t

from tocsin.engine.plan import WORD
from tocsin.errors import DefinitionError
from tocsin.language.nodes import Primitive
from tocsin.spark.columns import Columns, shown
from tocsin.spark.refusals import in_words, is_void
from tocsin.tables.packed import words_for

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MANY = 3
"""From so many names on, looking a type up in a map is cheaper than comparing it with each."""


class Primitives:
    """The primitives of a call over a DataFrame, in the order of their bits."""

    def __init__(
        self, frame: DataFrame, columns: Columns, primitives: Sequence[Primitive], *, type: str
    ) -> None:
        self._functions = functions(frame)
        self.primitives = primitives
        self._type = self._type_column(columns, type)
        self._conditions = {
            primitive: _condition(frame, self._functions, primitive, columns.names)
            for primitive in primitives
            if primitive.predicate is not None
        }

    def some(self) -> Column:
        """Whether a row is any of them, in a form that a reader of Parquet can use."""
        f = self._functions
        names = [p.name for p in self.primitives if p.predicate is None]
        conditions = list(self._conditions.values())
        if names:
            conditions.append(self._type.isin(names))
        some: Column = reduce(lambda a, b: a | b, conditions, f.lit(False))
        return some

    def words(self) -> list[Column]:
        """The bits of a row, in words."""
        numbered = list(enumerate(self.primitives))
        return [
            self._word([(n % WORD, p) for n, p in numbered if n // WORD == word])
            for word in range(words_for(self.primitives))
        ]

    def _word(self, members: list[tuple[int, Primitive]]) -> Column:
        f = self._functions
        typed = {p.name: 1 << bit for bit, p in members if p.predicate is None}
        bits = [
            self._bit(self._conditions[p], 1 << bit) for bit, p in members if p in self._conditions
        ]
        if len(typed) < MANY:
            bits += [self._bit(self._type == name, bit) for name, bit in typed.items()]
        else:
            # A chain of comparisons would grow past what the JVM compiles.
            entries = [f.lit(part).cast(kind) for name, bit in typed.items()
                       for part, kind in ((name, "string"), (bit, "bigint"))]  # fmt: skip
            known = f.try_element_at(f.create_map(*entries), self._type)
            bits.append(f.coalesce(known, self._long(0)))
        return reduce(lambda a, b: a.bitwiseOR(b), bits, self._long(0))

    def _bit(self, condition: Column, value: int) -> Column:
        """Null is not true."""
        bit: Column = self._functions.when(condition, self._long(value)).otherwise(self._long(0))
        return bit

    def _long(self, value: int) -> Column:
        number: Column = self._functions.lit(value).cast("bigint")
        return number

    def _type_column(self, columns: Columns, type: str) -> Any:
        """The column of types as text, whose letters count as they are (SPEC §2)."""
        if all(p.predicate is not None for p in self.primitives):
            return None
        kind = columns.find(type, "type").dataType
        if not isinstance(kind, t.AtomicType) or isinstance(kind, t.BinaryType):
            raise DefinitionError(
                f"type is {type!r}, a column of {shown(kind)}, which cannot name types",
                hint="name a column of text, or say by define which rows are which events",
            )
        column = self._functions.col(quoted(type))
        plain = isinstance(kind, t.StringType) and kind.isUTF8BinaryCollation()
        return column if plain else column.cast("string")


def functions(frame: DataFrame) -> Any:
    """The functions that make columns for a DataFrame, of Spark or of Spark Connect."""
    if type(frame).__module__.startswith("pyspark.sql.connect"):
        from pyspark.sql.connect import functions as connected

        return connected
    from pyspark.sql import functions as classic

    return classic


def quoted(name: str) -> str:
    """The name of a column, so that Spark looks for nothing inside it.

    >>> quoted("a.b")
    '`a.b`'
    """
    return "`" + name.replace("`", "``") + "`"


def _condition(frame: DataFrame, f: Any, primitive: Primitive, columns: Sequence[str]) -> Column:
    """A predicate as a column; what is none is refused, before anything runs."""
    text = primitive.predicate or ""
    if not text.strip():
        raise DefinitionError(
            f"the event {primitive.name!r} is {text!r}", hint="write a Spark SQL expression as text"
        )
    with in_words(f"the event {primitive.name!r}", text, columns):
        condition: Column = f.expr(text)
        try:
            # Connect asks its server only when a schema is new, as that of a `select` is.
            frame.filter(condition).select(f.lit(1)).schema  # noqa: B018
        except AnalysisException as error:
            if not is_void(error):
                raise
            return f.lit(False)  # type: ignore[no-any-return]  # null is not true
    return condition
