"""Primitives as Catalyst columns: no row goes to Python to be told what it is (SPEC §1)."""

from __future__ import annotations

from collections import Counter
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
from tocsin.spark.factoring import Factor, factored
from tocsin.spark.refusals import in_words, is_void
from tocsin.tables.packed import words_for

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MANY = 3
"""From so many values of a column on, looking one up is cheaper than comparing it with each."""

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
        self._texts = {} if self._type is None else {columns.find(type, "type").name: self._type}
        self._factors = self._factored(frame, columns)

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
        bits = {primitive: 1 << number for number, primitive in members}
        by_column: dict[str | None, list[Primitive]] = {}
        for primitive in bits:
            factor = self._factors.get(primitive)
            by_column.setdefault(factor.column if factor else None, []).append(primitive)
        plain = [self._asked(some, bits) for some in _groups(by_column.pop(None, []))]
        pieces = [_apart(piece) for piece in plain] if self.many else plain
        for column, some in by_column.items():
            pieces += self._told_apart(str(column), some, bits)
        return self._either(pieces)

    def _told_apart(
        self, column: str, some: Sequence[Primitive], bits: Mapping[Primitive, int]
    ) -> list[Column]:
        """The bits of primitives with factors of one column: a row is only asked what its value
        there lets it be."""
        known: dict[str, int] = {}
        for primitive in some:
            for value in self._factors[primitive].values:
                known[value] = known.get(value, 0) | bits[primitive]
        found = self._looked_up(column, known)
        whole = [p for p in some if self._factors[p].whole]
        pieces = [found.bitwiseAND(self._long(sum(bits[p] for p in whole)))] if whole else []
        rest = [p for p in some if not self._factors[p].whole]
        for group in _groups(sorted(rest, key=lambda p: min(self._factors[p].values))):
            asked = self._asked(group, bits, found)
            possible = self._any(found, sum(bits[p] for p in group))
            pieces.append(_apart(self._functions.when(possible, asked).otherwise(self._long(0))))
        return pieces

    def _asked(
        self,
        some: Sequence[Primitive],
        bits: Mapping[Primitive, int],
        possible: Column | None = None,
    ) -> Column:
        """The bits of primitives by their conditions, of those whose bits are possible."""
        asked = []
        for primitive in some:
            bit, condition = bits[primitive], self._conditions.get(primitive)
            if condition is None:
                condition = self._type == primitive.name
            if possible is not None:
                condition = self._any(possible, bit) & condition
            asked.append(self._bit(condition, bit))
        return self._either(asked)

    def _any(self, word: Column, bits: int) -> Column:
        """Whether any of some bits is set in a word."""
        return word.bitwiseAND(self._long(bits)) != self._long(0)

    def _looked_up(self, column: str, known: Mapping[str, int]) -> Column:
        """The bits that are known of a row's value.

        Spark looks through an array from its beginning; so there are several, by a checksum. Maps
        would do, but Spark takes no two of them as equal, and would look up anew for each use.
        """
        f = self._functions
        text = self._texts.get(column, f.col(quoted(column)))
        count = 1 + len(known) // 4
        tables: list[dict[str, int]] = [{} for _ in range(count)]
        for value, bits in known.items():
            tables[crc32(value.encode()) % count][value] = bits
        place = (f.crc32(text.cast("binary")) % count).cast("int")
        values = [f.array(*map(f.lit, table)).cast("array<string>") for table in tables]
        words = [f.array(*map(self._long, (0, *table.values()))) for table in tables]
        number = f.array_position(f.get(f.array(*values), place), text).cast("int")
        found: Column = f.coalesce(f.get(f.get(f.array(*words), place), number), self._long(0))
        return found

    def _either(self, bits: Sequence[Column]) -> Column:
        return reduce(lambda a, b: a.bitwiseOR(b), bits, self._long(0))

    def _bit(self, condition: Column, value: int) -> Column:
        """Null is not true."""
        bit: Column = self._functions.when(condition, self._long(value)).otherwise(self._long(0))
        return bit

    def _long(self, value: int) -> Column:
        number: Column = self._functions.lit(value).cast("bigint")
        return number

    def _factored(self, frame: DataFrame, columns: Columns) -> dict[Primitive, Factor]:
        """What tells primitives apart: a name is the value of the column of types, and nothing
        else."""
        names = {
            p: Factor(column, frozenset([p.name]), whole=True)
            for column in self._texts
            for p in self.primitives
            if p.predicate is None
        }
        texts = {p: p.predicate or "" for p in self._conditions} if self.many else {}
        found = names | factored(texts, columns, frame.sparkSession.conf)
        counts = Counter(factor.column for factor in found.values())
        return {p: factor for p, factor in found.items() if counts[factor.column] >= MANY}

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


def _groups(primitives: Sequence[Primitive]) -> list[Sequence[Primitive]]:
    """So many as go into one method."""
    return [primitives[n : n + SPLIT] for n in range(0, len(primitives), SPLIT)]


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
