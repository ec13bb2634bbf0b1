"""Random events and patterns to measure with; a seed makes them the same each time."""

from __future__ import annotations

import numpy as np

from tocsin.engine.detector import Batch
from tocsin.engine.plan import Plan, make_plan
from tocsin.language.nodes import (
    Conjunction,
    Disjunction,
    Expression,
    Negation,
    Primitive,
    Sequence,
    Within,
)
from tocsin.language.durations import Duration
from tocsin.language.parser import parse

SECOND = 1_000_000
FIRST = "(B ; B) within 2s - (P | T)"


def plan_of(pattern: str | Expression, semantics: str = "restricted") -> Plan:
    """A plan for one pattern; times are microseconds."""
    expression = parse(pattern) if isinstance(pattern, str) else pattern
    return make_plan({"p": expression}, semantics=semantics, tick=1)


def bits_of(plan: Plan, names: list[str], types: np.ndarray) -> np.ndarray:
    """For rows whose type is a place in `names`, the bits of the plan's primitives."""
    table = [1 << plan.primitives.index(n) if n in plan.primitives else 0 for n in names]
    return np.array(table, np.int64)[types].reshape(1, -1)


def keyed(plan: Plan, names: list[str], events: int, keys: int, seed: int = 1) -> Batch:
    """Rows sorted by key and time: as many for each key, up to two seconds between them."""
    rng = np.random.default_rng(seed)
    each = events // keys
    key = np.repeat(np.arange(keys), each)
    time = rng.integers(1, 2 * SECOND, (keys, each)).cumsum(axis=1).reshape(-1)
    bits = bits_of(plan, names, rng.integers(0, len(names), key.size))
    return Batch(key, time, time, bits, np.arange(key.size))


def ticking(plan: Plan, names: list[str], events: int, seed: int = 1) -> Batch:
    """Rows without a key, one at every instant."""
    rng = np.random.default_rng(seed)
    time = np.arange(events)
    bits = bits_of(plan, names, rng.integers(0, len(names), events))
    return Batch(np.zeros(events, np.int64), time, time, bits, np.arange(events))


def cut(plan: Plan, names: list[str], number: int, events: int, keys: int) -> Batch:
    """The rows of one of many cuts, sorted by key; each key has a row about every second."""
    rng = np.random.default_rng(number)
    span = events * SECOND // keys
    time = number * span + np.sort(rng.integers(1, span, events))
    key = rng.integers(0, keys, events)
    order = np.argsort(key, kind="stable")
    bits = bits_of(plan, names, rng.integers(0, len(names), events))
    return Batch(key[order], time[order], time[order], bits, number * events + order)


def random_pattern(operators: int, names: list[str], seed: int) -> Expression:
    """A pattern of so many of the five operators, its shape random too (003, section 5.5.1)."""
    rng = np.random.default_rng(seed)

    def grow(size: int) -> Expression:
        if size == 0:
            return Primitive(str(rng.choice(names)))
        kind = (Disjunction, Conjunction, Sequence, Negation, Within)[rng.integers(5)]
        if kind is Within:
            return Within(grow(size - 1), Duration.of(int(rng.integers(1, 20)) * SECOND))
        left = int(rng.integers(size))
        return kind(grow(left), grow(size - 1 - left))

    return grow(operators)
