"""Whether a checkpoint and a query belong together: precisely what no longer fits, if anything."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tocsin import __version__
from tocsin.errors import DataError
from tocsin.spark.stream.memory import Memory, Name, Store
from tocsin.spark.stream.setup import plan_for

if TYPE_CHECKING:
    from tocsin.spark.batch import Query
    from tocsin.spark.stream.setup import Setup

HEADER = Name("header")
SHOWN = 200
"""So many characters of a pattern are shown."""

_AFRESH = "start with an empty checkpoint"
_APART = ("tocsin", "patterns", "plans", "shown")
"""What is not simply compared."""


def header_of(query: Query, buckets: int) -> str:
    """Everything that a state depends on, as JSON."""
    call, columns = query.call, query.columns
    lasts = call.start != call.end

    def typed(*names: str) -> list[str]:
        found = [columns.find(name, "the column") for name in names]
        return [f"{field.name} {field.dataType.simpleString()}" for field in found]

    plans = {
        label: plan_for(pattern, call.reading, query.axis.tick, lasts).identity
        for label, pattern in call.patterns.items()
    }
    facts = {
        "tocsin": __version__,
        "buckets": buckets,
        "key": typed(*call.keys),
        "time": typed(*query.times),
        "unit": call.unit,
        "carry": typed(*call.carry),
        "order_by": typed(*call.order_by),
        "type": call.type,
        "semantics": call.reading.semantics,
        "basis": call.reading.basis,
        "report": call.reading.report,
        "policy": call.reading.policy,
        "until": query.until,
        "timezone": str(query.axis.zone),
        "patterns": {label: repr(pattern) for label, pattern in call.patterns.items()},
        "plans": plans,
        "shown": _shown(query),
    }
    return json.dumps(facts)


def _shown(query: Query) -> dict[str, Any]:
    """What somebody needs who looks at a state without the query: `inspecting` does."""
    call = query.call
    patterns = {
        label: [str(pattern), {p.name: p.predicate for p in pattern.primitives() if p.predicate}]
        for label, pattern in call.patterns.items()
    }
    names = ("keys", "carry", "order_by", "start", "end")
    facts = {name: getattr(call, name) for name in names}
    times = {"tick": query.axis.tick, "times": query.axis.kind}
    return {"patterns": patterns, "names": query.names} | facts | times


class Control:
    """The bucket without keys, which every micro-batch visits: it has the header only."""

    def __init__(self, setup: Setup, memory: Memory) -> None:
        self.setup, self.store = setup, Store(memory)

    def check(self) -> None:
        """Refuse, before anything is kept, to go on with the state of something else."""
        before = None
        if self.store.has(HEADER):
            before = self.store.get(HEADER).to_pybytes().decode()
            check(before, self.setup.header)
        if before != self.setup.header:
            self.store.put(HEADER, self.setup.header.encode())


def check(before: str, now: str) -> None:
    """Refuse to go on with a state that was made by something else.

    >>> check('{"buckets": 8}', '{"buckets": 16}')
    Traceback (most recent call last):
    tocsin.errors.DataError: the checkpoint was made with buckets=8, this query has buckets=16; \
go back to that, or start with an empty checkpoint
    """
    if before == now:
        return
    old, new = json.loads(before), json.loads(now)
    for name in old:
        if name not in _APART and old[name] != new.get(name):
            raise DataError(
                f"the checkpoint was made with {name}={_said(old[name])}, this query has "
                f"{name}={_said(new.get(name))}",
                hint=f"go back to that, or {_AFRESH}",
            )
    _check_patterns(old, new)


def _check_patterns(old: dict[str, Any], new: dict[str, Any]) -> None:
    both = [label for label in old["patterns"] if label in new["patterns"]]
    for label in both:
        before, now = old["patterns"][label], new["patterns"][label]
        if before != now:
            raise DataError(
                f"the pattern {label!r} is not what it was when the checkpoint was made: it was "
                f"{before:.{SHOWN}}, it is {now:.{SHOWN}}",
                hint=f"give it another name, and it starts afresh, or {_AFRESH}",
            )
        if old["plans"][label] != new["plans"][label]:
            raise DataError(
                f"Tocsin {new['tocsin']} keeps other state for the pattern {label!r} than Tocsin "
                f"{old['tocsin']}, which made the checkpoint",
                hint=f"continue with that, or {_AFRESH}",
            )
    if not both:
        raise DataError(
            "the checkpoint was made for other patterns: "
            f"{', '.join(map(repr, old['patterns'])):.{SHOWN}}",
            hint=f"keep one of them, or {_AFRESH}",
        )


def _said(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(value)})" if len(value) != 1 else repr(value[0])
    return repr(value)
