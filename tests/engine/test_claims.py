"""What `explain --plan` says of each node's state, word by word, against the state itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from engine.cases import FIVE, HOUR, OPERATORS, draw_under

from tocsin.engine.blocks import Batch
from tocsin.engine.describing import Line, describe
from tocsin.engine.detector import Detector
from tocsin.engine.kernels.streams import NONE
from tocsin.engine.plan import FOREVER, Node, Plan, make_plan
from tocsin.language import nodes
from tocsin.language.nodes import CONTEXTS, Expression

Interval = tuple[int, int, int]
"""Start, end, detected."""

EACH = 15
TIMELESS = (nodes.Primitive, nodes.Nothing, nodes.Disjunction, nodes.Within, nodes.Using)
KINDS = [kind for kind in OPERATORS if kind not in TIMELESS]


class Watched(Detector):
    """A detector that remembers every occurrence of every node."""

    def __init__(self, plan: Plan, **given: Any) -> None:
        super().__init__(plan, **given)
        self.seen: list[list[Interval]] = [[] for _ in plan.nodes]
        self.used: list[set[int]] = [set() for _ in plan.nodes]
        """For each node the references of the rows that are in its occurrences."""

    def run(self, *given: Any) -> Any:
        streams, after = super().run(*given)
        for place, stream in enumerate(streams):
            self.seen[place] += zip(*(c.tolist() for c in stream[1:4]), strict=True)
            for ref in stream.ref.tolist():
                self.used[place].update(self.rows_of(ref))
        return streams, after

    def rows_of(self, ref: int) -> set[int]:
        rows, waiting = set(), [ref]
        while waiting:
            ref = waiting.pop()
            if ref >= 0:
                rows.add(ref)
            elif ref != NONE:
                waiting += self.lineage.cells[:, -2 - ref].tolist()
        return rows


@dataclass
class Kept:
    """What a node keeps for the one key, and what its operands have given so far."""

    detector: Watched
    node: Node
    place: int
    state: list[tuple[int, int, int, int, int]]
    """Tag, start, end, detected, reference."""

    @property
    def upto(self) -> int:
        return self.detector.upto or 0

    def seen(self, operand: int) -> list[Interval]:
        return self.detector.seen[self.node.operands[operand]]

    @property
    def opener(self) -> int:
        """Which operand waits: `not(B; A, C)` has its guard first."""
        return 1 if isinstance(self.node.expression, nodes.NotBetween) else 0

    def own(self, *tags: int) -> list[Interval]:
        return [row[1:4] for row in self.state if row[0] in (tags or (row[0],))]


def kept_by(detector: Watched, place: int) -> Kept:
    store = detector.stores[place]
    rows = [] if store is None else store.take(detector.keys.slot.astype(np.int64))[1:].T.tolist()
    return Kept(detector, detector.plan.nodes[place], place, [tuple(row) for row in rows])


def those_of(kept: Kept, tag: int, operand: int) -> bool:
    """Everything under a tag is an occurrence of the operand, each at most as often as it was."""
    return not Counter(kept.own(tag)) - Counter(kept.seen(operand))


def one_with_most(which: int) -> Callable[[Kept], bool]:
    """At most one, with the largest start (0) or end (1) there was."""

    def holds(kept: Kept) -> bool:
        best = max((x[which] for x in kept.seen(0)), default=None)
        own = kept.own()
        return len(own) <= 1 and all(x[which] == best for x in own) and those_of(kept, 0, 0)

    return holds


def one_of_each(which: int) -> Callable[[Kept], bool]:
    """At most one of each operand, with the largest start (0) or end (1) there was."""

    def holds(kept: Kept) -> bool:
        for tag in range(len(kept.node.operands)):
            best = max((x[which] for x in kept.seen(tag)), default=None)
            own = kept.own(tag)
            if len(own) > 1 or any(x[which] != best for x in own) or not those_of(kept, tag, tag):
                return False
        return True

    return holds


def initiators(kept: Kept) -> bool:
    return those_of(kept, 0, kept.opener)


def most_recent(kept: Kept) -> bool:
    ends = [end for _, end, _ in kept.seen(kept.opener)]
    own = kept.own(0)
    return len(own) <= 1 and all(end == max(ends) for _, end, _ in own) and initiators(kept)


def for_each_start(kept: Kept) -> bool:
    return those_of(kept, 0, 0) and len(kept.own()) <= len(kept.detector.plan.nodes)


def every_one(*operands: int) -> Callable[[Kept], bool]:
    """Nothing but occurrences of these operands, tagged one after the other."""
    return lambda kept: all(those_of(kept, tag, at) for tag, at in enumerate(operands))


def every_operand(kept: Kept) -> bool:
    return every_one(*range(len(kept.node.operands)))(kept)


def last_start(kept: Kept) -> bool:
    best = max((start for start, _, _ in kept.seen(1)), default=None)
    return len(kept.state) <= 1 and all(start == best for start, _, _ in kept.own())


def needed_guards(kept: Kept) -> bool:
    """Both times rising: none makes another needless."""
    own = kept.own()
    rising = all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(own))
    return rising and {x[:2] for x in own} <= {x[:2] for x in kept.seen(1)}


def counted(kept: Kept) -> bool:
    index = kept.node.expression.index  # type: ignore[attr-defined]
    return sum(row[0] for row in kept.state) == len(kept.seen(0)) % index and len(kept.state) <= 1


def not_due(kept: Kept) -> bool:
    span = kept.node.expression.parameters[0].in_ticks(kept.detector.plan.tick)
    waiting = [x for x in kept.seen(0) if x[1] + span > kept.upto]
    return Counter(kept.own()) == Counter(waiting)


def last_seen(kept: Kept) -> bool:
    times = [kept.detector.began, *(detected for _, _, detected in kept.seen(0))]
    return [row[1] for row in kept.state] == [max(times)]


def clock(kept: Kept) -> bool:
    return [start for start, _, _ in kept.own()] == [kept.upto]


def let_through(kept: Kept) -> bool:
    return len(kept.state) <= len(kept.seen(0)) + len(kept.seen(1))


def open_ones(kept: Kept) -> bool:
    """Openers, as many next ticks, each to come; closers only where openers are late."""
    late = kept.detector.plan.nodes[kept.node.operands[0]].facts.late
    ticks = [row[1] for row in kept.state if row[0] == 1]
    few = len(kept.own(0)) == len(ticks) and all(tick > kept.upto for tick in ticks)
    return few and those_of(kept, 0, 0) and (late or not kept.own(2))


def bodies_after(kept: Kept) -> bool:
    first = min((end for _, end, _ in kept.own(0)), default=FOREVER)
    return those_of(kept, 1, 1) and all(start > first for start, _, _ in kept.own(1))


def not_used(kept: Kept) -> bool:
    """No row that waits is in an occurrence of the node already, where each row waits once."""
    makers = [kept.detector.plan.nodes[o].expression for o in kept.node.operands]
    if len(set(makers)) < len(makers) or not all(isinstance(m, nodes.Primitive) for m in makers):
        return True
    waiting = {row[4] for row in kept.state if row[4] >= 0}
    return not waiting & kept.detector.used[kept.place]


def no_older(kept: Kept) -> bool:
    return all(start >= kept.upto - kept.node.window for start, _, _ in kept.own(0))


def not_closed(kept: Kept) -> bool:
    """No closer has come since an opener that is kept."""
    last = max((start for start, _, _ in kept.seen(2)), default=-FOREVER)
    return not kept.own(1) and all(end > last for _, end, _ in kept.own(0))


def one_guard(kept: Kept) -> bool:
    return len(kept.own(1)) <= 1


def guards(kept: Kept) -> bool:
    guard = 0 if kept.opener else 2
    own = kept.own(1)
    rising = all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(own))
    return rising and {x[:2] for x in own} <= {x[:2] for x in kept.seen(guard)}


WORDS: list[tuple[str, Callable[[Kept], bool]]] = [
    (r"^nothing$", lambda kept: not kept.state),
    (r"^the one of \d+ that started last$", one_with_most(0)),
    (r"^one of \d+ for each possible start of \d+, and the last$", for_each_start),
    (r"^those of \d+ that one of \d+ could prefer", every_one(0)),
    (r"^the most recent of \d+($|;|, until)", most_recent),
    (r"^the most recent of \d+ for every start", initiators),
    (r"^the one of \d+ and the one of \d+ that started last$", one_of_each(0)),
    (r"^the most recent of (\d+ and of \d+|each operand)$", one_of_each(1)),
    (r"^every one of \d+ and \d+", every_one(0, 1)),
    (r"^every one of all operands", every_operand),
    (r"^the start of the last of \d+$", last_start),
    (r"^every one of \d+ that another does not make needless$", needed_guards),
    (r"^every one of \d+ that is open, and its next tick$", open_ones),
    (r"^those of \d+ whose time has not come$", not_due),
    (r"^those of \d+ since the last \d+$", counted),
    (r"^when \d+ was last seen$", last_seen),
    (r"^up to when the clock was read$", clock),
    (r"^the parts of everything let through$", let_through),
    (r"not yet consumed", not_used),
    (r", no older than", no_older),
    (r"^every one of \d+($|,|;| not yet| that a later)", initiators),
    (r"; every one of \d+ after the first of them$", bodies_after),
    (r"; every one of \d+$", every_one(0, 1)),
    (r"; the last of \d+$", one_guard),
    (r"; those of \d+ that can still forbid$", guards),
    (r", until one of \d+$", not_closed),
]
"""What each phrase promises; a node's words are made of one or several."""


