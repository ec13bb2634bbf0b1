"""What every kernel must pass (DESIGN, style 6): one answer, whatever the way it is asked for.

    the oracle = the engine in one call = in random cuts = with its state saved and loaded between
    cuts = letting go of what it can at random moments = each pattern alone

Answers are lists per key, so that the order of SPEC §1 is compared too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from unittest.mock import patch
from zoneinfo import ZoneInfo

import numpy as np
from engine.cases import FIVE, OPERATORS, TIMELESS, Call, Case

from tocsin import semantics as oracle
from tocsin.engine.blocks import Batch, blocks
from tocsin.engine.detector import Detector
from tocsin.engine.found import Found
from tocsin.engine.plan import Plan, make_plan
from tocsin.language import nodes, settings
from tocsin.language.nodes import Expression
from tocsin.semantics import History, Part, report

Part_ = tuple[str, int, int, int]
"""A part: the primitive, the row (its place among the events), its start and end."""
Occurrence = tuple[int, int, int, tuple[Part_, ...]]
Answer = dict[int, dict[int, list[Occurrence]]]
"""For each pattern and each key that has any: (start, end, detected, parts), in order."""

TABLE: list[tuple[type[Expression], str]] = [
    (kind, semantics)
    for kind in OPERATORS
    for semantics in settings.SEMANTICS
    if semantics != "restricted-2004" or kind in (*FIVE, nodes.Nothing)
]
"""Every operator under every semantics that has it; in both bases."""

ON_ARRIVAL: list[tuple[type[Expression], str, str]] = [
    (kind, semantics, policy)
    for kind in TIMELESS
    for semantics in nodes.USABLE
    for policy in settings.POLICIES[1:]
]
"""Every operator that has a meaning on arrival, under every semantics and policy."""


class Difference(AssertionError):
    """Two ways to the answer that do not agree."""


def in_order(case: Case) -> list[int]:
    """The places of the events, in the order among equals (SPEC §1); on arrival, of those that
    arrive together."""
    events, known = case.events, case.known
    return sorted(range(len(events)), key=lambda i: (known[i], events[i].end, events[i].start, i))


def ask_oracle(case: Case) -> Answer:
    """What the definitions say, pattern by pattern and key by key."""
    answer: Answer = defaultdict(dict)
    ends = [event.end for event in case.events]
    until = case.until if case.until is not None else max(ends, default=None)
    known = case.known
    for key in sorted({event.key for event in case.events}):
        parts = [
            Part(rank, name, place, event.start, event.end, known[place])
            for rank, place in enumerate(in_order(case))
            for event in [case.events[place]]
            for name in event.names
            if event.key == key
        ]
        zone = ZoneInfo(case.zone)
        history = History(tuple(parts), min(ends), until, case.tick, zone, policy=case.policy)
        for number, pattern in enumerate(case.patterns):
            found = report(
                pattern,
                history,
                semantics=case.semantics,
                basis=case.basis,
                report=case.report,
            )
            if found:
                answer[number][key] = [
                    (o.start, o.end, o.detected, tuple(parts_of(o, case.on_arrival))) for o in found
                ]
    return dict(answer)


def parts_of(o: oracle.Occurrence, on_arrival: bool) -> Iterator[Part_]:
    """The parts of an occurrence in order of time."""
    for p in sorted(o.parts, key=lambda p: (p.end, p) if on_arrival else p):
        yield p.name, p.row, p.start, p.end


def plan_of(case: Case) -> Plan:
    """The plan for a case's patterns, which are named by their number."""
    return make_plan(
        {str(number): pattern for number, pattern in enumerate(case.patterns)},
        semantics=case.semantics,
        basis=case.basis,
        report=case.report,
        tick=case.tick,
        durative=case.durative,
        policy=case.policy,
    )


