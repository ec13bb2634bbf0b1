"""Questions to every engine: the golden cases, as many as possible at once, and random ones."""

from __future__ import annotations

from collections import defaultdict
from itertools import cycle, product
from random import Random
from typing import Any

import pyarrow as pa
from engine.cases import NAMES, ORIGINS, draw_case, draw_events
from golden_cases import Case, golden_cases, normal
from spark.answers import Answer, Question

from tocsin.engine.plan import make_plan
from tocsin.language.parser import parse
from tocsin.language.settings import SEMANTICS


def golden() -> list[list[Case]]:
    """The golden cases, as many as possible in one table: those with the same settings, and, if
    it matters how long was watched, with the same events."""
    found: dict[Any, list[Case]] = defaultdict(list)
    for case in golden_cases():
        if case.on_arrival:  # the rows of a table do not arrive
            continue
        settings = (case.semantics, case.basis, case.report)
        plan = make_plan({"p": parse(case.pattern)}, semantics=case.semantics, basis=case.basis)
        watched = (case.until, case.events) if plan.has_timers else None
        found[settings, watched].append(case)
    return list(found.values())


def histories(cases: list[Case]) -> list[Any]:
    return list(dict.fromkeys(case.events for case in cases))


def golden_question(cases: list[Case]) -> Question:
    rows = [
        {"history": number, "type": event[0], "start": event[1], "end": event[-1], "id": place}
        for number, events in enumerate(histories(cases))
        for place, event in enumerate(events)
    ]
    options = {name: getattr(cases[0], name) for name in ("semantics", "basis", "report", "until")}
    return Question(
        {f"{number}": case.pattern for number, case in enumerate(cases)},
        pa.Table.from_pylist(rows),
        options | {"key": "history", "start": "start", "end": "end"},
    )


def written(answer: Answer, pattern: str, history: int) -> list[str]:
    """The occurrences of one pattern in one history, as the golden files write them."""
    return [
        normal(
            f"[{start}, {end}]{f'!{detected}' if detected != end else ''} "
            + " ".join(f"{name}@{last}" for name, _, last, _ in events)
        )
        for label, key, detected, end, start, events in answer
        if (label, key) == (pattern, (history,))
    ]


def random_question(
    settings: tuple[str, str, str], policy: str = "synchronous", patterns: int = 8
) -> Question:
    """Random patterns, and histories of some keys; the settings are the seed."""
    random = Random(" ".join(settings))
    semantics, basis, report = settings
    drawn = [
        draw_case(random, semantics=semantics, basis=basis, policy=policy, depth=3)
        for _ in range(patterns)
    ]
    wanted = {f"{n}": case.patterns[0] for n, case in enumerate(drawn)}
    clocks = any(case.tick for case in drawn)
    origin = 0 if clocks else random.choice(ORIGINS)
    events = draw_events(random, origin, 120, range(15)) + draw_events(random, origin, 8, [99])
    names = {p.name for pattern in wanted.values() for p in pattern.primitives()}
    until = max((e.end for e in events), default=0) + random.choice([-4, 5])
    lasting = any(e.start != e.end for e in events)
    return Question(
        wanted,
        pa.Table.from_pylist(
            [
                {"k": e.key % 5, "q": str(e.key // 5), "start": e.start, "end": e.end, "id": place}
                | {f"is_{name}": name in e.names or None for name in NAMES}
                for place, e in enumerate(events)
            ],
            pa.schema(
                {"k": pa.int8(), "q": pa.string(), "start": pa.int64(), "end": pa.int64()}
                | {"id": pa.int32(), **{f"is_{name}": pa.bool_() for name in NAMES}}
            ),
        ),
        {
            "key": ["k", "q"],
            "define": {name: f"is_{name}" for name in NAMES if name in names},
            "semantics": semantics,
            "basis": basis,
            "report": report,
            "policy": policy,
            "until": random.choice([None, None, until]),
            "unit": "h" if clocks else None,
            "timezone": random.choice(["UTC", "Europe/Berlin"]),
            **({"start": "start", "end": "end"} if lasting else {"time": "end"}),
        },
    )


RANDOM = [
    (semantics, basis, report)
    for (semantics, basis), report in zip(
        product(SEMANTICS, ["interval", "point"]),
        cycle(["overlapping", "overlapping", "repeated", "overlapping", "single"]),
    )
]
