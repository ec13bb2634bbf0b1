"""Spark's functions in DuckDB's words: those that are the same for every type of argument.

`{0}`, `{1}` are the arguments, `{all}` is all of them; of several texts, the one with as many
arguments as the call has is taken. What needs to know types is in `typed`.
"""

from __future__ import annotations

import re

_BY_ZERO = "CASE WHEN {0} IS NULL THEN NULL WHEN {1} = 0 THEN error('division by zero') "
DIVISION = _BY_ZERO + "ELSE CAST({0} AS DOUBLE) / {1} END"
INT_DIVISION = _BY_ZERO + "ELSE CAST({0} // {1} AS BIGINT) END"
REMAINDER = _BY_ZERO + "ELSE {0} % {1} END"
INDEX = (
    "CASE WHEN {1} < 0 OR {1} >= len({0}) "
    "THEN error('the array has no element number ' || {1} || ', counted from 0') "
    "ELSE {0}[{1} + 1] END"
)
ANY_TRUE = (
    "CASE WHEN {0} IS NULL THEN NULL WHEN list_contains({0}, true) THEN true "
    "WHEN list_count({0}) < len({0}) THEN NULL ELSE false END"
)
ALL_TRUE = (
    "CASE WHEN {0} IS NULL THEN NULL WHEN list_contains({0}, false) THEN false "
    "WHEN list_count({0}) < len({0}) THEN NULL ELSE true END"
)
# Letters of which Java makes several, or which it changes by what stands around them.
_MANY_CAPITALS = "[ŉǰΐΰևẖ-ẚὐὒὔὖᾀ-ᾷᾼῂ-ῇῌῒ-ῗῢ-ῧῲ-ῼﬀ-ﬗ]"
_CASES = "error('the case of ' || {0} || ' cannot be changed away from Spark')"

