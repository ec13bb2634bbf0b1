"""What a pattern is made of: a node for each row of SPEC §2's table, checked when built.

Nodes are data. What they mean is in `semantics/`, how they are written in `parser` and `printer`.
"""

from __future__ import annotations

import re
from datetime import datetime, time

from tocsin.errors import DefinitionError, did_you_mean
from tocsin.language.durations import Duration
from tocsin.language.expression import Expression as Expression
from tocsin.language.expression import node

CONTEXTS = ("recent", "chronicle", "continuous", "cumulative")
"""The parameter contexts of Snoop and Sentinel (SPEC §5)."""

USABLE = ("restricted", "unrestricted", *CONTEXTS)
"""What `using` can set on a part of a pattern (SPEC §5)."""


@node
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


@node
class Nothing(Expression):
    """`nothing`: the event that never occurs."""


@node
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


@node
class Every(Expression):
    """`every(1h)`: again and again, counted from the epoch in the session's time zone."""

    period: Duration

    def _check(self) -> None:
        _positive(self.period, "every(…)")


@node
class Disjunction(Expression):
    """`A | B`: either."""

    left: Expression
    right: Expression


@node
class Conjunction(Expression):
    """`A & B`: both, in any order."""

    left: Expression
    right: Expression


@node
class Sequence(Expression):
    """`A ; B`: first A, then B."""

    first: Expression
    second: Expression


@node
class Negation(Expression):
    """`A - B`: A with no B during it."""

    operand: Expression
    absent: Expression


@node
class Within(Expression):
    """`A within τ`: A, lasting at most τ."""

    operand: Expression
    window: Duration


@node
class NotBetween(Expression):
    """`not(B; A, C)`: A then C, and no B between."""

    guard: Expression
    first: Expression
    last: Expression


@node
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


@node
class Aperiodic(Expression):
    """`aperiodic(A, B, C)`: every B after an A until a C."""

    opener: Expression
    body: Expression
    closer: Expression


@node
class AperiodicStar(Expression):
    """`aperiodic*(A, B, C)`: all B between an A and a C, once, at the C."""

    opener: Expression
    body: Expression
    closer: Expression


@node
class Periodic(Expression):
    """`periodic(A, τ, C)`: every τ after an A until a C."""

    opener: Expression
    period: Duration
    closer: Expression

    def _check(self) -> None:
        _positive(self.period, "periodic(…)")


@node
class PeriodicStar(Expression):
    """`periodic*(A, τ, C)`: all ticks between an A and a C, once, at the C."""

    opener: Expression
    period: Duration
    closer: Expression

    def _check(self) -> None:
        _positive(self.period, "periodic*(…)")


@node
class Plus(Expression):
    """`plus(A, τ)`: the instant τ after A."""

    operand: Expression
    offset: Duration


@node
class Delay(Expression):
    """`delay(A, τ)`: A, extended by τ."""

    operand: Expression
    offset: Duration


@node
class Nth(Expression):
    """`A#i`: every i-th A."""

    operand: Expression
    index: int

    def _check(self) -> None:
        _whole(self.index, "the number after #")


@node
class Absent(Expression):
    """`absent(A, τ)`: no A for τ."""

    operand: Expression
    span: Duration

    def _check(self) -> None:
        _positive(self.span, "absent(…)")


@node
class Both(Expression):
    """`both(X, Y)`: X and Y of the same events."""

    left: Expression
    right: Expression


@node
class Either(Expression):
    """`either(X, Y)`: X or Y, once where both are made of the same events."""

    left: Expression
    right: Expression


@node
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


def _positive(duration: Duration, call: str) -> None:
    if duration.count == 0:
        raise DefinitionError(f"{call} has a duration of 0", hint="write a duration above 0")


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
