"""From patterns to a plan: a list of nodes, operands first, equal subexpressions once.

A node is one kernel with its settings. What is known of its output before any event is seen (its
`Facts`) decides which kernel serves and what state it has to keep.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tocsin.errors import DefinitionError
from tocsin.language import nodes, settings
from tocsin.language.nodes import Expression

PAIRING = (nodes.Sequence, nodes.Conjunction, nodes.AnyOf, nodes.NotBetween)
"""A `within` directly on one of these is a part of it (SPEC §5)."""

LAWFUL = (nodes.Disjunction, nodes.Conjunction, nodes.Sequence, nodes.Negation, nodes.Within)
"""The five operators through which the laws carry a window down (SPEC §4, laws 19-25)."""

WORD = 63
"""How many primitives have their bits in one integer."""

FOREVER = 2**63
"""Longer than every duration: no window at all."""


@dataclass(frozen=True)
class Facts:
    """What holds of every occurrence of a node."""

    late: bool
    """`detected` may be after `end`."""
    instant: bool
    """`start` is `end`."""
    unique: bool
    """There is at most one for each end and detection."""
    longest: int
    """None lasts longer; `FOREVER` if nobody knows."""

    @property
    def prompt(self) -> bool:
        """An instant, known when it happens."""
        return self.instant and not self.late


@dataclass(frozen=True)
class Node:
    """One kernel of a plan."""

    expression: Expression
    operands: tuple[int, ...]
    semantics: str
    settled: str
    """The semantics that decides what is kept of the result: that of the outermost `within`."""
    window: int
    """What is longer is not wanted, by the operator's own condition or by what stands above."""
    longest: int
    """A `within` above it, for point time: applied before the result becomes points."""
    facts: Facts
    reach: int = FOREVER
    """What is longer can be part of no result."""
    starts: bool = False
    """For `;` under restricted: whether it is known when a later decider can have started."""
    tells: tuple[int, ...] | None = None
    """If such a decider is made of this node: the operands whose possible starts are its own."""


@dataclass(frozen=True)
class Plan:
    """The nodes for several patterns, and what they share."""

    nodes: tuple[Node, ...]
    results: Mapping[str, int]
    """For each pattern's name the node that holds its occurrences."""
    primitives: tuple[str, ...]
    """By name, so that comparing numbers compares names (SPEC §1)."""
    basis: str
    report: str
    tick: int | None
    durative: bool
    policy: str = "synchronous"
    source: Mapping[str, str] = field(default_factory=dict)
    """Each pattern as it would be written in Python, with the predicates of its events."""

    @property
    def on_arrival(self) -> bool:
        """Whether rows are used as they arrive. Times then are when things happened, and moments of
        detection, as the instants up to which a detector advances, numbers of arrivals."""
        return self.policy != "synchronous"

    @property
    def shift(self) -> int:
        """How many bits name the primitive in a reference to a row."""
        return max(1, (len(self.primitives) - 1).bit_length())

    @property
    def has_timers(self) -> bool:
        """Whether occurrences can come into being without a row."""
        kinds = nodes.At | nodes.Every | nodes.Plus | nodes.Delay | nodes.Absent | nodes.Periodic
        return any(isinstance(node.expression, kinds) for node in self.nodes)

    @property
    def has_clocks(self) -> bool:
        """Whether it matters since when a key is observed."""
        kinds = nodes.At | nodes.Every | nodes.Absent
        return any(isinstance(node.expression, kinds) for node in self.nodes)

    @property
    def identity(self) -> str:
        """What a saved state must have come from to be continued."""
        described = repr(
            (
                sorted(self.source.items()),
                [(_key(node), node.reach) for node in self.nodes],
                (self.basis, self.report, self.tick, self.durative, self.policy),
            )
        )
        return hashlib.sha256(described.encode()).hexdigest()[:32]


