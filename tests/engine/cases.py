"""A case for the conformance suite: patterns, events, settings, and how the rows are handed over.

Cases are drawn from a seed. Times lie near each other, so that ties and exact distances are
common, and somewhere on the whole axis, so that nothing rests on times being small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from tocsin.errors import DefinitionError
from tocsin.language import nodes, settings
from tocsin.language.durations import Duration
from tocsin.language.nodes import Expression, Primitive

NAMES = "ABC"
HOUR = 3_600_000_000
ORIGINS = (0, 0, 0, 0, 1_760_000_000_000_000, -(2**62), 2**63 - 200, -(2**63) + 200)
"""Where on the time axis a history lies: near 0, in our days, far out."""

FIVE = (nodes.Disjunction, nodes.Conjunction, nodes.Sequence, nodes.Negation, nodes.Within)
WITHIN = (nodes.Sequence, nodes.Conjunction, nodes.AnyOf, nodes.NotBetween)
OPERATORS: tuple[type[Expression], ...] = (
    *FIVE,
    nodes.NotBetween,
    nodes.AnyOf,
    nodes.Aperiodic,
    nodes.AperiodicStar,
    nodes.Periodic,
    nodes.PeriodicStar,
    nodes.Plus,
    nodes.Delay,
    nodes.Nth,
    nodes.Absent,
    nodes.Both,
    nodes.Either,
    nodes.At,
    nodes.Every,
    nodes.Nothing,
    nodes.Using,
)
TIMELESS = tuple(kind for kind in OPERATORS if kind not in settings.TIMERS)
"""Those that have a meaning on arrival."""
PAIRING = (*WITHIN, nodes.Aperiodic, nodes.AperiodicStar, nodes.Disjunction, nodes.Within)
"""Those of them that policies and contexts can change, and some to put between them."""


@dataclass(frozen=True)
class Event:
    """A row: whose it is, which primitives it is, and its interval."""

    key: int
    names: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Call:
    """All rows up to an instant; and what befalls the detector after that."""

    upto: int
    then: str = "nothing"
    """Or "forget", or "save": saved, loaded, continued."""


@dataclass(frozen=True)
class Case:
    """Everything that an answer depends on, and some ways in which it must not."""

    patterns: tuple[Expression, ...]
    events: tuple[Event, ...]
    """On arrival, in the order in which they arrive; else in any order."""
    calls: tuple[Call, ...]
    semantics: str = "restricted"
    basis: str = "interval"
    report: str = "overlapping"
    until: int | None = None
    tick: int | None = None
    zone: str = "UTC"
    policy: str = "synchronous"

    @property
    def on_arrival(self) -> bool:
        """Whether events are used as they arrive."""
        return self.policy != "synchronous"

    @property
    def known(self) -> list[int]:
        """When each event is known: a call takes those known up to its instant."""
        return arrivals(self.events) if self.on_arrival else [e.end for e in self.events]

    @property
    def durative(self) -> bool:
        """Whether some event lasts."""
        return any(event.start != event.end for event in self.events)

    @property
    def last(self) -> int:
        """The last time there is, of rows or timers."""
        return max([*self.known, *([] if self.until is None else [self.until])], default=0)

    def is_meaningful(self) -> bool:
        """Whether the settings allow the patterns."""
        try:
            for pattern in self.patterns:
                settings.check(
                    pattern,
                    semantics=self.semantics,
                    basis=self.basis,
                    report=self.report,
                    policy=self.policy,
                )
        except DefinitionError:
            return False
        return True


def arrivals(events: Sequence[Event]) -> list[int]:
    """For each event the place of the last that arrives with it: of those of a key that follow
    each other directly, those of one time arrive together."""
    numbers = list(range(len(events)))
    following: dict[int, int] = {}
    for place in reversed(numbers):
        event, after = events[place], following.get(events[place].key)
        if after is not None and events[after].end == event.end:
            numbers[place] = numbers[after]
        following[event.key] = place
    return numbers


def draw_operator(
    random: Random, kind: type[Expression], operands: Sequence[Expression]
) -> Expression:
    """An operator on operands, of which it takes as many as it needs."""
    first, second, third = operands
    ticks, some = Duration.of(random.randint(0, 6)), Duration.of(random.randint(1, 6))
    if kind is nodes.Nothing:
        return kind()
    if kind is nodes.Every:
        return nodes.Every(some)
    if kind is nodes.At:
        return nodes.At(random.choice(["03:00", "17:00", "1970-01-01 05:00"]))
    if kind is nodes.AnyOf:
        several = tuple(operands[: random.randint(1, 3)])
        return nodes.AnyOf(random.randint(1, len(several)), several)
    if kind in (nodes.Periodic, nodes.PeriodicStar):
        return kind(first, some, second)  # type: ignore[call-arg]
    if kind is nodes.Absent:
        return nodes.Absent(first, some)
    if kind is nodes.Nth:
        return nodes.Nth(first, random.randint(1, 3))
    if kind is nodes.Using:
        return nodes.Using(first, random.choice(nodes.USABLE))
    if kind in (nodes.Within, nodes.Plus, nodes.Delay):
        return kind(first, ticks)  # type: ignore[call-arg]
    if kind in (nodes.NotBetween, nodes.Aperiodic, nodes.AperiodicStar):
        return kind(first, second, third)  # type: ignore[call-arg]
    return kind(first, second)  # type: ignore[call-arg]


def draw_pattern(
    random: Random, depth: int, kinds: Sequence[type[Expression]], shared: list[Expression]
) -> Expression:
    """A pattern of at most so many levels; now and then a subexpression that was used before."""
    if shared and random.random() < 0.1:
        return random.choice(shared)
    if depth == 0 or random.random() < 0.15:
        return Primitive(random.choice(NAMES))
    operands = [draw_pattern(random, depth - 1, kinds, shared) for _ in range(3)]
    pattern = draw_operator(random, random.choice(kinds), operands)
    if isinstance(pattern, WITHIN) and random.random() < 0.4:
        pattern = pattern.within(random.randint(0, 8))
    shared.append(pattern)
    return pattern


def draw_events(random: Random, origin: int, most: int, keys: Sequence[int]) -> tuple[Event, ...]:
    """Rows of some keys; instants alone, or some that last."""
    lengths = random.choice([(0,), (0,), (0, 0, 1, 3)])
    span = random.choice([3, 14, 14, 30])
    weights = random.choice([(1, 1, 1), (4, 4, 1), (4, 1, 4), (1, 4, 4)])
    events = []
    for _ in range(random.choice([0, 2, 4, *[most] * 9])):
        end = origin + random.randint(-3, span)
        names = set(random.choices(NAMES, weights, k=random.choice([1, 1, 1, 1, 1, 2, 3])))
        names = names if random.random() < 0.97 else {"unknown"}
        start = end - random.choice(lengths)
        events.append(Event(random.choice(keys), tuple(sorted(names)), start, end))
    return tuple(events)


def draw_calls(
    random: Random, known: Sequence[int], last: int, until: int | None
) -> tuple[Call, ...]:
    """Instants at which the rows are cut; now and then several without a row between."""
    last = last if until is None else max(last, until)
    first = min(known, default=last)
    cuts = {random.randint(first - 1, last) for _ in range(random.randint(0, 6))} | {last}
    after = ("nothing", "nothing", "forget", "save")
    return tuple(Call(upto, random.choice(after)) for upto in sorted(cuts))


def draw_case(
    random: Random,
    *,
    root: type[Expression] | None = None,
    semantics: str | None = None,
    basis: str | None = None,
    policy: str = "synchronous",
    depth: int = 4,
    most: int = 16,
) -> Case:
    """A case that its settings allow; with a given operator on top, if one is given."""
    on_arrival = policy != "synchronous"
    allowed = settings.SEMANTICS if root is None and not on_arrival else nodes.USABLE
    semantics = semantics or random.choice(allowed)
    basis = "point" if on_arrival else basis or random.choice(["interval", "interval", "point"])
    report = random.choice(["overlapping", "overlapping", "overlapping", "repeated", "single"])
    kinds = random.choice([OPERATORS, FIVE, [root or nodes.Sequence, *FIVE]])
    if on_arrival:
        kinds = random.choice([TIMELESS, PAIRING, [root or nodes.Sequence, *PAIRING]])
    clocks = nodes.At in kinds or root is nodes.At
    if semantics == "restricted-2004":
        kinds = FIVE[:-1]
        clocks = False
    origin = 0 if clocks else random.choice(ORIGINS)  # calendars have an end
    keys = random.choice([(0,), (0,), (0, 1), (-(2**63), -7, 2**63 - 1)])
    events = draw_events(random, origin, random.randint(most // 2, most), keys)
    last = max((event.end for event in events), default=origin)
    until = random.choice([None, None, None, last + 7, last + 7, last, last - 3, last - 20])
    if on_arrival:
        last, until = len(events), None
        lateness = random.choice([0, 2, 6, 100])
        arriving = [(event.end + random.randint(0, lateness), event) for event in events]
        events = tuple(event for _, event in sorted(arriving, key=lambda pair: pair[0]))
    while True:
        shared: list[Expression] = []
        count = random.choice([1, 1, 1, 3]) if report == "overlapping" else 1
        patterns = [
            draw_pattern(random, random.randint(1, depth), kinds, shared)
            if root is None
            else draw_under(random, root, depth - 1, kinds, shared, semantics)
            for _ in range(count)
        ]
        case = Case(
            patterns=tuple(patterns), events=events, calls=(),
            semantics=semantics, basis=basis, report=report, until=until,
            tick=HOUR if clocks else None,
            zone=random.choice(["UTC", "Europe/Berlin"]) if clocks else "UTC",
            policy=policy,
        )  # fmt: skip
        if case.is_meaningful():
            return replace(case, calls=draw_calls(random, case.known, last, until))


def draw_under(
    random: Random,
    root: type[Expression],
    depth: int,
    kinds: Sequence[type[Expression]],
    shared: list[Expression],
    semantics: str,
) -> Expression:
    """A pattern with a given operator on top; mostly right over primitives, often in a window."""
    levels = [random.choice([0, 0, 1, random.randint(0, depth)]) for _ in range(3)]
    names = random.sample(NAMES, 3)
    operands = [
        draw_pattern(random, level, kinds, shared) if level else Primitive(name)
        for level, name in zip(levels, names, strict=True)
    ]
    if root is nodes.Within and (semantics == "restricted-2004" or random.random() < 0.5):
        operands[0] = draw_operator(random, nodes.Sequence, operands)
    pattern = draw_operator(random, root, operands)
    if isinstance(pattern, WITHIN) and random.random() < 0.4:
        pattern = pattern.within(random.randint(0, 12))
    return pattern