def promises(line: Line) -> list[Callable[[Kept], bool]]:
    return [holds for words, holds in WORDS if re.search(words, line.keeps)]


def drawn(random: Random, kind: type[Expression], semantics: str) -> Expression:
    return draw_under(random, kind, 2, random.choice([KINDS, FIVE]), [], semantics)


def rows(random: Random, plan: Plan, count: int = 60) -> Iterator[Batch]:
    """Some rows of one key, in cuts that part no instant."""
    time = 0
    while count > 0:
        time += 1
        times = np.array(sorted(time + random.choice([0, 1, 1, 2, 5]) for _ in range(9)))
        bits = np.array([[random.randrange(1 << len(plan.primitives)) for _ in times]])
        yield Batch(np.zeros_like(times), times, times, bits, np.arange(times.size))
        time = int(times[-1])
        count -= times.size


def check(random: Random, pattern: Expression, semantics: str, seed: str) -> list[Line]:
    """Run a detector and look at all it keeps after each cut."""
    clocks = any(isinstance(node, nodes.At) for node in pattern.postorder())
    plan = make_plan({"p": pattern}, semantics=semantics, tick=HOUR if clocks else None)
    detector, lines = Watched(plan), describe(plan)
    assert all(map(promises, lines)), f"nobody checks all of {[line.keeps for line in lines]}"
    for batch in rows(random, plan):
        if sum(map(len, detector.seen)) > 3000:
            break
        detector.advance(batch, int(batch.end[-1]))
        for place, line in enumerate(lines):
            kept = kept_by(detector, place)
            for holds in promises(line):
                assert holds(kept), f"seed {seed!r}: {line} has {kept.state}, not {holds}"
    return lines


@pytest.mark.parametrize("semantics", ["restricted", "unrestricted", *CONTEXTS])
def test_each_node_keeps_what_its_words_say(semantics: str) -> None:
    for kind in KINDS:
        for number in range(EACH):
            seed = f"words-{semantics}-{kind.__name__}-{number}"
            random = Random(seed)
            check(random, drawn(random, kind, semantics), semantics, seed)


@pytest.mark.parametrize("words", [words for words, _ in WORDS])
def test_each_phrase_is_met(words: str) -> None:
    """Else it would promise nothing."""
    for number in range(2000):
        random = Random(f"phrases-{number}")
        semantics = random.choice(["restricted", "unrestricted", *CONTEXTS])
        plan = make_plan(
            {"p": drawn(random, random.choice(KINDS), semantics)}, semantics=semantics, tick=HOUR
        )
        if any(re.search(words, line.keeps) for line in describe(plan)):
            return
    pytest.fail("no pattern has a node of which this is said")