def make_plan(
    patterns: Mapping[str, Expression],
    *,
    semantics: str = "restricted",
    basis: str = "interval",
    report: str = "overlapping",
    tick: int | None = None,
    durative: bool = False,
    policy: str = "synchronous",
) -> Plan:
    """Plan the detection of several patterns together.

    >>> from tocsin.language.parser import parse
    >>> plan = make_plan({"p": parse("(B ; B) within 2 - (P | T)")})
    >>> [type(node.expression).__name__ for node in plan.nodes]
    ['Primitive', 'Sequence', 'Primitive', 'Primitive', 'Disjunction', 'Negation']
    """
    if report != "overlapping" and len(patterns) > 1:
        raise DefinitionError(
            f"report={report!r} lets a pattern start afresh at moments of its own",
            hint="make a plan for each pattern",
        )
    planner = _Planner(semantics, basis, tick, durative, policy)
    results = {}
    for name, pattern in patterns.items():
        settings.check(pattern, semantics=semantics, basis=basis, report=report, policy=policy)
        results[name] = planner.place(pattern)
    planner.carry_windows_down(results.values())
    planner.find_possible_starts()
    names = {p.name for pattern in patterns.values() for p in pattern.primitives()}
    return Plan(
        nodes=tuple(planner.nodes),
        results=results,
        primitives=tuple(sorted(names)),
        basis=basis,
        report=report,
        tick=tick,
        durative=durative,
        policy=policy,
        source={name: repr(pattern) for name, pattern in patterns.items()},
    )


class _Planner:
    def __init__(
        self, semantics: str, basis: str, tick: int | None, durative: bool, policy: str
    ) -> None:
        self.semantics, self.basis, self.tick, self.durative = semantics, basis, tick, durative
        self.on_arrival = policy != "synchronous"
        self.nodes: list[Node] = []
        self.same: dict[object, int] = {}
        self.placed: dict[tuple[Expression, str], int] = {}

    def place(self, expression: Expression) -> int:
        """Make the nodes for an expression, operands first; returns the place of its own."""
        waiting = [(expression, self.semantics)]
        while waiting:
            task = waiting[-1]
            core, semantics, settled, window, longest = self.peel(*task)
            needed = [(child, semantics) for child in core.children]
            missing = [n for n in needed if n not in self.placed]
            if task not in self.placed and not missing:
                operands = tuple(self.placed[n] for n in needed)
                facts = self.facts(core, settled, window, [self.nodes[i].facts for i in operands])
                node = Node(core, operands, semantics, settled, window, longest, facts)
                self.placed[task] = self.same_or_new(node)
            if task in self.placed:
                waiting.pop()
            waiting.extend(reversed(missing))
        return self.placed[(expression, self.semantics)]

    def same_or_new(self, node: Node) -> int:
        place = self.same.setdefault(_key(node), len(self.nodes))
        if place == len(self.nodes):
            self.nodes.append(node)
        return place

    def peel(self, node: Expression, semantics: str) -> tuple[Expression, str, str, int, int]:
        """The operator under `using` and under the windows that are one with it (SPEC §3, §5)."""
        longest, settled = FOREVER, None
        while True:
            if isinstance(node, nodes.Using):
                semantics, node = node.semantics, node.operand
            elif isinstance(node, nodes.Within) and isinstance(node.operand, PAIRING):
                # Under restricted and unrestricted it is the same to choose before or after:
                # what is chosen is the shortest, or all.
                window = node.window.in_ticks(self.tick)
                return node.operand, semantics, settled or semantics, window, longest
            elif isinstance(node, nodes.Within) and self.basis == "point":
                settled = settled or semantics
                longest = min(longest, node.window.in_ticks(self.tick))
                node = node.operand
            else:
                return node, semantics, settled or semantics, FOREVER, longest

    def facts(self, core: Expression, settled: str, window: int, operands: list[Facts]) -> Facts:
        """What holds of a node's output, from what holds of its operands'."""
        one_per_end = settled.startswith("restricted")
        if self.basis == "point":
            return Facts(late=self.on_arrival, instant=True, unique=one_per_end, longest=0)
        late, instant, longest = _facts(core, operands, self.durative, self.tick)
        clock = isinstance(core, nodes.At | nodes.Every | nodes.Absent)
        longest = min(longest, window)
        return Facts(late, instant, one_per_end or clock, 0 if instant else longest)

    def carry_windows_down(self, results: object) -> None:
        """Let each node know what is too long for everything above it (laws 19-25)."""
        reach = [-1] * len(self.nodes)
        for i in self.placed.values():
            reach[i] = max(reach[i], -1)
        for i in results:  # type: ignore[attr-defined]
            reach[i] = FOREVER
        for i in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[i]
            passes = (
                isinstance(node.expression, LAWFUL)
                and self.basis == "interval"
                and node.semantics in ("restricted", "unrestricted")
                and not any(self.nodes[o].facts.late for o in node.operands)
            )
            own = node.window
            if isinstance(node.expression, nodes.Within):
                own = node.expression.window.in_ticks(self.tick)
            bound = min(reach[i], own) if passes else FOREVER
            for operand in node.operands:
                reach[operand] = max(reach[operand], bound)
            if passes and isinstance(node.expression, nodes.Sequence | nodes.Conjunction):
                node = replace(node, window=min(node.window, reach[i]))
            self.nodes[i] = replace(node, reach=reach[i])

    def find_possible_starts(self) -> None:
        """For each `;` under restricted, whose states tell when its decider can have started."""
        if self.basis == "point":
            return
        known: list[bool] = []
        asked: set[int] = set()
        for i, node in enumerate(self.nodes):
            known.append(node.facts.prompt or self.tells_starts(node, known))
            if isinstance(node.expression, nodes.Sequence) and node.settled == "restricted":
                decider = node.operands[1]
                if known[decider] and not self.nodes[decider].facts.prompt:
                    asked.add(decider)
                    self.nodes[i] = replace(node, starts=True)
        for i in range(len(self.nodes) - 1, -1, -1):
            if i in asked:
                node = self.nodes[i]
                several = not isinstance(node.expression, nodes.Negation | nodes.Within)
                operands = node.operands if several else node.operands[:1]
                tells = tuple(sorted({o for o in operands if not self.nodes[o].facts.prompt}))
                self.nodes[i] = replace(node, tells=tells)
                asked.update(tells)

    def tells_starts(self, node: Node, known: list[bool]) -> bool:
        """Whether states tell the possible starts of a node that is no instant."""
        if node.facts.late or node.semantics != "restricted":
            return False
        if isinstance(node.expression, nodes.Negation | nodes.Within):
            return known[node.operands[0]]
        return isinstance(node.expression, LAWFUL) and all(known[o] for o in node.operands)