def batch_of(case: Case, places: Sequence[int], plan: Plan) -> Batch:
    """Some of the events, given by their places, as rows for a detector."""
    rank = {place: rank for rank, place in enumerate(in_order(case))}
    places = sorted(places, key=lambda place: (case.events[place].key, rank[place]))
    rows = [case.events[place] for place in places]
    number = {name: i for i, name in enumerate(plan.primitives)}
    bits = np.zeros((1 + len(number) // 63, len(rows)), np.int64)
    for column, row in enumerate(rows):
        for name in row.names:
            if name in number:
                word, bit = divmod(number[name], 63)
                bits[word, column] |= np.int64(1 << bit)
    end = np.array([row.end for row in rows], np.int64)
    start = np.array([row.start for row in rows], np.int64) if plan.durative else end
    key = np.array([row.key for row in rows], np.int64)
    known = np.array([case.known[place] for place in places], np.int64)
    arrival = known if case.on_arrival else None
    return Batch(key, start, end, bits, np.array(places, np.int64), arrival)


def read(found: Found, plan: Plan) -> Iterator[tuple[int, Occurrence]]:
    """The occurrences of a call's finding, each with its key."""
    for i in range(found.key.size):
        own = range(int(found.offsets[i]), int(found.offsets[i + 1]))
        parts = tuple(
            (
                plan.primitives[int(found.part_primitive[p])],
                int(found.part_row[p]),
                int(found.part_start[p]),
                int(found.part_end[p]),
            )
            for p in own
        )
        times = int(found.start[i]), int(found.end[i]), int(found.detected[i])
        yield int(found.key[i]), (*times, parts)


def ask_engine(case: Case, calls: Sequence[Call]) -> Answer:
    """What the engine says when the rows are handed over in these calls."""
    plan, zone = plan_of(case), ZoneInfo(case.zone)
    until = case.until
    if until is None:
        until = max(case.known, default=None)
    detector = Detector(plan, zone=zone, until=until)
    answer: Answer = defaultdict(lambda: defaultdict(list))
    done: set[int] = set()
    for call in calls:
        now = {i for i, known in enumerate(case.known) if known <= call.upto} - done
        done |= now
        batch = batch_of(case, sorted(now), plan)
        for name, found in detector.advance(batch, call.upto).items():
            for key, occurrence in read(found, plan):
                answer[int(name)][key].append(occurrence)
        if case.on_arrival and done:
            detector.past = _past(case, done)
        if call.then == "forget":
            detector.forget()
            detector.live = 1  # so that the next calls will look too
        elif call.then == "save":
            detector = Detector.load(plan, detector.save(), zone=zone, until=until)
    return {number: dict(keys) for number, keys in answer.items()}


def _past(case: Case, done: set[int]) -> int | None:
    """The last time from which no event comes any more."""
    return min((e.end - 1 for i, e in enumerate(case.events) if i not in done), default=None)


def ways(case: Case) -> Iterator[tuple[str, Answer]]:
    """The engine's answers, each in another way."""
    yield "one call", ask_engine(case, [Call(case.last)])
    plain = [Call(call.upto) for call in case.calls]
    yield "cuts", ask_engine(case, plain)
    yield "cuts, forgetting", ask_engine(case, [replace(c, then="forget") for c in plain])
    yield "cuts, saved and loaded", ask_engine(case, [replace(c, then="save") for c in plain])
    yield "cuts, now this, now that", ask_engine(case, case.calls)
    with (
        patch("tocsin.engine.detector.blocks", partial(blocks, size=2)),
        patch("tocsin.engine.detector.MANY", 0),
        patch("tocsin.engine.reporting.PIECE", 1),
    ):
        yield "cuts, taken in by tiny pieces", ask_engine(case, case.calls)
    if len(case.patterns) > 1:
        alone = [replace(case, patterns=(pattern,)) for pattern in case.patterns]
        answers = [ask_engine(each, [Call(case.last)]).get(0) for each in alone]
        yield "each alone", {i: answer for i, answer in enumerate(answers) if answer}


def check(case: Case) -> None:
    """Raise a `Difference` where the engine does not say what the oracle says."""
    expected = ask_oracle(case)
    for way, answer in ways(case):
        if answer != expected:
            raise Difference(f"{way}:\n{described(case, expected, answer)}")


def described(case: Case, expected: Answer, answer: Answer) -> str:
    """What a person needs to see of a difference."""
    lines = [f"  pattern   {pattern}" for pattern in case.patterns]
    lines += [
        f"  settings  {case.semantics}, {case.basis}, {case.report}, until {case.until}, "
        f"tick {case.tick}, zone {case.zone}, {case.policy}",
        f"  events    {[(e.key, '+'.join(e.names), e.start, e.end) for e in case.events]}",
        f"  calls     {[(call.upto, call.then) for call in case.calls]}",
    ]
    for number in range(len(case.patterns)):
        for key in sorted({*expected.get(number, {}), *answer.get(number, {})}):
            want, got = expected.get(number, {}).get(key, []), answer.get(number, {}).get(key, [])
            if want != got:
                lines += [f"  pattern {number}, key {key}: the oracle, then the engine"]
                lines += [f"    - {o}" for o in want if o not in got][:5]
                lines += [f"    + {o}" for o in got if o not in want][:5]
                if sorted(want) == sorted(got):
                    lines += ["    the same occurrences in another order"]
    return "\n".join(lines)
