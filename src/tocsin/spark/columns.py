"""The columns of a DataFrame that a call names: found, and of a type that can serve."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from pyspark.sql import types as t

from tocsin.errors import DefinitionError, did_you_mean
from tocsin.language.durations import MICROSECONDS
from tocsin.language.settings import check_name
from tocsin.tables.times import AWARE, INTEGERS, NAIVE, Axis

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_INTEGERS = (t.ByteType, t.ShortType, t.IntegerType, t.LongType)
_UTC = ZoneInfo("UTC")


@dataclass(frozen=True)
class Columns:
    """What columns there are; case makes no difference unless the session says so."""

    fields: tuple[t.StructField, ...]
    case_sensitive: bool

    @classmethod
    def of(cls, frame: DataFrame) -> Columns:
        """Those of a DataFrame."""
        sensitive = frame.sparkSession.conf.get("spark.sql.caseSensitive", "false")
        return cls(tuple(frame.schema.fields), str(sensitive).lower() == "true")

    @property
    def names(self) -> list[str]:
        """What they are called."""
        return [field.name for field in self.fields]

    def find(self, name: str, use: str) -> t.StructField:
        """The column of a name.

        >>> columns = Columns((t.StructField("user", t.StringType()),), False)
        >>> columns.find("User", "key").name
        'user'
        >>> columns.find("usr", "key")
        Traceback (most recent call last):
        tocsin.errors.DefinitionError: key is 'usr', but there is no such column; \
did you mean 'user'? (columns: user)
        """
        if not isinstance(name, str):
            raise DefinitionError(f"{use} is {name!r}", hint="write the name of a column")
        found = [field for field in self.fields if self._fold(field.name) == self._fold(name)]
        if not found:
            near = did_you_mean(name, self.names) or "name one that there is"
            raise DefinitionError(
                f"{use} is {name!r}, but there is no such column",
                hint=f"{near} (columns: {', '.join(self.names)})",
            )
        if len(found) > 1:
            raise DefinitionError(
                f"{use} is {name!r}, but there are {len(found)} such columns",
                hint="rename all but one",
            )
        return found[0]

    def find_key(self, name: str, use: str = "key") -> t.StructField:
        """A column whose values can be compared."""
        field = self.find(name, use)
        if not has_order(field.dataType):
            raise DefinitionError(
                f"{use} is {name!r}, a column of {shown(field.dataType)}, whose values cannot be "
                "compared",
                hint="use another column, or one of its fields",
            )
        return field

    def find_carried(self, name: str) -> t.StructField:
        """A column that comes back from Python as it went there."""
        field = self.find(name, "carry")
        problem = what_arrow_lacks(field.dataType)
        if problem:
            raise DefinitionError(
                f"carry is {name!r}, a column of {shown(field.dataType)}, but {problem}",
                hint="cast it to text, or leave it out",
            )
        return field

    def _fold(self, name: str) -> str:
        return name if self.case_sensitive else name.lower()


def axis_of(columns: Columns, start: str, end: str, *, unit: str | None, zone: tzinfo) -> Axis:
    """What the times of two columns stand for; the same column twice if events have one time."""
    if unit is not None:
        check_name("unit", unit, tuple(MICROSECONDS))
    kind = _kind(columns, start, "time" if start == end else "start")
    if _kind(columns, end, "end" if start != end else "time") != kind:
        raise DefinitionError(
            f"{start!r} holds {kind} and {end!r} {_kind(columns, end, 'end')}",
            hint="give both columns times of one kind",
        )
    if kind == INTEGERS:
        return Axis(kind, MICROSECONDS[unit] if unit else None, zone)
    if unit is not None:
        raise DefinitionError(
            f"unit is {unit!r}, but {start!r} holds timestamps", hint="leave unit out"
        )
    return Axis(kind, 1, zone if kind == AWARE else _UTC)


def time_type(axis: Axis) -> t.DataType:
    """The type of times in results: dates, too, become timestamps without a zone."""
    if axis.kind == INTEGERS:
        return t.LongType()
    return t.TimestampType() if axis.kind == AWARE else t.TimestampNTZType()


def _kind(columns: Columns, name: str, use: str) -> str:
    kind = columns.find(name, use).dataType
    if isinstance(kind, _INTEGERS):
        return INTEGERS
    if isinstance(kind, t.TimestampType):
        return AWARE
    if isinstance(kind, t.TimestampNTZType | t.DateType):
        return NAIVE
    hint = "use a column of timestamps, dates or integers"
    if isinstance(kind, t.StringType):
        hint = f"make it a timestamp, as df.withColumn({name!r}, to_timestamp({name!r}))"
    elif isinstance(kind, t.NumericType):
        hint = f"make it whole numbers, as df.withColumn({name!r}, col({name!r}).cast('bigint'))"
    raise DefinitionError(
        f"{use} is {name!r}, a column of {shown(kind)}, which are no times", hint=hint
    )


def has_order(kind: t.DataType) -> bool:
    """Whether values of a type are equal or not, and one before the other, as bytes are."""
    if isinstance(kind, t.StringType):
        return kind.isUTF8BinaryCollation()
    if isinstance(kind, t.ArrayType):
        return has_order(kind.elementType)
    if isinstance(kind, t.StructType):
        return all(has_order(field.dataType) for field in kind.fields)
    return isinstance(kind, t.AtomicType) and what_arrow_lacks(kind) is None


def what_arrow_lacks(kind: t.DataType) -> str | None:
    """Why values of a type do not come back from Python as they are; None if they do.

    >>> what_arrow_lacks(t.ArrayType(t.StringType()))
    >>> what_arrow_lacks(t.ArrayType(t.YearMonthIntervalType()))
    'Arrow has no intervals of months'
    """
    if isinstance(kind, t.YearMonthIntervalType | t.CalendarIntervalType):
        return "Arrow has no intervals of months"
    if isinstance(kind, t.UserDefinedType):
        return "Arrow has no types that users define"
    if isinstance(kind, t.ArrayType):
        return what_arrow_lacks(kind.elementType)
    if isinstance(kind, t.MapType):
        return what_arrow_lacks(kind.keyType) or what_arrow_lacks(kind.valueType)
    if isinstance(kind, t.StructType):
        if len(set(kind.names)) < len(kind.names):
            return "two of its fields have one name"
        return next(filter(None, (what_arrow_lacks(f.dataType) for f in kind.fields)), None)
    return None


def shown(kind: t.DataType) -> str:
    """A type as Spark SQL writes it."""
    return kind.simpleString()
