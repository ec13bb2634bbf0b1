"""What a pattern is made of: immutable nodes, checked when built, equal by structure (SPEC §2).

Nodes are data. What they mean is in `semantics/`, how they are written in `parser` and `printer`.
Nothing here recurses, so a pattern may be as deep as memory allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime, time, timedelta
from typing import Any, TypeVar, dataclass_transform

from tocsin.errors import DefinitionError, did_you_mean
from tocsin.language.durations import Duration

CONTEXTS = ("recent", "chronicle", "continuous", "cumulative")
"""The parameter contexts of Snoop and Sentinel (SPEC §5)."""

T = TypeVar("T")

USABLE = ("restricted", "unrestricted", *CONTEXTS)
"""What `using` can set on a part of a pattern (SPEC §5)."""


class Expression:
    """A pattern of events. Build one with `event`, the operators `| & >> -` and the builders.

    >>> from tocsin import event
    >>> a, b = event("A"), event("B")
    >>> print((a >> b).within("2s") - event("C"))
    (A ; B) within 2s - C
    """

    _children: tuple[Expression, ...]
    _parameters: tuple[Any, ...]
    _hash: int

    def __post_init__(self) -> None:
        children: list[Expression] = []
        for field in fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            value = getattr(self, field.name)
            if field.type == "Expression":
                children.append(_expression(value, f"the {field.name} of {type(self).__name__}"))
            elif field.type == "tuple[Expression, ...]":
                value = tuple(_expression(v, f"an operand of {type(self).__name__}") for v in value)
                object.__setattr__(self, field.name, value)
                children.extend(value)
            elif field.type == "Duration":
                object.__setattr__(self, field.name, Duration.of(value))
        self._check()
        parameters = (
            getattr(self, field.name)
            for field in fields(self)  # type: ignore[arg-type]
            if field.type not in ("Expression", "tuple[Expression, ...]")
        )
        object.__setattr__(self, "_children", tuple(children))
        object.__setattr__(self, "_parameters", tuple(parameters))
        own = (type(self).__name__, self._parameters, tuple(c._hash for c in children))
        object.__setattr__(self, "_hash", hash(own))

    def _check(self) -> None:
        """Refuse parameters that have no meaning; subclasses say which."""

    @property
    def children(self) -> tuple[Expression, ...]:
        """The operands, from left to right."""
        return self._children

    @property
    def parameters(self) -> tuple[Any, ...]:
        """What the node holds besides its operands: names, durations, numbers."""
        return self._parameters

    def postorder(self) -> Iterator[Expression]:
        """Every node of the tree, operands before the operators that use them."""
        stack: list[tuple[Expression, bool]] = [(self, False)]
        while stack:
            node, open_ = stack.pop()
            if open_ or not node.children:
                yield node
            else:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(node.children))

    def primitives(self) -> tuple[Primitive, ...]:
        """The primitives of the pattern, each once, in the order of their first use."""
        found: dict[str, Primitive] = {}
        for node in self.postorder():
            if isinstance(node, Primitive):
                known = found.setdefault(node.name, node)
                if known.predicate != node.predicate:
                    raise DefinitionError(
                        f"the event {node.name!r} is defined twice, as {known.predicate!r} "
                        f"and as {node.predicate!r}",
                        hint="give one of the two another name",
                    )
        return tuple(found.values())

    def definitions(self) -> dict[str, str]:
        """The predicates that came with the pattern's primitives: what its text does not say."""
        return {p.name: p.predicate for p in self.primitives() if p.predicate is not None}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        pairs: list[tuple[Expression, Expression]] = [(self, other)]
        seen: set[tuple[int, int]] = set()
        while pairs:
            left, right = pairs.pop()
            if left is right or (id(left), id(right)) in seen:
                continue
            if (
                left._hash != right._hash
                or type(left) is not type(right)
                or left.parameters != right.parameters
                or len(left.children) != len(right.children)
            ):
                return False
            seen.add((id(left), id(right)))
            pairs.extend(zip(left.children, right.children, strict=True))
        return True

    def __hash__(self) -> int:
        return self._hash

    def __or__(self, other: Expression) -> Expression:
        return Disjunction(self, _expression(other, "the right side of |"))

    def __and__(self, other: Expression) -> Expression:
        return Conjunction(self, _expression(other, "the right side of &"))

    def __rshift__(self, other: Expression) -> Expression:
        return Sequence(self, _expression(other, "the right side of >>"))

    def __sub__(self, other: Expression) -> Expression:
        return Negation(self, _expression(other, "the right side of -"))

    def within(self, window: Duration | timedelta | int | str) -> Expression:
        """Only occurrences that last at most `window`, as `(a >> b).within("2s")`."""
        return Within(self, window)  # type: ignore[arg-type]

    def using(self, semantics: str) -> Expression:
        """The same pattern under another semantics, down to the next `using` (SPEC §5)."""
        return Using(self, semantics)

    def __bool__(self) -> bool:
        raise TypeError(
            "a pattern is neither true nor false; write | & - for 'or', 'and', 'not', "
            "and 'is not None' to ask whether there is one"
        )

    def __str__(self) -> str:
        from tocsin.language.printer import to_text

        return to_text(self)

    def __repr__(self) -> str:
        from tocsin.language.printer import to_python

        return to_python(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through text: pickle itself would recurse as deep as the pattern.
        from tocsin.language.parser import parse

        return parse, (str(self), self.definitions())


def _expression(value: object, place: str) -> Expression:
    if isinstance(value, Expression):
        return value
    hint = f"write event({value!r})" if isinstance(value, str) else "build it with tocsin.event"
    raise DefinitionError(
        f"{place} is {value!r}, a {type(value).__name__}, not a pattern", hint=hint
    )


def _positive(node: Expression, duration: Duration) -> None:
    if duration.count == 0:
        raise DefinitionError(
            f"{type(node).__name__} with a duration of 0 would never come to an end",
            hint="write a duration above 0",
        )


@dataclass_transform(frozen_default=True, eq_default=False)
def _node(cls: type[T]) -> type[T]:
    """A node is a frozen dataclass that keeps the equality and the printing above."""
    return dataclass(frozen=True, eq=False, repr=False)(cls)


@_node
class Primitive(Expression):
    """A row for which the predicate holds; without one, a row whose type is the name."""

    name: str
    predicate: str | None = None

    def _check(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise DefinitionError(
                f"an event's name is {self.name!r}", hint="write a text that is not empty"
            )
        if self.predicate is not None and not isinstance(self.predicate, str):
            raise DefinitionError(
                f"the predicate of {self.name!r} is {self.predicate!r}, not text",
                hint="write a Spark SQL condition, as \"type = 'login'\"",
            )


@_node
class Nothing(Expression):
    """`nothing`: the event that never occurs."""


@_node
class At(Expression):
    """`at("17:00")`: every day at that time; `at("2026-11-15 17:00")`: once."""

    when: str

    def _check(self) -> None:
        object.__setattr__(self, "when", _clock_time(self.when))

    @property
    def moment(self) -> time | datetime:
        """The time of day, or the one moment."""
        daily = ":" in self.when[:3]
        return time.fromisoformat(self.when) if daily else datetime.fromisoformat(self.when)


@_node
class Every(Expression):
    """`every(1h)`: again and again, counted from the epoch in the session's time zone."""

    period: Duration

    def _check(self) -> None:
        _positive(self, self.period)


@_node
class Disjunction(Expression):
    """`A | B`: either."""

    left: Expression
    right: Expression


@_node
class Conjunction(Expression):
    """`A & B`: both, in any order."""

    left: Expression
    right: Expression


@_node
class Sequence(Expression):
    """`A ; B`: first A, then B."""

    first: Expression
    second: Expression


@_node
class Negation(Expression):
    """`A - B`: A with no B during it."""

    operand: Expression
    absent: Expression


@_node
class Within(Expression):
    """`A within τ`: A, lasting at most τ."""

    operand: Expression
    window: Duration


@_node
class NotBetween(Expression):
    """`not(B; A, C)`: A then C, and no B between."""

    guard: Expression
    first: Expression
    last: Expression


@_node
class AnyOf(Expression):
    """`any(m; E1, …, En)`: m different ones of the operands, in any order."""

    count: int
    operands: tuple[Expression, ...]

    def _check(self) -> None:
        _whole(self.count, "the number in any(…)")
        if self.count > len(self.operands):
            raise DefinitionError(
                f"any({self.count}; …) has only {len(self.operands)} operands",
                hint=f"write a number from 1 to {len(self.operands)}"
                if self.operands
                else "name the patterns to choose from",
            )


@_node
class Aperiodic(Expression):
    """`aperiodic(A, B, C)`: every B after an A until a C."""

    opener: Expression
    body: Expression
    closer: Expression


@_node
class AperiodicStar(Expression):
    """`aperiodic*(A, B, C)`: all B between an A and a C, once, at the C."""

    opener: Expression
    body: Expression
    closer: Expression


@_node
class Periodic(Expression):
    """`periodic(A, τ, C)`: every τ after an A until a C."""

    opener: Expression
    period: Duration
    closer: Expression

    def _check(self) -> None:
        _positive(self, self.period)


@_node
class PeriodicStar(Expression):
    """`periodic*(A, τ, C)`: all ticks between an A and a C, once, at the C."""

    opener: Expression
    period: Duration
    closer: Expression

    def _check(self) -> None:
        _positive(self, self.period)


@_node
class Plus(Expression):
    """`plus(A, τ)`: the instant τ after A."""

    operand: Expression
    offset: Duration


@_node
class Delay(Expression):
    """`delay(A, τ)`: A, extended by τ."""

    operand: Expression
    offset: Duration


@_node
class Nth(Expression):
    """`A#i`: every i-th A."""

    operand: Expression
    index: int

    def _check(self) -> None:
        _whole(self.index, "the number after #")


@_node
class Absent(Expression):
    """`absent(A, τ)`: no A for τ."""

    operand: Expression
    span: Duration

    def _check(self) -> None:
        _positive(self, self.span)


@_node
class Both(Expression):
    """`both(X, Y)`: X and Y of the same events."""

    left: Expression
    right: Expression


@_node
class Either(Expression):
    """`either(X, Y)`: X or Y, once where both are made of the same events."""

    left: Expression
    right: Expression


@_node
class Using(Expression):
    """`A using chronicle`: A under another semantics."""

    operand: Expression
    semantics: str

    def _check(self) -> None:
        if self.semantics not in USABLE:
            raise DefinitionError(
                f"'using' cannot set the semantics {self.semantics!r}",
                hint=did_you_mean(str(self.semantics), list(USABLE))
                or f"write one of {', '.join(USABLE)}",
            )


def _whole(number: object, place: str) -> None:
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise DefinitionError(f"{place} is {number!r}", hint="write a whole number from 1 on")


def _clock_time(text: str) -> str:
    """The one way to write a time of day or a moment; seconds only where they are not 0."""
    try:
        if isinstance(text, str) and re.fullmatch(r"\d\d:\d\d(:\d\d(\.\d{1,6})?)?", text.strip()):
            return re.sub(r"^(..:..):00$", r"\1", time.fromisoformat(text.strip()).isoformat())
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            return re.sub(r" (..:..):00$", r" \1", moment.isoformat(" "))
    except (ValueError, AttributeError, TypeError):
        pass
    raise DefinitionError(
        f"at({text!r}) is no time of day and no moment",
        hint='write at("17:00") or at("2026-11-15 17:00"), in the session\'s time zone',
    )