FUNCTIONS: dict[str, tuple[str, ...]] = {
    # numbers
    "abs": ("abs({0})",),
    "sqrt": ("CASE WHEN {0} < 0 THEN CAST('NaN' AS DOUBLE) ELSE sqrt({0}) END",),
    "pow": ("CAST(pow({0}, {1}) AS DOUBLE)",),
    "exp": ("exp({0})",),
    "ln": ("CASE WHEN {0} > 0 THEN ln({0}) END",),
    "log": ("CASE WHEN {0} > 0 THEN ln({0}) END", "CASE WHEN {1} > 0 THEN ln({1}) / ln({0}) END"),
    "log10": ("CASE WHEN {0} > 0 THEN log10({0}) END",),
    "log2": ("CASE WHEN {0} > 0 THEN log2({0}) END",),
    "sin": ("sin({0})",),
    "cos": ("cos({0})",),
    "asin": ("asin({0})",),
    "acos": ("acos({0})",),
    "atan2": ("atan2({0}, {1})",),
    "radians": ("radians({0})",),
    "degrees": ("degrees({0})",),
    "pi": ("pi()",),
    "mod": (REMAINDER,),
    "pmod": (_BY_ZERO + "WHEN {0} % {1} < 0 THEN ({0} % {1} + {1}) % {1} ELSE {0} % {1} END",),
    "greatest": ("greatest({0}, {1}, {all})",),
    "least": ("least({0}, {1}, {all})",),
    "isnan": ("coalesce(isnan({0}), false)",),
    "nanvl": ("CASE WHEN isnan({0}) THEN {1} ELSE {0} END",),
    # conditions
    "if": ("CASE WHEN {0} THEN {1} ELSE {2} END",),
    "coalesce": ("coalesce({0}, {all})",),
    "nvl": ("coalesce({0}, {1})",),
    "nvl2": ("CASE WHEN {0} IS NOT NULL THEN {1} ELSE {2} END",),
    "nullif": ("nullif({0}, {1})",),
    "isnull": ("{0} IS NULL",),
    "isnotnull": ("{0} IS NOT NULL",),
    # text
    "length": ("length({0})",),
    "upper": (
        f"CASE WHEN regexp_matches({{0}}, '{_MANY_CAPITALS}') THEN {_CASES} "
        "ELSE upper(replace({0}, 'ß', 'SS')) END",
    ),
    "lower": (f"CASE WHEN regexp_matches({{0}}, '[İΣ]') THEN {_CASES} ELSE lower({{0}}) END",),
    "trim": ("trim({0})",),
    "ltrim": ("ltrim({0})",),
    "rtrim": ("rtrim({0})",),
    "concat_ws": ("concat_ws({all})",),
    "substring": (
        "substring({0}, CASE WHEN {1} = 0 THEN 1 ELSE {1} END)",
        "substring({0}, CASE WHEN {1} = 0 THEN 1 ELSE {1} END, greatest({2}, 0))",
    ),
    "left": ("left({0}, greatest({1}, 0))",),
    "right": ("right({0}, greatest({1}, 0))",),
    "instr": ("instr({0}, {1})",),
    "locate": (
        "instr({1}, {0})",
        "CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN {2} < 1 THEN 0 "
        "WHEN instr(substring({1}, {2}), {0}) > 0 THEN instr(substring({1}, {2}), {0}) + {2} - 1 "
        "ELSE instr(substring({1}, {2}), {0}) END",
    ),
    "replace": ("replace({0}, {1}, {2})",),
    "startswith": ("starts_with({0}, {1})",),
    "endswith": ("ends_with({0}, {1})",),
    "contains": ("contains({0}, {1})",),
    "lpad": ("lpad({0}, {1}, ' ')", "lpad({0}, {1}, {2})"),
    "rpad": ("rpad({0}, {1}, ' ')", "rpad({0}, {1}, {2})"),
    "repeat": ("repeat({0}, {1})",),
    # times
    "year": ("year({0})",),
    "quarter": ("quarter({0})",),
    "month": ("month({0})",),
    "weekofyear": ("weekofyear({0})",),
    "day": ("day({0})",),
    "dayofyear": ("dayofyear({0})",),
    "dayofweek": ("dayofweek({0}) + 1",),
    "weekday": ("isodow({0}) - 1",),
    "hour": ("hour({0})",),
    "minute": ("minute({0})",),
    "second": ("second({0})",),
    "to_date": ("CAST({0} AS DATE)",),
    "unix_timestamp": ("CAST(trunc(epoch_us({0}) / 1000000) AS BIGINT)",),
    "unix_seconds": ("CAST(floor(epoch_us({0}) / 1000000) AS BIGINT)",),
    "unix_millis": ("CAST(floor(epoch_us({0}) / 1000) AS BIGINT)",),
    "unix_micros": ("epoch_us({0})",),
    "timestamp_seconds": ("to_timestamp({0})",),
    "timestamp_millis": ("make_timestamptz({0} * 1000)",),
    "timestamp_micros": ("make_timestamptz({0})",),
    "date_add": ("CAST({0} AS DATE) + CAST({1} AS INTEGER)",),
    "date_sub": ("CAST({0} AS DATE) - CAST({1} AS INTEGER)",),
    "add_months": ("CAST(CAST({0} AS DATE) + to_months(CAST({1} AS INTEGER)) AS DATE)",),
    "last_day": ("last_day(CAST({0} AS DATE))",),
    # arrays
    "array": ("[{all}]",),
    "array_size": ("len({0})",),
    "get": ("CASE WHEN {1} >= 0 THEN {0}[{1} + 1] END",),
    "array_max": ("list_max({0})",),
    "array_min": ("list_min({0})",),
    "array_join": (
        "array_to_string({0}, {1})",
        "array_to_string(list_transform({0}, lambda _x: coalesce(_x, {2})), {1})",
    ),
    "array_distinct": ("list_filter({0}, lambda _x, _i: list_position({0}, _x) = _i)",),
    "sort_array": (
        "list_sort({0}, 'ASC', 'NULLS FIRST')",
        "CASE WHEN {1} THEN list_sort({0}, 'ASC', 'NULLS FIRST') "
        "ELSE list_sort({0}, 'DESC', 'NULLS LAST') END",
    ),
    "array_sort": ("list_sort({0}, 'ASC', 'NULLS LAST')",),
    "slice": (
        "CASE WHEN {0} IS NULL THEN NULL "
        "WHEN {1} = 0 OR {2} < 0 THEN error('slice takes a start other than 0, a length from 0') "
        "WHEN {1} > 0 THEN list_slice({0}, {1}, {1} + {2} - 1) "
        "WHEN -{1} > len({0}) THEN [] ELSE list_slice({0}, {1}, least({1} + {2} - 1, -1)) END",
    ),
    "flatten": ("CASE WHEN list_count({0}) = len({0}) THEN flatten({0}) END",),
    # maps and structs
    "map_keys": ("map_keys({0})",),
    "map_values": ("map_values({0})",),
}

ALIASES = {
    "ceiling": "ceil",
    "power": "pow",
    "signum": "sign",
    "ifnull": "nvl",
    "char_length": "length",
    "character_length": "length",
    "len": "length",
    "ucase": "upper",
    "lcase": "lower",
    "substr": "substring",
    "regexp_like": "rlike",
    "regexp": "rlike",
    "position": "locate",
    "dayofmonth": "day",
    "date_diff": "datediff",
    "timestampadd": "dateadd",
    "timestampdiff": "datediff",
    "date_part": "extract",
    "datepart": "extract",
    "cardinality": "size",
    "reduce": "aggregate",
}


def takes(template: str, count: int) -> bool:
    """Whether a text has place for so many arguments.

    >>> takes("substring({0}, {1})", 2), takes("[{all}]", 0), takes("least({0}, {1}, {all})", 1)
    (True, True, False)
    """
    least = 1 + max((int(number) for number in re.findall(r"\{(\d)\}", template)), default=-1)
    return count >= least if "{all}" in template else count == least
