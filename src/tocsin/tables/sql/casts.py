"""What Spark's casts are in DuckDB's words, by the types they go from and to."""

from __future__ import annotations

INTEGERS = {"tinyint", "smallint", "integer", "bigint", "hugeint", "ubigint", "uinteger"}
FLOATS = {"float", "double"}
NUMBERS = INTEGERS | FLOATS | {"decimal"}
ZONED = "timestamp with time zone"
TIMES = {"timestamp", ZONED, "date"}
NESTED = {"list", "struct", "map", "array"}

_NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?"

NAMES = {
    "TINYINT": "TINYINT",
    "SMALLINT": "SMALLINT",
    "INT": "INTEGER",
    "BIGINT": "BIGINT",
    "FLOAT": "FLOAT",
    "DOUBLE": "DOUBLE",
    "DECIMAL": "DECIMAL",
    "TEXT": "VARCHAR",
    "VARCHAR": "VARCHAR",
    "BOOLEAN": "BOOLEAN",
    "DATE": "DATE",
    "TIMESTAMPTZ": "TIMESTAMPTZ",
    "TIMESTAMPNTZ": "TIMESTAMP",
    "TIMESTAMP": "TIMESTAMPTZ",
}
"""Spark's types, as sqlglot names them, and DuckDB's. Spark's TIMESTAMP is an instant."""


def cast(sql: str, source: str, target: str, *, trying: bool = False) -> str:
    """`sql`, of the type `source`, as a `target`; where it cannot be, an error, or null if trying.

    >>> cast("x", "double", "INTEGER")
    'CAST(trunc(x) AS INTEGER)'
    >>> cast("x", "double", "INTEGER", trying=True)
    'TRY_CAST(trunc(x) AS INTEGER)'
    """
    word = "TRY_CAST" if trying else "CAST"
    if target in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT"):
        return _to_integer(sql, source, target, word)
    if target == "VARCHAR":
        return _to_text(sql, source, word)
    if target == "BOOLEAN" and source == "varchar":
        return _checked(
            sql,
            "lower(trim({})) IN ('t', 'true', 'y', 'yes', '1', 'f', 'false', 'n', 'no', '0')",
            "lower(trim({})) IN ('t', 'true', 'y', 'yes', '1')",
            trying,
        )
    if source == "varchar" and (target in ("DOUBLE", "FLOAT") or target.startswith("DECIMAL")):
        is_number = _NUMBER if target.startswith("DECIMAL") else f"{_NUMBER}|[+-]?inf(inity)?|nan"
        condition = f"regexp_full_match(trim({{}}), '(?i){is_number}')"
        return _checked(sql, condition, f"{word}(trim({{}}) AS {target})", trying)
    if target in ("DOUBLE", "FLOAT") and source in TIMES:
        return f"CAST(epoch_us({sql}) / 1e6 AS {target})"
    if target == "TIMESTAMPTZ" and source in NUMBERS:
        return f"to_timestamp({sql})"
    return f"{word}({sql} AS {target})"


def is_possible(source: str, target: str) -> bool:
    """Whether there is such a cast here at all."""
    if source in NESTED or source == "interval" or (source in TIMES and target == "BOOLEAN"):
        return False
    if source == "timestamp":
        return target in ("VARCHAR", "DATE") or target.startswith("TIMESTAMP")
    if target == "DATE":
        return source in TIMES | {"varchar", "null"}
    if target.startswith("TIMESTAMP"):
        return source != "boolean"
    return not (source == "date" and target not in ("VARCHAR", "DATE"))


def _to_integer(sql: str, source: str, target: str, word: str) -> str:
    if source in FLOATS or source == "decimal":
        return f"{word}(trunc({sql}) AS {target})"
    if source in TIMES:
        return f"{word}(floor(epoch_us({sql}) / 1000000) AS {target})"
    if source == "varchar":
        is_whole, value = (
            r"regexp_full_match(trim({}), '[+-]?\d+')",
            f"{word}(trim({{}}) AS {target})",
        )
        return _checked(sql, is_whole, value, word == "TRY_CAST")
    return f"{word}({sql} AS {target})"


def _to_text(sql: str, source: str, word: str) -> str:
    if source == ZONED:
        return f"CAST(CAST({sql} AS TIMESTAMP) AS VARCHAR)"
    if source in FLOATS:
        # Outside this range Java writes an exponent, in a way of its own.
        return (
            f"CASE WHEN isnan({sql}) THEN 'NaN' WHEN isinf({sql}) THEN "
            f"CASE WHEN {sql} > 0 THEN 'Infinity' ELSE '-Infinity' END "
            f"WHEN {sql} IS NULL OR {sql} = 0 OR abs({sql}) BETWEEN 1e-3 AND 9999999 "
            f"THEN CAST({sql} AS VARCHAR) "
            f"ELSE error('the number ' || {sql} || ' cannot be made text away from Spark') END"
        )
    return f"{word}({sql} AS VARCHAR)"


def _checked(sql: str, condition: str, value: str, trying: bool) -> str:
    otherwise = "NULL" if trying else f"error('the text ' || {sql} || ' cannot be cast')"
    return (
        f"CASE WHEN {sql} IS NULL THEN NULL WHEN {condition.format(sql)} "
        f"THEN {value.format(sql)} ELSE {otherwise} END"
    )
