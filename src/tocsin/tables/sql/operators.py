"""Spark's operators in DuckDB's words, with what Spark does when types differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tocsin.tables.sql import casts
from tocsin.tables.sql.functions import DIVISION, INDEX, INT_DIVISION, REMAINDER
from tocsin.tables.sql.typed import check_division, text

if TYPE_CHECKING:
    from tocsin.tables.sql.translate import Translator

NULL = {"null"}
"""The type of what is null whatever the row."""

Operator = Callable[["Translator", Any], str]


def _logical(word: str) -> Operator:
    def operator(t: Translator, node: exp.Connector) -> str:
        # A chain of a thousand conditions is as deep as it is long, so it is taken as a list.
        return f"({word.join(t.condition(part) for part in node.flatten())})"

    return operator


def _comparison(sign: str) -> Operator:
    def operator(t: Translator, node: exp.Binary) -> str:
        left, right = _comparable(t, node.left, node.right)
        return f"({left} {sign} {right})"

    return operator


def _division(template: str) -> Operator:
    def operator(t: Translator, node: exp.Binary) -> str:
        left, right = _coerced(t, node.left, node.right)
        if template is DIVISION:
            check_division(t, left, right)
        if template is INT_DIVISION and not {t.kind(left), t.kind(right)} <= casts.INTEGERS | NULL:
            raise t.error("div takes integers", "write / for other numbers")
        return f"({template.format(left, right)})"

    return operator


def _bits(template: str) -> Operator:
    def operator(t: Translator, node: exp.Binary) -> str:
        return template.format(t.sql(node.left), t.sql(node.right))

    return operator


def _arithmetic(sign: str) -> Operator:
    def operator(t: Translator, node: exp.Binary) -> str:
        left, right = _coerced(t, node.left, node.right)
        kinds = t.kind(left), t.kind(right)
        if "boolean" in kinds:
            raise t.error("truth values cannot be calculated with", "cast them to int")
        if sign == "-" and kinds == ("date", "date"):
            return f"to_days(CAST({left} - {right} AS INTEGER))"
        if sign == "-" and "date" in kinds and set(kinds) & {"timestamp", casts.ZONED}:
            return f"(CAST({left} AS TIMESTAMPTZ) - CAST({right} AS TIMESTAMPTZ))"
        sql = f"({left} {sign} {right})"
        if set(kinds) == {"date", "interval"}:
            interval = node.right if kinds[0] == "date" else node.left
            return f"CAST({sql} AS {'DATE' if _is_of_days(interval) else 'TIMESTAMPTZ'})"
        return sql

    return operator


def _is_of_days(node: exp.Expression) -> bool:
    """Whether an interval, by the way it is written, leaves a date a date."""
    unit = node.args.get("unit") if isinstance(node, exp.Interval) else None
    return unit is not None and unit.name.lower().rstrip("s") in ("day", "week", "month", "year")


def _coerced(t: Translator, left: exp.Expression, right: exp.Expression) -> tuple[str, str]:
    """Both sides; a text is made a number or a time where the other side is one."""
    first, second = t.numbers([t.sql(left), t.sql(right)])
    return _made_like(t, first, second), _made_like(t, second, first)


def _made_like(t: Translator, sql: str, other: str) -> str:
    kind, example = t.kind(sql), t.kind(other)
    if kind != "varchar" or example not in casts.NUMBERS | casts.TIMES:
        return sql
    if example in casts.INTEGERS:
        target = "BIGINT"
    else:
        target = "DOUBLE" if example in casts.NUMBERS else example.upper()
    return f"({casts.cast(sql, kind, target)})"


def _comparable(t: Translator, left: exp.Expression, right: exp.Expression) -> tuple[str, str]:
    first, second = _coerced(t, left, right)
    kinds = {t.kind(first), t.kind(second)}
    if "boolean" in kinds and kinds & (casts.NUMBERS | {"varchar"}):
        raise t.error(
            f"'{left.sql('spark')}' and '{right.sql('spark')}' cannot be compared, one of them is "
            "true or false",
            "write 'b' or 'not b' for a truth value b",
        )
    return first, second


def _like(t: Translator, node: exp.Expression) -> str:
    escape = "\\"
    if isinstance(node, exp.Escape):
        escape, node = node.expression.this, node.this
    if not isinstance(node, exp.Like | exp.ILike):
        raise t.error("'escape' belongs to 'like'")
    word = "ILIKE" if isinstance(node, exp.ILike) else "LIKE"
    if node.args.get("negate"):
        word = f"NOT {word}"
    patterns, join = [node.expression], ""
    if isinstance(node.expression, exp.Any | exp.All):
        join = " OR " if isinstance(node.expression, exp.Any) else " AND "
        listed = node.expression.this
        patterns = listed.expressions if isinstance(listed, exp.Tuple) else [listed]
    subject = t.sql(node.this)
    each = (f"{subject} {word} {t.sql(pattern)} ESCAPE {text(escape)}" for pattern in patterns)
    return f"({join.join(each)})"


def _in(t: Translator, node: exp.In) -> str:
    pairs = [_comparable(t, node.this, value) for value in node.expressions]
    return f"({' OR '.join(f'{left} = {right}' for left, right in pairs)})"


def _between(t: Translator, node: exp.Between) -> str:
    above, low = _comparable(t, node.this, node.args["low"])
    below, high = _comparable(t, node.this, node.args["high"])
    return f"({above} >= {low} AND {below} <= {high})"


def _case(t: Translator, node: exp.Case) -> str:
    default = node.args.get("default") or exp.Null()
    results = [*(branch.args["true"] for branch in node.args["ifs"]), default]
    values = t.numbers([t.sql(result) for result in results])
    branches = ""
    for branch, value in zip(node.args["ifs"], values, strict=False):
        if node.this is None:
            condition = t.condition(branch.this)
        else:
            condition = " = ".join(_comparable(t, node.this, branch.this))
        branches += f" WHEN {condition} THEN {value}"
    return f"(CASE{branches} ELSE {values[-1]} END)"


def _cast(t: Translator, node: exp.Expression) -> str:
    target = casts.NAMES.get(node.to.this.name)
    if target is None:
        raise t.error(f"the type {node.to.sql('spark')} is not known away from Spark")
    if target == "DECIMAL":
        target = f"DECIMAL({', '.join(p.name for p in node.to.expressions) or '10, 0'})"
    sql = t.sql(node.this)
    kind = t.kind(sql)
    if not casts.is_possible(kind, target):
        raise t.error(f"a {t.type(sql)} cannot be cast to {target}")
    return f"({casts.cast(sql, kind, target, trying=isinstance(node, exp.TryCast))})"


def _interval(t: Translator, node: exp.Interval) -> str:
    unit = node.args.get("unit")
    if not isinstance(node.this, exp.Literal) or not isinstance(unit, exp.Var | None):
        raise t.error("an interval has a number and a unit", "write 'interval 90 minutes'")
    written = node.this.this if unit is None else f"{node.this.this} {unit.name}"
    return f"CAST({text(written)} AS INTERVAL)"


def _bracket(t: Translator, node: exp.Bracket) -> str:
    """`values[place]`: by key from a map, from 0 on in an array."""
    values, place = t.sql(node.this), t.sql(node.expressions[0])
    if t.kind(values) == "map":
        return f"{values}[{place}]"
    return f"({INDEX.format(values, place)})"


OPERATORS: dict[type[exp.Expression], Operator] = {
    exp.Literal: lambda t, node: text(node.this) if node.is_string else str(node.this),
    exp.RawString: lambda t, node: text(node.this),
    exp.Boolean: lambda t, node: "true" if node.this else "false",
    exp.Null: lambda t, node: "NULL",
    exp.Paren: lambda t, node: t.sql(node.this),
    exp.And: _logical(" AND "),
    exp.Or: _logical(" OR "),
    exp.Not: lambda t, node: f"(NOT {t.condition(node.this)})",
    exp.EQ: _comparison("="),
    exp.NEQ: _comparison("<>"),
    exp.LT: _comparison("<"),
    exp.LTE: _comparison("<="),
    exp.GT: _comparison(">"),
    exp.GTE: _comparison(">="),
    exp.NullSafeEQ: _comparison("IS NOT DISTINCT FROM"),
    exp.NullSafeNEQ: _comparison("IS DISTINCT FROM"),
    exp.Is: lambda t, node: f"({t.sql(node.this)} IS {t.sql(node.expression)})",
    exp.Add: _arithmetic("+"),
    exp.Sub: _arithmetic("-"),
    exp.Mul: _arithmetic("*"),
    exp.Div: _division(DIVISION),
    exp.IntDiv: _division(INT_DIVISION),
    exp.Mod: _division(REMAINDER),
    exp.Neg: lambda t, node: f"(-{t.sql(node.this)})",
    exp.BitwiseAnd: _bits("({} & {})"),
    exp.BitwiseOr: _bits("({} | {})"),
    exp.BitwiseXor: _bits("xor({}, {})"),
    exp.BitwiseNot: lambda t, node: f"(~{t.sql(node.this)})",
    exp.Like: _like,
    exp.ILike: _like,
    exp.Escape: _like,
    exp.RegexpLike: lambda t, node: t.call("rlike", node.this, node.expression),
    exp.DPipe: lambda t, node: t.call("concat", node.left, node.right),
    exp.In: _in,
    exp.Between: _between,
    exp.Case: _case,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Interval: _interval,
    exp.Bracket: _bracket,
    exp.Extract: lambda t, node: t.call("extract", node.this, node.expression),
}

PARTS: dict[type[exp.Expression], set[str]] = {
    exp.Literal: {"this", "is_string"},
    exp.Like: {"this", "expression", "negate"},
    exp.ILike: {"this", "expression", "negate"},
    exp.DPipe: {"this", "expression", "safe"},
    exp.Div: {"this", "expression", "typed", "safe"},
    exp.In: {"this", "expressions"},
    exp.Between: {"this", "low", "high"},
    exp.Case: {"this", "ifs", "default"},
    exp.Cast: {"this", "to"},
    exp.TryCast: {"this", "to", "safe"},
    exp.Interval: {"this", "unit"},
    exp.Bracket: {"this", "expressions", "offset"},
}
"""What a node may hold besides `this` and `expression`; with anything else it is refused."""
