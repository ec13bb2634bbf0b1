"""From an expression back to its text, and to the Python that builds it (SPEC §2).

Both are tables: for each node how tightly it binds and how it is written. An operand is named with
the least binding it may have where it stands; one that binds less gets parentheses. The loop that
fills the tables in does not recurse, so a pattern may be as deep as memory allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any, NamedTuple, TypeAlias

from tocsin.language import nodes
from tocsin.language.durations import Duration
from tocsin.language.nodes import Expression
from tocsin.language.words import quote


class Slot(NamedTuple):
    """Where a field of the node is written, and the least binding an operand may have there."""

    field: str
    least: int
    unsequenced: bool


Form: TypeAlias = tuple[int, list[str | Slot]]
"""How tightly a node binds, and what is written for it."""


def _forms(table: Mapping[type[Expression], tuple[int, str]]) -> dict[type[Expression], Form]:
    forms: dict[type[Expression], Form] = {}
    for node, (binding, template) in table.items():
        pieces: list[str | Slot] = []
        for plain, field, least, _ in Formatter().parse(template):
            pieces.append(plain)
            if field:
                unsequenced = least == "unsequenced"
                pieces.append(Slot(field, 0 if unsequenced else int(least or 0), unsequenced))
        forms[node] = binding, pieces
    return forms


_TEXT = _forms(
    {
        nodes.Disjunction: (1, "{left:1} | {right:2}"),
        nodes.Conjunction: (2, "{left:2} & {right:3}"),
        nodes.Sequence: (3, "{first:3} ; {second:4}"),
        nodes.Negation: (4, "{operand:4} - {absent:5}"),
        nodes.Within: (5, "{operand:5} within {window}"),
        nodes.Nth: (5, "{operand:5}#{index}"),
        nodes.Using: (5, "{operand:5} using {semantics}"),
        nodes.NotBetween: (6, "not({guard:unsequenced}; {first:unsequenced}, {last:unsequenced})"),
        nodes.AnyOf: (6, "any({count}; {operands})"),
        nodes.Aperiodic: (6, "aperiodic({opener}, {body}, {closer})"),
        nodes.AperiodicStar: (6, "aperiodic*({opener}, {body}, {closer})"),
        nodes.Periodic: (6, "periodic({opener}, {period}, {closer})"),
        nodes.PeriodicStar: (6, "periodic*({opener}, {period}, {closer})"),
        nodes.Plus: (6, "plus({operand}, {offset})"),
        nodes.Delay: (6, "delay({operand}, {offset})"),
        nodes.Absent: (6, "absent({operand}, {span})"),
        nodes.Both: (6, "both({left}, {right})"),
        nodes.Either: (6, "either({left}, {right})"),
        nodes.At: (6, 'at("{when}")'),
        nodes.Every: (6, "every({period})"),
        nodes.Nothing: (6, "nothing"),
        nodes.Primitive: (6, "{name}"),
    }
)

_PYTHON = _forms(
    {
        nodes.Disjunction: (1, "{left:1} | {right:2}"),
        nodes.Conjunction: (2, "{left:2} & {right:3}"),
        nodes.Sequence: (3, "{first:3} >> {second:4}"),
        nodes.Negation: (4, "{operand:4} - {absent:5}"),
        nodes.Within: (6, "{operand:6}.within({window})"),
        nodes.Nth: (6, "nth({operand}, {index})"),
        nodes.Using: (6, "{operand:6}.using({semantics})"),
        nodes.NotBetween: (6, "not_({guard}, between=({first}, {last}))"),
        nodes.AnyOf: (6, "any_of({count}, {operands})"),
        nodes.Aperiodic: (6, "aperiodic({opener}, {body}, {closer})"),
        nodes.AperiodicStar: (6, "aperiodic_star({opener}, {body}, {closer})"),
        nodes.Periodic: (6, "periodic({opener}, {period}, {closer})"),
        nodes.PeriodicStar: (6, "periodic_star({opener}, {period}, {closer})"),
        nodes.Plus: (6, "plus({operand}, {offset})"),
        nodes.Delay: (6, "delay({operand}, {offset})"),
        nodes.Absent: (6, "absent({operand}, {span})"),
        nodes.Both: (6, "both({left}, {right})"),
        nodes.Either: (6, "either({left}, {right})"),
        nodes.At: (6, "at({when})"),
        nodes.Every: (6, "every({period})"),
        nodes.Nothing: (6, "nothing"),
        nodes.Primitive: (6, "event({name}{predicate})"),
    }
)


def to_text(expression: Expression) -> str:
    """The text of a pattern; `parse` reads the equal pattern from it.

    >>> from tocsin import event
    >>> to_text((event("A") >> (event("B") | event("log in"))).within("120s"))
    '(A ; (B | `log in`)) within 2min'
    """
    return _write(expression, _TEXT, _text_value)


def to_python(expression: Expression) -> str:
    """The Python that builds the pattern, with the names that `tocsin` exports.

    >>> from tocsin import event
    >>> to_python((event("A") >> event("f", "type = 'x'")).within("2s"))
    '(event(\\'A\\') >> event(\\'f\\', "type = \\'x\\'")).within(\\'2s\\')'
    """
    return _write(expression, _PYTHON, _python_value)


def _text_value(field: str, value: Any) -> str:
    return quote(value) if field == "name" else str(value)


def _python_value(field: str, value: Any) -> str:
    if field == "predicate":
        return "" if value is None else f", {value!r}"
    return repr(value.literal if isinstance(value, Duration) else value)


def _write(
    expression: Expression,
    forms: Mapping[type[Expression], Form],
    value: Callable[[str, Any], str],
) -> str:
    written: list[str] = []
    # What is still to be written, the next thing last: text, or an operand, its least binding
    # and whether a sequence in it must stand in parentheses because not(B; A, C) uses the `;`.
    todo: list[str | tuple[Expression, int, bool]] = [(expression, 0, False)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            written.append(item)
            continue
        node, least, unsequenced = item
        binding, pieces = forms[type(node)]
        enclosed = binding < least or (unsequenced and isinstance(node, nodes.Sequence))
        shows = isinstance(node, nodes.Disjunction | nodes.Conjunction) and not enclosed
        parts: list[str | tuple[Expression, int, bool]] = ["("] if enclosed else []
        for piece in pieces:
            if isinstance(piece, str):
                parts.append(piece)
                continue
            content = getattr(node, piece.field)
            if isinstance(content, Expression):
                parts.append((content, piece.least, piece.unsequenced or (unsequenced and shows)))
            elif isinstance(content, tuple):
                for number, operand in enumerate(content):
                    parts += [", ", (operand, 0, False)] if number else [(operand, 0, False)]
            else:
                parts.append(value(piece.field, content))
        todo += [")"] if enclosed else []
        todo += reversed(parts)
    return "".join(written)
