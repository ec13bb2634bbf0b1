"""What a detector keeps on arrival: one of each, all, or what a watermark leaves."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tocsin.engine.arriving import INITIATORS, kept_on_arrival
from tocsin.engine.blocks import Batch
from tocsin.engine.detector import Detector
from tocsin.engine.kernels.streams import KEY, TAG, Integers
from tocsin.engine.plan import make_plan
from tocsin.errors import DataError
from tocsin.language import nodes
from tocsin.language.parser import parse

SEED = 20261115
PATTERNS = (
    "A ; B", "A & B", "(A & B) within 9", "any(2; A, B, C)", "not(B; A, C)", "aperiodic(A, B, C)",
    "aperiodic*(A, B, C)", "(A ; B) & C",
)  # fmt: skip


def rows(random: Random, first: int, count: int, lateness: int) -> Batch:
    """Rows of one key, an instant apart but for how late they are, from an arrival on."""
    arrival = np.arange(first, first + count)
    time = arrival - np.array([random.randint(0, lateness) for _ in arrival])
    bits = np.array([[1 << random.randrange(3) for _ in arrival]])
    return Batch(np.zeros_like(time), time, time, bits, arrival, arrival)


def kept(pattern: str, policy: str, semantics: str, lateness: int | None) -> list[Integers]:
    """For each node the state after many rows; with a watermark where `lateness` is given."""
    plan = make_plan({"p": parse(pattern)}, semantics=semantics, basis="point", policy=policy)
    detector, random = Detector(plan), Random(f"{SEED}-{pattern}")
    for first in range(0, 600, 100):
        detector.advance(rows(random, first, 100, lateness or 50), first + 99)
        detector.past = None if lateness is None else first + 99 - lateness
    detector.forget()
    slots = detector.keys.slot.astype(np.int64)
    none = np.empty((6, 0), np.int64)
    return [none if store is None else store.take(slots) for store in detector.stores]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_total_keeps_the_recent_of_each_operand(pattern: str) -> None:
    plan = make_plan(
        {"p": parse(pattern)}, semantics="recent", basis="point", policy="asynchronous-total"
    )
    states = kept(pattern, "asynchronous-total", "recent", None)
    more = kept(pattern, "asynchronous-partial", "recent", None)
    for node, state, partial in zip(plan.nodes, states, more, strict=True):
        kind = type(node.expression)
        everyone = range(len(node.operands)) if kind is nodes.AnyOf else INITIATORS.get(kind, ())
        for tag in range(len(everyone)):
            assert (state[TAG] == tag).sum() <= 1
            assert (partial[TAG] == tag).sum() > 20 or "not" in pattern or "*" in pattern
        said = kept_on_arrival(plan, node)
        assert said is None or not said[1] or state.shape[1] <= len(everyone)


@pytest.mark.parametrize("semantics", ["recent", "restricted"])
@pytest.mark.parametrize("pattern", ["A ; B", "A & B", "not(B; A, C)", "A - B"])
def test_a_watermark_leaves_what_may_still_be_early_and_one_of_the_rest(
    pattern: str, semantics: str
) -> None:
    lateness = 20
    *_, state = kept(pattern, "asynchronous-partial", semantics, lateness)
    assert (state[KEY] == 0).all()
    assert state.shape[1] <= 2 * (lateness + 1)
    assert kept(pattern, "asynchronous-partial", semantics, None)[-1].shape[1] > 80


def test_rows_that_come_after_their_call_are_refused() -> None:
    plan = make_plan({"p": parse("A ; B")}, basis="point", policy="asynchronous-partial")
    detector = Detector(plan)
    detector.advance(rows(Random(1), 0, 5, 9), upto=4)
    with pytest.raises(DataError, match="a row arrives at 3, but all up to 4 has been decided"):
        detector.advance(rows(Random(1), 3, 5, 9), upto=9)
    with pytest.raises(DataError, match="a row arrives at 9, after the 7 up to which"):
        detector.advance(rows(Random(1), 5, 5, 9), upto=7)
