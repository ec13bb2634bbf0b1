"""Spark's functions in DuckDB's words: those that depend on the types, or on what is written.

Each takes the translator and the arguments as trees, and gives DuckDB's text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from tocsin.tables.sql import casts
from tocsin.tables.sql.functions import ALL_TRUE, ANY_TRUE

if TYPE_CHECKING:
    from tocsin.tables.sql.translate import Translator

Arguments = Sequence[exp.Expression]
Function = Callable[["Translator", Arguments], str]

UNITS = ("microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month", "year")
PARTS = {
    "year": "year",
    "y": "year",
    "quarter": "quarter",
    "month": "month",
    "week": "weekofyear",
    "day": "day",
    "d": "day",
    "doy": "dayofyear",
    "dow": "dayofweek",
    "dayofweek": "dayofweek",
    "dow_iso": "dayofweek_iso",
    "dayofweek_iso": "dayofweek_iso",
    "hour": "hour",
    "h": "hour",
    "minute": "minute",
    "m": "minute",
}
"""What `extract` can take from a time, as functions; a second is a decimal there, so not here."""
TRUNCATED = {"yyyy": "year", "yy": "year", "mm": "month", "mon": "month", "dd": "day"}
FORMATS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "MMM": "%b",
    "MMMM": "%B",
    "dd": "%d",
    "E": "%a",
    "EEE": "%a",
    "EEEE": "%A",
    "HH": "%H",
    "hh": "%I",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%g",
    "SSSSSS": "%f",
    "a": "%p",
    "''": "'",
}
"""The letters of `date_format`, and DuckDB's."""


def _ceil_or_floor(name: str) -> Function:
    def function(t: Translator, arguments: Arguments) -> str:
        (value,) = t.all(arguments, 1, name)
        if t.kind(value) not in casts.FLOATS:
            return f"{name}({value})"
        return f"CASE WHEN isnan({value}) THEN 0 ELSE CAST({name}({value}) AS BIGINT) END"

    return function


def _sign(t: Translator, arguments: Arguments) -> str:
    (value,) = t.all(arguments, 1, "sign")
    if t.kind(value) in casts.FLOATS:
        return f"CASE WHEN isnan({value}) THEN {value} ELSE CAST(sign({value}) AS DOUBLE) END"
    return f"CAST(sign({value}) AS DOUBLE)"


def _concat(t: Translator, arguments: Arguments) -> str:
    values = [t.sql(argument) for argument in arguments]
    if not any(t.kind(value) == "list" for value in values):
        values = [casts.cast(value, t.kind(value), "VARCHAR") for value in values]
    return " || ".join(values)


def _reverse(t: Translator, arguments: Arguments) -> str:
    (value,) = t.all(arguments, 1, "reverse")
    return f"{'list_reverse' if t.kind(value) == 'list' else 'reverse'}({value})"


def _size(t: Translator, arguments: Arguments) -> str:
    (value,) = t.all(arguments, 1, "size")
    if t.kind(value) == "map":
        return f"CAST(cardinality({value}) AS BIGINT)"
    if t.kind(value) not in ("list", "null"):
        raise t.error(f"size takes an array or a map, not a {t.kind(value)}")
    return f"len({value})"


def _element_at(t: Translator, arguments: Arguments) -> str:
    values, place = t.all(arguments, 2, "element_at")
    if t.kind(values) == "map":
        return f"{values}[{place}]"
    return (
        f"CASE WHEN {place} = 0 OR abs({place}) > len({values}) "
        f"THEN error('the array has no element number ' || {place} || ', counted from 1') "
        f"ELSE {values}[{place}] END"
    )


def _try_element_at(t: Translator, arguments: Arguments) -> str:
    values, place = t.all(arguments, 2, "try_element_at")
    return f"{values}[{place}]"


def _transform(t: Translator, arguments: Arguments) -> str:
    return "list_transform({}, {})".format(*t.over("transform", arguments))


def _filter(t: Translator, arguments: Arguments) -> str:
    return "list_filter({}, {})".format(*t.over("filter", arguments))


def _exists(t: Translator, arguments: Arguments) -> str:
    return ANY_TRUE.format("list_transform({}, {})".format(*t.over("exists", arguments)))


def _forall(t: Translator, arguments: Arguments) -> str:
    return ALL_TRUE.format("list_transform({}, {})".format(*t.over("forall", arguments)))


def _aggregate(t: Translator, arguments: Arguments) -> str:
    if len(arguments) not in (3, 4):
        raise t.error("aggregate takes an array, a first value, and one or two functions")
    values, start = t.sql(arguments[0]), t.sql(arguments[1])
    merge = t.function("aggregate", arguments[2], [start, f"{values}[1]"])
    reduced = f"list_reduce({values}, {merge}, {start})"
    if len(arguments) == 3:
        return reduced
    finish = t.function("aggregate", arguments[3], [reduced])
    return f"list_transform([{reduced}], {finish})[1]"


