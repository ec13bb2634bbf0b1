"""How often a primitive can be part of one occurrence: never, once, or several times (SPEC §11)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat

from tocsin.language import nodes
from tocsin.language.nodes import Expression

Counts = dict[str, int]
"""For each name the most parts of that name in one occurrence; SEVERAL stands for any more."""

SEVERAL = 2


def multiplicity(pattern: Expression, semantics: str = "restricted") -> Counts:
    """The most parts of each name in one occurrence: 1, or `SEVERAL`.

    A name that only guards (`B` in `A - B`) is never part of an occurrence and is left out.

    >>> from tocsin.language.builders import event
    >>> a, b = event("A"), event("B")
    >>> multiplicity(a >> a >> b), multiplicity(a >> b, "cumulative")
    ({'A': 2, 'B': 1}, {'A': 2, 'B': 1})
    """
    goal = (pattern, semantics)
    known: dict[tuple[Expression, str], Counts] = {}
    waiting = [goal]
    while waiting:
        node, outer = waiting[-1]
        inner = node.semantics if isinstance(node, nodes.Using) else outer
        missing = [child for child in node.children if (child, inner) not in known]
        if missing:
            waiting.extend(zip(missing, repeat(inner)))
            continue
        if waiting[-1] not in known:
            operands = [known[child, inner] for child in node.children]
            known[node, outer] = _of_node(node, operands, inner == "cumulative")
        waiting.pop()
    return known[goal]


def _of_node(node: Expression, operands: Sequence[Counts], cumulative: bool) -> Counts:
    """SPEC §3's union of parts; in the cumulative context initiators are all in one (§5)."""
    every = _many if cumulative else _same
    match node:
        case nodes.Primitive(name):
            return {name: 1}
        case nodes.Nothing() | nodes.At() | nodes.Every() | nodes.Absent():
            return {}
        case nodes.Disjunction() | nodes.Either() | nodes.Both():
            # Names that are in both sides of `both` have the same rows in both.
            return most_of_any(operands)
        case nodes.Sequence():
            return _sum([every(operands[0]), operands[1]])
        case nodes.Conjunction():
            return _sum(map(every, operands))
        case nodes.AnyOf(count):
            return _largest(count, [every(operand) for operand in operands])
        case nodes.NotBetween():
            _, first, last = operands
            return _sum([every(first), last])
        case nodes.Aperiodic():
            opener, body, _ = operands
            return _sum([every(opener), body])
        case nodes.AperiodicStar():
            opener, body, closer = operands
            return _sum([every(opener), _many(body), closer])
        case nodes.Periodic():
            return every(operands[0])
        case nodes.PeriodicStar():
            opener, closer = operands
            return _sum([every(opener), closer])
        case nodes.Nth(_, index):
            return operands[0] if index == 1 else _many(operands[0])
        case nodes.Negation() | nodes.Within() | nodes.Plus() | nodes.Delay() | nodes.Using():
            return operands[0]
        case _:
            raise NotImplementedError(f"multiplicity of {type(node).__name__}")


def _same(counts: Counts) -> Counts:
    return counts


def _many(counts: Counts) -> Counts:
    return dict.fromkeys(counts, SEVERAL)


def _sum(operands: Iterable[Counts]) -> Counts:
    total: Counts = {}
    for counts in operands:
        for name, count in counts.items():
            total[name] = min(total.get(name, 0) + count, SEVERAL)
    return total


def most_of_any(operands: Iterable[Counts]) -> Counts:
    """The most parts of each name in one occurrence of any of several patterns."""
    most: Counts = {}
    for counts in operands:
        for name, count in counts.items():
            most[name] = max(most.get(name, 0), count)
    return most


def _largest(count: int, operands: Sequence[Counts]) -> Counts:
    """Of any `count` operands: for each name those that have the most of it."""
    names = {name: None for counts in operands for name in counts}
    return {
        name: min(sum(sorted((c.get(name, 0) for c in operands), reverse=True)[:count]), SEVERAL)
        for name in names
    }
