"""A Spark SQL tree in DuckDB's words: its names, its functions, what is known of types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from tocsin.errors import DefinitionError, did_you_mean
from tocsin.tables.sql import casts
from tocsin.tables.sql.functions import ALIASES, FUNCTIONS, takes
from tocsin.tables.sql.operators import OPERATORS, PARTS
from tocsin.tables.sql.search import SEARCHES
from tocsin.tables.sql.typed import TYPED, text

TypeOf = Callable[[str, Sequence[tuple[str, str]]], Any]
"""The DuckDB type of a text, given the parameters of the functions around it and their like."""

FUNCTIONS_BY_TYPE = TYPED | SEARCHES


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function such as `x -> x + 1`."""

    name: str
    own: str
    """What it is called in DuckDB."""
    text: str
    """What stands for it there."""
    like: str
    """Something of the same type."""


class Translator:
    """Says one expression in DuckDB's words.

    `columns` maps the names that the expression may use to DuckDB's.
    """

    def __init__(self, columns: Mapping[str, str], type_of: TypeOf, where: str) -> None:
        self._columns = columns
        self._type_of = type_of
        self._where = where
        self._parameters: list[Parameter] = []
        """Those of the functions around the place, the innermost last."""

    def error(self, what: str, hint: str | None = None) -> DefinitionError:
        """An error that names the expression."""
        return DefinitionError(what, where=self._where, hint=hint)

    def type(self, sql: str) -> Any:
        """The type of a translated text."""
        return self._type_of(sql, [(p.own, p.like) for p in self._parameters])

    def kind(self, sql: str) -> str:
        """The type's family, as DuckDB names it: 'integer', 'varchar', 'list', …"""
        return str(self.type(sql).id)

    def sql(self, node: exp.Expression) -> str:
        """The text of a tree: one word, one call, or in parentheses."""
        kind = type(node)
        set_parts = {part for part, value in node.args.items() if value not in (None, False, [])}
        if kind is exp.Anonymous:
            return self._call(str(node.this), node.expressions)
        if kind is exp.Column:
            return self._column(node)
        if kind is exp.Dot:
            inner = node.this
            of = self._name(inner.name) if isinstance(inner, exp.Identifier) else self.sql(inner)
            return self.field(of, node.expression.name)
        if kind is exp.Identifier:
            return self._name(node.name)
        if kind in OPERATORS and set_parts <= PARTS.get(kind, {"this", "expression"}):
            return OPERATORS[kind](self, node)
        raise self.error(
            f"'{node.sql('spark')}' is not known away from Spark", "write it in simpler words"
        )

    def call(self, name: str, *arguments: exp.Expression) -> str:
        """The text of a call of one of Spark's functions."""
        return self._call(name, arguments)

    def condition(self, node: exp.Expression) -> str:
        """The text of a tree that must be true or false."""
        sql = self.sql(node)
        if self.kind(sql) not in ("boolean", "null"):
            raise self.error(
                f"'{node.sql('spark')}' is neither true nor false but a {self.type(sql)}",
                "write a condition",
            )
        return sql

    def all(self, arguments: Sequence[exp.Expression], count: int, name: str) -> list[str]:
        """All arguments, translated; as many as the function takes."""
        if len(arguments) != count:
            raise self.error(f"{name} takes {count} arguments, not {len(arguments)}")
        return [self.sql(argument) for argument in arguments]

    def numbers(self, values: list[str]) -> list[str]:
        """The values, floats made doubles among other numbers: DuckDB would do the opposite."""
        kinds = [self.kind(value) for value in values]
        if "float" not in kinds or not set(kinds) & (casts.NUMBERS - {"float"}):
            return values
        return [
            f"CAST({value} AS DOUBLE)" if kind == "float" else value
            for value, kind in zip(values, kinds, strict=True)
        ]

    def function(
        self, name: str, node: exp.Expression, like: Sequence[str], texts: Sequence[str] = ()
    ) -> str:
        """A function as an argument, given something of the type of each of its parameters."""
        if not isinstance(node, exp.Lambda) or len(node.expressions) > len(like):
            raise self.error(f"{name} takes a function", f"write {name}(values, x -> …)")
        outside = list(self._parameters)
        made = []
        for number, parameter in enumerate(node.expressions):
            own = f"_p{len(outside) + number}"
            text = texts[number].format(own) if texts else own
            made.append(Parameter(parameter.name, own, text, like[number]))
        self._parameters = [*outside, *made]
        body = self.sql(node.this)
        self._parameters = outside
        return f"lambda {', '.join(p.own for p in made)}: {body}"

    def over(self, name: str, arguments: Sequence[exp.Expression]) -> tuple[str, str]:
        """An array and a function over its elements; a second parameter is the place, from 0."""
        if len(arguments) != 2:
            raise self.error(f"{name} takes an array and a function")
        values = self.sql(arguments[0])
        if self.kind(values) not in ("list", "null"):
            raise self.error(f"{name} takes an array, not a {self.type(values)}")
        # DuckDB counts places from 1.
        like, texts = [f"{values}[1]", "0"], ["{}", "({} - 1)"]
        return values, self.function(name, arguments[1], like, texts)

    def field(self, sql: str, name: str) -> str:
        """A field of a struct, or of every struct of an array; or the value of a key of a map."""
        found = self.type(sql)
        if found.id == "map":
            return f"{sql}[{text(name)}]"
        many = found.id == "list"
        fields = dict(found.children)["child"] if many else found
        if fields.id != "struct":
            raise self.error(f"there is no field {name!r} in a value of type {found}")
        known = [field for field, _ in fields.children]
        alike = [field for field in known if field.lower() == name.lower()]
        if len(alike) != 1:
            near = did_you_mean(name, known) or "name one that there is"
            raise self.error(f"there is no field {name!r}", f"{near} (fields: {', '.join(known)})")
        if many:
            return f"list_transform({sql}, lambda _x: struct_extract(_x, {text(alike[0])}))"
        return f"struct_extract({sql}, {text(alike[0])})"

    def _column(self, node: exp.Column) -> str:
        if isinstance(node.this, exp.Star):
            raise self.error("'*' is no value", "name a column")
        first, *fields = [part.name for part in node.parts]
        sql = self._name(first)
        for field in fields:
            sql = self.field(sql, field)
        return sql

    def _name(self, name: str) -> str:
        for parameter in reversed(self._parameters):
            if parameter.name.lower() == name.lower():
                return parameter.text
        if name in self._columns:
            return self._columns[name]
        alike = [column for column in self._columns if column.lower() == name.lower()]
        if len(alike) == 1:
            return self._columns[alike[0]]
        if alike:
            raise self.error(f"{name!r} may be any of {', '.join(alike)}", "rename all but one")
        near = did_you_mean(name, list(self._columns)) or "name one that there is"
        listed = f"columns: {', '.join(self._columns)}"
        raise self.error(f"there is no column {name!r}", f"{near} ({listed})")

    def _call(self, written: str, arguments: Sequence[exp.Expression]) -> str:
        name = ALIASES.get(written.lower(), written.lower())
        if name in FUNCTIONS_BY_TYPE:
            return f"({FUNCTIONS_BY_TYPE[name](self, arguments)})"
        templates = FUNCTIONS.get(name)
        if templates is None:
            known = [*FUNCTIONS, *FUNCTIONS_BY_TYPE, *ALIASES]
            raise self.error(
                f"the function {written} is not known away from Spark",
                did_you_mean(written.lower(), known) or "write it with other functions",
            )
        for template in templates:
            if takes(template, len(arguments)):
                values = self.numbers([self.sql(argument) for argument in arguments])
                return f"({template.format(*values, all=', '.join(values))})"
        raise self.error(f"{written} does not take {len(arguments)} arguments")
