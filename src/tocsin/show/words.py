"""Every operator in one sentence, with the names of its operands filled in (SPEC §2, §3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import time

from tocsin.language import nodes
from tocsin.language.nodes import Expression

CHAINS = (nodes.Disjunction, nodes.Conjunction, nodes.Sequence)
"""Operators that people write in a row, `A ; B ; C`; a row is explained in one sentence."""

_SHOWN = 6  # operands of a long chain that are named


# In braces: a field of the node. A field that is a pattern is replaced by the pattern's name.
_SENTENCES: Mapping[type[Expression], str] = {
    nodes.Nothing: "never occurs",
    nodes.Every: "again and again, every {period}, counted from the epoch",
    nodes.Negation: "{operand}, with no {absent} during it",
    nodes.Within: "{operand}, lasting at most {window} from start to end",
    nodes.NotBetween: "{first}, then {last}, with no {guard} between the two",
    nodes.Aperiodic: "every {body} after {opener}, until {closer} occurs",
    nodes.AperiodicStar: "all {body} between {opener} and {closer} together, "
    "once, detected with {closer}",
    nodes.Periodic: "the instants every {period} after {opener}, until {closer} occurs",
    nodes.PeriodicStar: "all instants every {period} after {opener} and before {closer} together, "
    "once, detected with {closer}",
    nodes.Plus: "the instant {offset} after {operand}",
    nodes.Delay: "{operand}, extended by {offset}",
    nodes.Absent: "no {operand} for {span}: once per silence, "
    "{span} after the last one or after observation began",
    nodes.Both: "{left} and {right} of the same events: what both name is the same rows in both",
    nodes.Either: "{left} or {right}, once where both are made of the same events",
}

_WORDS: Mapping[type[Expression], str] = {
    nodes.Primitive: "event",
    nodes.Disjunction: "or",
    nodes.Conjunction: "and",
    nodes.Sequence: "then",
    nodes.Negation: "without",
    nodes.NotBetween: "not",
    nodes.AnyOf: "any",
    nodes.AperiodicStar: "aperiodic*",
    nodes.PeriodicStar: "periodic*",
    nodes.Nth: "nth",
}

SEMANTICS: Mapping[str, str] = {
    "restricted": "for each end, only the one that starts last",
    "unrestricted": "every combination counts",
    "recent": "the most recent initiator counts, and stays",
    "chronicle": "the oldest initiator counts, and is used up",
    "continuous": "each initiator gives an occurrence of its own, and is used up",
    "cumulative": "all initiators go into one occurrence, and are used up",
}
"""How a semantics chooses among the possible occurrences (SPEC §3-§5)."""


def word(node: Expression) -> str:
    """The word of the language for an operator.

    >>> word(nodes.Sequence(nodes.Primitive("A"), nodes.Primitive("B")))
    'then'
    """
    return _WORDS.get(type(node), type(node).__name__.lower())


def meaning(event: nodes.Primitive) -> str:
    """Which rows a primitive stands for.

    >>> meaning(nodes.Primitive("B")), meaning(nodes.Primitive("hot", "celsius > 35"))
    ("rows whose type is 'B'", 'rows where celsius > 35')
    """
    if event.predicate is None:
        return f"rows whose type is '{event.name}'"
    return f"rows where {event.predicate}"


def sentence(node: Expression, names: Sequence[str]) -> str:
    """What a node does; `names` stand for its operands, for all operands of a chain in a row.

    >>> a, b = nodes.Primitive("A"), nodes.Primitive("B")
    >>> sentence(nodes.Negation(a, b), ["A", "B"])
    'A, with no B during it'
    >>> sentence(nodes.Nth(a, 22), ["A"])
    'every 22nd A, from the first of each 22 to the last'
    """
    match node:
        case nodes.Primitive():
            return meaning(node)
        case nodes.Sequence():
            return enumerate_(names, ", then ") + ", each after the end of the one before"
        case nodes.Conjunction():
            return enumerate_(names, " and ") + ", in any order"
        case nodes.Disjunction():
            return enumerate_(names, " or ")
        case nodes.AnyOf(count=count):
            return f"any {count} of {enumerate_(names, ', ')}, in any order"
        case nodes.Nth(index=index):
            return f"every {ordinal(index)} {names[0]}, from the first of each {index} to the last"
        case nodes.At(moment=time()):
            return f"every day at {node.when}"
        case nodes.At():
            return f"once, at {node.when}"
        case nodes.Using(semantics=semantics):
            return f"{names[0]}, where {SEMANTICS[semantics]}"
    given = iter(names)
    filled = {
        field.name: next(given) if field.type == "Expression" else getattr(node, field.name)
        for field in fields(node)  # type: ignore[arg-type]  # every node is a dataclass
    }
    return _SENTENCES[type(node)].format_map(filled)


def enumerate_(names: Sequence[str], between: str) -> str:
    """Names in a row; of very many, the first ones and the last.

    >>> enumerate_(list("ABCDEFGHI"), ", ")
    'A, B, C, D, E, … (3 more), I'
    """
    if len(names) <= _SHOWN + 1:
        return between.join(names)
    left_out = f"… ({len(names) - _SHOWN:,} more)"
    return between.join([*names[: _SHOWN - 1], left_out, names[-1]])


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 101st.

    >>> ordinal(1), ordinal(12), ordinal(103)
    ('1st', '12th', '103rd')
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10)
    return f"{number}{ending or 'th'}"
