"""Which rows are occurrences of which primitives (SPEC §1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.errors import DefinitionError, did_you_mean
from tocsin.language.nodes import Expression, Primitive
from tocsin.language.substitution import substitute
from tocsin.tables.source import Source
from tocsin.tables.warn import warn

Matches = dict[Primitive, pa.BooleanArray]
"""For each primitive, whether each row is an occurrence of it."""


def defined(
    patterns: Mapping[str, Expression], define: Mapping[str, str] | None
) -> dict[str, Expression]:
    """The patterns, with predicates for the primitives that `define` names.

    >>> from tocsin.language.builders import event
    >>> defined({"p": event("A") >> event("B")}, {"B": "n > 3"})["p"].definitions()
    {'B': 'n > 3'}
    """
    if define is None:
        return dict(patterns)
    if not isinstance(define, Mapping):
        raise DefinitionError(
            f"define is {define!r}", hint="write a dict, as define={'A': \"amount > 5\"}"
        )
    used = [p for pattern in patterns.values() for p in pattern.primitives()]
    names = [p.name for p in used]
    for name in define:
        if name not in names:
            raise DefinitionError(
                f"define defines {name!r}, which the pattern does not use",
                hint=did_you_mean(str(name), names) or f"it uses {', '.join(names) or 'no events'}",
            )
    for primitive in used:
        predicate = define.get(primitive.name, primitive.predicate)
        if primitive.predicate not in (None, predicate):
            raise DefinitionError(
                f"{primitive.name!r} is defined twice, as {primitive.predicate!r} in the pattern "
                f"and as {predicate!r} in define",
                hint="leave one of the two out",
            )
    made: dict[str, Expression] = {n: Primitive(n, predicate) for n, predicate in define.items()}
    return {label: substitute(pattern, made) for label, pattern in patterns.items()}


def matches(source: Source, primitives: Iterable[Primitive], *, type: str, zone: str) -> Matches:
    """Find the rows of each primitive: by its predicate, or by the column that names its type.

    >>> from tocsin.tables.source import read
    >>> a, b = Primitive("A"), Primitive("late", "time > 1")
    >>> found = matches(read([("A", 1), ("B", 2)]), [a, b], type="type", zone="UTC")
    >>> found[a].to_pylist(), found[b].to_pylist()
    ([True, False], [False, True])
    """
    wanted = list(dict.fromkeys(primitives))
    found = _by_predicate(source, [p for p in wanted if p.predicate is not None], zone)
    by_type = [p for p in wanted if p.predicate is None]
    if by_type:
        types = _texts(source, type)
        found |= {p: _filled(pc.equal(types, p.name)) for p in by_type}
    for primitive in wanted:
        if len(source) and not pc.any(found[primitive]).as_py():
            warn_of_missing(primitive, type, lambda: pc.unique(_texts(source, type)).to_pylist())
    return found


def _by_predicate(source: Source, primitives: list[Primitive], zone: str) -> Matches:
    if not primitives:
        return {}
    from tocsin.tables.sql.query import Query  # DuckDB takes a while to import

    query = Query(
        source.table.column_names, source.column, rows=len(source), zone=zone, place=source.where
    )
    texts = [(f"the event {p.name!r}", str(p.predicate)) for p in primitives]
    results = query.run(texts, conditions=True)
    return {p: _filled(r) for p, r in zip(primitives, results, strict=True)}


def _texts(source: Source, type: str) -> pa.ChunkedArray:
    """The column of types as text: a name is text, whatever the column holds."""
    column = source.column(type, "type")
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        raise DefinitionError(
            f"type is {type!r}, a column of {column.type}, which cannot name types",
            hint="name a column of text, or say by define which rows are which events",
        )
    return column.cast(pa.string())


def _filled(values: pa.ChunkedArray) -> pa.BooleanArray:
    """Null is not true."""
    return pc.fill_null(values.cast(pa.bool_()), False).combine_chunks()


def warn_of_missing(primitive: Primitive, type: str, types: Callable[[], Iterable[Any]]) -> None:
    """Say that no row is an occurrence of a primitive, and which types there are."""
    if primitive.predicate is not None:
        what, hint = f" ({primitive.predicate})", ""
    else:
        known = sorted(filter(None, types()))
        near = did_you_mean(primitive.name, known)
        what = ""
        hint = near or f"{type!r} holds {', '.join(known[:8])}{' …' if len(known) > 8 else ''}"
    message = f"no row is an event {primitive.name!r}{what}"
    warn(f"{message}; {hint}" if hint else message)
