"""What a call wants of files of events: which columns, and in what form."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
from pyspark.errors import PySparkTypeError
from pyspark.sql.pandas.types import from_arrow_type

from tocsin.errors import DefinitionError
from tocsin.tables.call import Call
from tocsin.tables.normal import normal_type
from tocsin.tables.observed import ordered
from tocsin.tables.ranks import has_order
from tocsin.tables.source import Source

INSTEAD = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.int64(),
    pa.null(): pa.string(),
}
"""What Spark has in place of types that it lacks."""


@dataclass(frozen=True)
class Wanted:
    """What files hold, and what a call wants of it."""

    schema: pa.Schema
    named: Collection[str]
    """The columns that it names."""
    start: str
    end: str
    sql: Sequence[str] = ()
    """Texts that may name further columns."""

    @classmethod
    def of(cls, schema: pa.Schema, call: Call) -> Wanted:
        """What a call wants; a column that it names and there is not is refused."""
        source = Source(schema.empty_table(), call.start, call.end)
        for name in call.keys:
            ordered(source, name, "key")
        for name in call.order_by:
            ordered(source, name, "order_by")
        one = call.start == call.end
        named = {call.start: "time" if one else "start", call.end: "time" if one else "end"}
        named |= dict.fromkeys(call.carry, "carry")
        every = [p for pattern in call.patterns.values() for p in pattern.primitives()]
        conditions = [p.predicate for p in every if p.predicate is not None]
        if len(conditions) < len(every):
            named[call.type] = "type"
        for name, use in named.items():
            source.column(name, use)
        columns = frozenset((*named, *call.keys, *call.order_by))
        return cls(schema, columns, call.start, call.end, conditions)

    @cached_property
    def columns(self) -> list[str]:
        """The columns that somebody may need, and that Spark can have."""
        fields = [field for field in self.schema if self._is_wanted(field.name)]
        for field in fields:
            if field.name in self.named and not is_known(field.type):
                raise DefinitionError(
                    f"{field.name!r} is a column of {field.type}, which Spark does not have",
                    hint="leave it out, or write --engine local",
                )
        return [field.name for field in fields if is_known(field.type)]

    @cached_property
    def times(self) -> dict[str, str]:
        """The columns of times, and what the DataFrame calls them: text, say, has to be read."""
        return {
            name: name
            if _holds_times(self.schema.field(name).type)
            else self._new(f"{name} as a time")
            for name in dict.fromkeys((self.start, self.end))
        }

    @cached_property
    def position(self) -> str:
        """The name of a column that says where a row stood."""
        return self._new("position")

    def ties(self, call: Call) -> list[str]:
        """What decides between rows of one instant; those that are equal keep their order."""
        carried = [name for name in call.carry if has_order(self.schema.field(name).type)]
        return list(dict.fromkeys([*call.order_by, *carried, self.position]))

    def _is_wanted(self, name: str) -> bool:
        if self.schema.names.count(name) > 1:
            return False  # whoever names it is told that there are several
        written = name.replace("`", "``").lower()
        return name in self.named or any(written in text.lower() for text in self.sql)

    def _new(self, name: str) -> str:
        """A name that no column has."""
        taken = {name.lower() for name in self.schema.names}
        while name.lower() in taken:
            name += "_"
        return name


def is_known(kind: pa.DataType) -> bool:
    """Whether Spark has a type for the values.

    >>> is_known(pa.uint8()), is_known(pa.list_(pa.time64("us")))
    (True, False)
    """
    target = target_of(kind)
    inner = [target.field(number).type for number in range(target.num_fields)]
    if pa.types.is_time(target) or not all(map(is_known, inner)):
        return False
    try:
        from_arrow_type(target)
    except PySparkTypeError:
        return False
    return True


def target_of(kind: pa.DataType) -> pa.DataType:
    """The type that values of a type get on their way."""
    if isinstance(kind, pa.BaseExtensionType):
        return target_of(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return target_of(kind.value_type)
    return INSTEAD.get(kind, normal_type(kind))


def _holds_times(kind: pa.DataType) -> bool:
    """Whether Spark can tell times by values of a type; others have to be read first."""
    return bool(
        pa.types.is_signed_integer(kind) or pa.types.is_timestamp(kind) or pa.types.is_date(kind)
    )
