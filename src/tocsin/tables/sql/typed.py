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

DIFFERENCES = ("microsecond", "millisecond", "second", "minute", "hour", "day", "week")
"""In what `timestampdiff` counts; with months DuckDB has its own idea of the end of a month."""
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
    "dow_iso": "isodow",
    "dayofweek_iso": "isodow",
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
        if t.kind(value) in casts.INTEGERS:
            return f"CAST({value} AS BIGINT)"
        if t.kind(value) not in casts.FLOATS:
            return f"{name}({value})"
        return f"CASE WHEN isnan({value}) THEN 0 ELSE CAST({name}({value}) AS BIGINT) END"

    return function


def _round(t: Translator, arguments: Arguments) -> str:
    if len(arguments) == 1:
        return f"round({t.sql(arguments[0])})"
    value, places = t.all(arguments, 2, "round")
    if not re.fullmatch(r"\d+|\(-\d+\)", places):
        raise t.error("round takes the number of places as a number")
    if t.kind(value) != "double":
        return f"round({value}, {places})"
    # Spark rounds the number as it is written, 1.005 up; DuckDB the binary one, a little less.
    written = f"CAST(CAST({value} AS VARCHAR) AS DECIMAL(38, 20))"
    return (
        f"CASE WHEN isfinite({value}) AND abs({value}) < 1e17 "
        f"THEN CAST(round({written}, {places}) AS DOUBLE) ELSE round({value}, {places}) END"
    )


def _try_divide(t: Translator, arguments: Arguments) -> str:
    left, right = t.numbers(t.all(arguments, 2, "try_divide"))
    check_division(t, left, right)
    return f"CASE WHEN {right} <> 0 THEN CAST({left} AS DOUBLE) / {right} END"


def check_division(t: Translator, left: str, right: str) -> None:
    """Refuse what is no double in Spark: of decimals a decimal, of an interval an interval."""
    kinds = {t.kind(left), t.kind(right)}
    if "interval" in kinds or ("decimal" in kinds and not kinds & casts.FLOATS):
        raise t.error(
            "decimals and intervals cannot be divided away from Spark",
            "cast one side to double, or write 1.5D for 1.5",
        )


def _sign(t: Translator, arguments: Arguments) -> str:
    (value,) = t.all(arguments, 1, "sign")
    if t.kind(value) in casts.FLOATS:
        return f"CASE WHEN isnan({value}) THEN {value} ELSE CAST(sign({value}) AS DOUBLE) END"
    return f"CAST(sign({value}) AS DOUBLE)"


def _concat(t: Translator, arguments: Arguments) -> str:
    if not arguments:
        raise t.error("concat takes at least one argument")
    values = [t.sql(argument) for argument in arguments]
    if not any(t.kind(value) == "list" for value in values):
        values = [casts.cast(value, t.kind(value), "VARCHAR") for value in values]
    return " || ".join(values)


def _reverse(t: Translator, arguments: Arguments) -> str:
    (value,) = t.all(arguments, 1, "reverse")
    if t.kind(value) == "list":
        return f"list_reverse({value})"
    # DuckDB's own keeps an accent on its letter; Java turns the characters around one by one.
    letters = f"list_transform(range(length({value}), 0, -1), lambda _i: substring({value}, _i, 1))"
    return f"array_to_string({letters}, '')"


def _array_contains(t: Translator, arguments: Arguments) -> str:
    values, value = t.all(arguments, 2, "array_contains")
    _check_alike(t, f"{values}[1]", value, "array_contains")
    return (
        f"CASE WHEN list_contains({values}, {value}) THEN true WHEN {values} IS NULL "
        f"OR {value} IS NULL OR list_count({values}) < len({values}) THEN NULL ELSE false END"
    )


def _array_position(t: Translator, arguments: Arguments) -> str:
    values, value = t.all(arguments, 2, "array_position")
    _check_alike(t, f"{values}[1]", value, "array_position")
    found = f"coalesce(list_position({values}, {value}), 0)"
    return f"CASE WHEN {values} IS NOT NULL AND {value} IS NOT NULL THEN {found} END"


def _map_contains_key(t: Translator, arguments: Arguments) -> str:
    values, key = t.all(arguments, 2, "map_contains_key")
    _check_alike(t, f"map_keys({values})[1]", key, "map_contains_key")
    return f"map_contains({values}, {key})"


def _check_alike(t: Translator, one: str, other: str, name: str) -> None:
    kinds = t.kind(one), t.kind(other)
    if "null" in kinds or (kinds[0] == "varchar") != (kinds[1] == "varchar"):
        raise t.error(f"{name} takes values of one type, not {t.type(one)} and {t.type(other)}")


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
        f"CASE WHEN {values} IS NULL THEN NULL WHEN {place} = 0 OR abs({place}) > len({values}) "
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
    if len(arguments) % 2 or not all(is_text(name) for name in arguments[::2]):
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
    if len(arguments) != 2 or not is_text(arguments[0]):
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
    unit, start, end = _counted(t, arguments, "timestampdiff", DIFFERENCES)
    return f"date_sub('{unit}', CAST({start} AS TIMESTAMPTZ), CAST({end} AS TIMESTAMPTZ))"


def _date_add(t: Translator, arguments: Arguments) -> str:
    unit, count, time = _counted(t, arguments, "timestampadd", UNITS)
    if t.kind(time) == "date":
        time = f"CAST({time} AS TIMESTAMPTZ)"
    return f"{time} + CAST({count} AS INTEGER) * INTERVAL '1 {unit}'"


def _counted(
    t: Translator, arguments: Arguments, name: str, units: Sequence[str]
) -> tuple[str, str, str]:
    if len(arguments) == 3 and isinstance(arguments[0], exp.Column):
        unit = arguments[0].name.lower()
        if unit in units:
            return unit, t.sql(arguments[1]), t.sql(arguments[2])
    raise t.error(f"{name} takes a unit ({', '.join(units)}) and two values")


def _extract(t: Translator, arguments: Arguments) -> str:
    part = PARTS.get(arguments[0].name.lower())
    if part is None or len(arguments) != 2:
        raise t.error(f"extract takes one of {', '.join(PARTS)}, from a time")
    if part == "isodow":  # not a function of Spark's
        return f"isodow({t.sql(arguments[1])})"
    return t.call(part, arguments[1])


def _date_format(t: Translator, arguments: Arguments) -> str:
    if len(arguments) != 2 or not is_text(arguments[1]):
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


def is_text(node: exp.Expression) -> bool:
    """Whether a tree is a text as such."""
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
    "round": _round,
    "try_divide": _try_divide,
    "array_contains": _array_contains,
    "array_position": _array_position,
    "map_contains_key": _map_contains_key,
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
