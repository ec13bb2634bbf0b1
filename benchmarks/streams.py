"""Random events and patterns to measure with, the same each time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tocsin.engine.blocks import Batch
from tocsin.engine.kernels.streams import Integers
from tocsin.engine.plan import Plan, make_plan
from tocsin.language.durations import Duration
from tocsin.language.nodes import (
    Conjunction,
    Disjunction,
    Expression,
    Negation,
    Primitive,
    Sequence,
    Within,
)
from tocsin.language.parser import parse

SECOND = 1_000_000
FIRST = "(B ; B) within 2s - (P | T)"
THREE = ["B", "P", "T"]
FIFTEEN = [f"E{number}" for number in range(1, 16)]


def plan_of(pattern: str | Expression, semantics: str = "restricted") -> Plan:
    """A plan for one pattern; times are microseconds."""
    expression = parse(pattern) if isinstance(pattern, str) else pattern
    return make_plan({"p": expression}, semantics=semantics, tick=1)


def batch_of(plan: Plan, names: list[str], key: Integers, time: Integers, types: Integers) -> Batch:
    """Rows as a detector takes them; a type is a place among the names."""
    bits = [1 << plan.primitives.index(n) if n in plan.primitives else 0 for n in names]
    return Batch(key, time, time, np.array(bits)[types][None, :], np.arange(key.size))


def keyed(plan: Plan, names: list[str], events: int, keys: int) -> Batch:
    """Rows sorted by key and time: as many for each key, up to two seconds between them."""
    rng = np.random.default_rng(1)
    key = np.repeat(np.arange(keys), events // keys)
    time = rng.integers(1, 2 * SECOND, (keys, events // keys)).cumsum(axis=1).reshape(-1)
    return batch_of(plan, names, key, time, rng.integers(0, len(names), key.size))


def ticking(plan: Plan, names: list[str], events: int) -> Batch:
    """Rows without a key, one at every instant."""
    types = np.random.default_rng(1).integers(0, len(names), events)
    return batch_of(plan, names, np.zeros(events, np.int64), np.arange(events), types)


def cut(plan: Plan, names: list[str], number: int, events: int, keys: int) -> Batch:
    """The rows of one of many cuts, sorted by key; each key has a row a second, more or less."""
    rng = np.random.default_rng(number)
    span = events * SECOND // keys
    time = number * span + np.sort(rng.integers(1, span, events))
    key = rng.integers(0, keys, events)
    order = np.argsort(key, kind="stable")
    return batch_of(plan, names, key[order], time[order], rng.integers(0, len(names), events))


def one_by_one(plan: Plan, names: list[str], events: int, keys: int) -> Iterator[Batch]:
    """First a row for each key, then as many single rows as asked for."""
    rng = np.random.default_rng(1)
    types = rng.integers(0, len(names), keys)
    yield batch_of(plan, names, np.arange(keys), rng.integers(1, SECOND, keys), types)
    for number in range(events):
        key, time = rng.integers(0, keys, 1), np.array([SECOND + number])
        yield batch_of(plan, names, key, time, rng.integers(0, len(names), 1))


def reordered(batch: Batch, order: Integers) -> Batch:
    """The same rows in another order."""
    end, bits = batch.end[order], np.take(batch.bits, order, axis=1)
    return Batch(batch.key[order], end, end, bits, batch.number[order])


def random_pattern(operators: int, names: list[str], seed: int, unit: int = SECOND) -> Expression:
    """A pattern of so many of the five operators, its shape random too (003, section 5.5.1).

    Windows are of some units of time, about one of which a key has an event in.
    """
    rng = np.random.default_rng(seed)

    def grow(size: int) -> Expression:
        if size == 0:
            return Primitive(str(rng.choice(names)))
        kind = int(rng.integers(5))
        if kind == 4:
            return Within(grow(size - 1), Duration.of(int(rng.integers(1, 20)) * unit))
        left = int(rng.integers(size))
        operator = (Disjunction, Conjunction, Sequence, Negation)[kind]
        return operator(grow(left), grow(size - 1 - left))

    return grow(operators)