def _named_struct(t: Translator, arguments: Arguments) -> str:
    if len(arguments) % 2 or not all(_is_text(name) for name in arguments[::2]):
        raise t.error("named_struct takes names as text, each followed by a value")
    pairs = zip(arguments[::2], arguments[1::2], strict=True)
    return "{" + ", ".join(f"{t.sql(name)}: {t.sql(value)}" for name, value in pairs) + "}"


def _date_trunc(t: Translator, arguments: Arguments) -> str:
    unit, value = _unit(t, arguments, "date_trunc", (*UNITS, "quarter"))
    return f"date_trunc('{unit}', CAST({value} AS TIMESTAMPTZ))"


def _trunc(t: Translator, arguments: Arguments) -> str:
    unit, value = _unit(t, arguments[::-1], "trunc", ("year", "quarter", "month", "week"))
    return f"CAST(date_trunc('{unit}', CAST({value} AS DATE)) AS DATE)"


def _unit(t: Translator, arguments: Arguments, name: str, known: Sequence[str]) -> tuple[str, str]:
    if len(arguments) != 2 or not _is_text(arguments[0]):
        raise t.error(f"{name} takes a unit as text and a time")
    word = arguments[0].this.lower()
    unit = TRUNCATED.get(word, word)
    if unit not in known:
        raise t.error(f"{name} does not know the unit {word!r}", f"write one of {', '.join(known)}")
    return unit, t.sql(arguments[1])


def _date_diff(t: Translator, arguments: Arguments) -> str:
    """`datediff(end, start)` in days, or `datediff(unit, start, end)` in whole units."""
    if len(arguments) == 2:
        end, start = (t.sql(argument) for argument in arguments)
        return f"date_diff('day', CAST({start} AS DATE), CAST({end} AS DATE))"
    unit, start, end = _counted(t, arguments, "timestampdiff")
    return f"date_sub('{unit}', CAST({start} AS TIMESTAMPTZ), CAST({end} AS TIMESTAMPTZ))"


def _date_add(t: Translator, arguments: Arguments) -> str:
    unit, count, time = _counted(t, arguments, "timestampadd")
    if t.kind(time) == "date":
        time = f"CAST({time} AS TIMESTAMPTZ)"
    return f"{time} + CAST({count} AS INTEGER) * INTERVAL '1 {unit}'"


def _counted(t: Translator, arguments: Arguments, name: str) -> tuple[str, str, str]:
    if len(arguments) == 3 and isinstance(arguments[0], exp.Column):
        unit = arguments[0].name.lower()
        if unit in UNITS:
            return unit, t.sql(arguments[1]), t.sql(arguments[2])
    raise t.error(f"{name} takes a unit ({', '.join(UNITS)}) and two values")


def _extract(t: Translator, arguments: Arguments) -> str:
    part = PARTS.get(arguments[0].name.lower())
    if part is None or len(arguments) != 2:
        raise t.error(f"extract takes one of {', '.join(PARTS)}, from a time")
    return t.call(part, arguments[1])


def _date_format(t: Translator, arguments: Arguments) -> str:
    if len(arguments) != 2 or not _is_text(arguments[1]):
        raise t.error("date_format takes a time and a format as text")
    written, codes = arguments[1].this, ""
    for piece in re.finditer(r"([a-zA-Z])\1*|'[^']*'|.", written):
        if piece[1] and piece[0] not in FORMATS:
            raise t.error(f"the format {written!r} is not known away from Spark, see {piece[0]!r}")
        codes += FORMATS.get(piece[0], piece[0].strip("'").replace("%", "%%"))
    value = t.sql(arguments[0])
    return f"strftime(CAST({value} AS TIMESTAMP), {text(codes)})"


def _cast_to(target: str, name: str) -> Function:
    def function(t: Translator, arguments: Arguments) -> str:
        (value,) = t.all(arguments, 1, name)
        if not casts.is_possible(t.kind(value), target):
            raise t.error(f"{name} does not take a {t.type(value)} away from Spark")
        return casts.cast(value, t.kind(value), target)

    return function


def _is_text(node: exp.Expression) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


def text(value: str) -> str:
    """A text as a literal of DuckDB's.

    >>> text("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"


CONVERSIONS = {
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMPTZ",
    "to_timestamp": "TIMESTAMPTZ",
}

TYPED: dict[str, Function] = {
    "ceil": _ceil_or_floor("ceil"),
    "floor": _ceil_or_floor("floor"),
    "sign": _sign,
    "concat": _concat,
    "reverse": _reverse,
    "size": _size,
    "element_at": _element_at,
    "try_element_at": _try_element_at,
    "transform": _transform,
    "filter": _filter,
    "exists": _exists,
    "forall": _forall,
    "aggregate": _aggregate,
    "named_struct": _named_struct,
    "date_trunc": _date_trunc,
    "trunc": _trunc,
    "datediff": _date_diff,
    "dateadd": _date_add,
    "extract": _extract,
    "date_format": _date_format,
    **{name: _cast_to(target, name) for name, target in CONVERSIONS.items()},
}
