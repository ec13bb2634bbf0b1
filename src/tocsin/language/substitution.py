"""Other operands for a node, other patterns for the names in one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields

from tocsin.language.nodes import Expression, Primitive


def substitute(expression: Expression, patterns: Mapping[str, Expression]) -> Expression:
    """The expression with a pattern in place of each primitive whose name is given.

    >>> from tocsin import event
    >>> print(substitute(event("A") >> event("B"), {"B": event("C") | event("D")}))
    A ; (C | D)
    """
    done: list[Expression] = []
    for node in expression.postorder():
        first = len(done) - len(node.children)
        fresh = done[first:]
        if isinstance(node, Primitive):
            node = patterns.get(node.name, node)
        elif any(new is not old for new, old in zip(fresh, node.children, strict=True)):
            node = with_operands(node, fresh)
        done[first:] = [node]
    return done[0]


def with_operands(node: Expression, operands: Iterable[Expression]) -> Expression:
    """The same operator, with the same parameters, over other operands.

    >>> from tocsin import any_of, event
    >>> print(with_operands(any_of(2, event("A"), event("B")), [event("C"), event("D")]))
    any(2; C, D)
    """
    fresh = iter(operands)
    values = []
    for field in fields(node):  # type: ignore[arg-type]  # every node is a dataclass
        value = getattr(node, field.name)
        if isinstance(value, Expression):
            value = next(fresh)
        elif isinstance(value, tuple):
            value = tuple(next(fresh) for _ in value)
        values.append(value)
    return type(node)(*values)
