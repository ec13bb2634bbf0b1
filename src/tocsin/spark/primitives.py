"""Primitives as Catalyst columns: no row goes to Python to be told what it is (SPEC §1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any
from zlib import crc32

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

SPLIT = 6
"""So many conditions of SQL go into a method of the code that Spark generates (`_apart`)."""


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
        """Whether a row is any of them, in a form that a reader of Parquet can use, if there are
        not many."""
        f = self._functions
        if self.many:
            return self.any_of(self.words())
        names = [p.name for p in self.primitives if p.predicate is None]
        conditions = list(self._conditions.values())
        if names:
            conditions.append(self._type.isin(names))
        some: Column = reduce(lambda a, b: a | b, conditions, f.lit(False))
        return some

    @property
    def many(self) -> bool:
        """Whether there are so many conditions of SQL that asking them twice is dear."""
        return len(self._conditions) > SPLIT

    def any_of(self, words: Sequence[Column]) -> Column:
        """Whether any bit is set in words."""
        return reduce(lambda a, b: a | b, [word != self._long(0) for word in words])

    def words(self) -> list[Column]:
        """The bits of a row, in words."""
        numbered = list(enumerate(self.primitives))
        return [
            self._word([(n % WORD, p) for n, p in numbered if n // WORD == word])
            for word in range(words_for(self.primitives))
        ]

    def _word(self, members: list[tuple[int, Primitive]]) -> Column:
        typed = {p.name: 1 << bit for bit, p in members if p.predicate is None}
        bits = [
            self._bit(self._conditions[p], 1 << bit) for bit, p in members if p in self._conditions
        ]
        if len(typed) < MANY:
            bits += [self._bit(self._type == name, bit) for name, bit in typed.items()]
        else:
            # A chain of comparisons would grow past what the JVM compiles.
            bits.append(self._looked_up(typed))
        pieces = [self._either(bits[n : n + SPLIT]) for n in range(0, len(bits), SPLIT)]
        return self._either([_apart(piece) for piece in pieces] if self.many else pieces)

    def _looked_up(self, typed: Mapping[str, int]) -> Column:
        """The bit of a row's type.

        Spark looks through a map from its beginning; so there are several, by a checksum.
        """
        f = self._functions
        count = 1 + len(typed) // 4
        maps: list[dict[str, int]] = [{} for _ in range(count)]
        for name, bit in typed.items():
            maps[crc32(name.encode()) % count][name] = bit
        literals = f.array(*[self._map(entries) for entries in maps])
        place = (f.crc32(self._type.cast("binary")) % count).cast("int")
        known = f.try_element_at(f.get(literals, place), self._type)
        found: Column = f.coalesce(known, self._long(0))
        return found

    def _map(self, entries: Mapping[str, int]) -> Column:
        f = self._functions
        literals = [x for name, bit in entries.items() for x in (f.lit(name), self._long(bit))]
        made: Column = f.create_map(*literals).cast("map<string, bigint>")
        return made

    def _either(self, bits: Sequence[Column]) -> Column:
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


def _apart(piece: Column) -> Column:
    """A column that Spark calculates in a method of its own.

    The JVM compiles no method of more than 8,000 bytes, and Spark puts all of a stage into one,
    but for what occurs more than once: that becomes a method. Ten times as fast for 60 conditions.
    """
    return piece.bitwiseOR(piece)


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