def _key(node: Node) -> tuple[object, ...]:
    """What makes a node another: not its expression, which may be large, but its operands."""
    kind, parameters = type(node.expression).__name__, node.expression.parameters
    return kind, parameters, node.operands, node.semantics, node.settled, node.window, node.longest


def _facts(
    core: Expression, operands: list[Facts], durative: bool, tick: int | None
) -> tuple[bool, bool, int]:
    """(late, instant, longest) of an operator in interval time."""
    match core:
        case nodes.Primitive():
            return False, not durative, FOREVER if durative else 0
        case nodes.Nothing() | nodes.At() | nodes.Every() | nodes.Absent():
            return False, True, 0
        case nodes.Disjunction() | nodes.Either():
            left, right = operands
            longest = max(left.longest, right.longest)
            return left.late or right.late, left.instant and right.instant, longest
        case nodes.Negation():
            return operands[0].late, operands[0].instant, operands[0].longest
        case nodes.Within():
            longest = min(operands[0].longest, core.window.in_ticks(tick))
            return operands[0].late, operands[0].instant, longest
        case nodes.Sequence() | nodes.NotBetween():
            return operands[-1].late, False, FOREVER
        case nodes.Aperiodic():
            return operands[1].late, operands[1].instant, operands[1].longest
        case nodes.Periodic() | nodes.Plus():
            return operands[0].late, True, 0
        case nodes.AperiodicStar() | nodes.PeriodicStar():
            return True, False, FOREVER
        case _:
            return any(o.late for o in operands), False, FOREVER
