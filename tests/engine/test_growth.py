"""What small random cases cannot reach: long histories, large states, deep lineage, many keys."""

from __future__ import annotations

import time
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest

from tocsin.engine.blocks import Batch, blocks
from tocsin.engine.detector import Detector
from tocsin.engine.found import Found
from tocsin.engine.plan import Plan, make_plan
from tocsin.language.nodes import CONTEXTS
from tocsin.language.parser import parse

PATTERNS = [
    "(A ; B) within 9 - C",
    "A ; (B ; C)",
    "A & B",
    "not(C; A, B)",
    "any(2; A, B, C)",
    "aperiodic(A, B, C)",
    "aperiodic*(A, B, C)",
    "periodic(A, 7, C)",
    "periodic*(A, 7, C)",
    "plus(A, 9) | delay(B, 5)",
    "A#3",
    "absent(A, 6)",
    "both(A ; B, A)",
    "either(A ; B, A | B)",
]


def history(plan: Plan, count: int, keys: int = 1, seed: int = 0) -> Batch:
    """Instants of some keys, with several rows at one now and then."""
    random = np.random.default_rng(seed)
    key = np.sort(random.integers(0, keys, count))
    time_ = np.cumsum(random.integers(0, 3, count))
    first = np.searchsorted(key, np.arange(keys))
    time_ = time_ - time_[first[key]]  # each key from 0 on
    bits = (1 << random.integers(0, 3, count)) & ((1 << len(plan.primitives)) - 1)
    return Batch(key, time_, time_, np.ascontiguousarray(bits[None, :]), np.arange(count))


def columns(found: Found) -> dict[str, list[int]]:
    return {name: column.tolist() for name, column in vars(found).items()}


def one_call(plan: Plan, batch: Batch) -> dict[str, list[int]]:
    detector = Detector(plan)
    return columns(detector.advance(batch, int(batch.end.max()))["p"])


def rows(plan: Plan, names: str, first: int = 0, key: int = 0) -> Batch:
    at = np.arange(first, first + len(names))
    bits = np.array([[1 << plan.primitives.index(name) for name in names]])
    return Batch(np.full(at.size, key), at, at, bits, at)


@pytest.mark.parametrize("text", PATTERNS)
def test_how_rows_are_cut_into_blocks_does_not_matter(text: str) -> None:
    """More rows than a block has, several keys, instants that a block would end within."""
    plan = make_plan({"p": parse(text)})
    batch = history(plan, 70_000, keys=40)
    expected = one_call(plan, batch)
    assert len(expected["key"]) > 1000
    for size in (1_000_000, 501, 64):
        with patch("tocsin.engine.detector.blocks", partial(blocks, size=size)):
            assert one_call(plan, batch) == expected


@pytest.mark.parametrize("report", ["repeated", "single"])
@pytest.mark.parametrize("text", ["(A ; B) ; C", "A#37", "absent(A, 9)", "(A & C) within 4"])
def test_in_which_pieces_a_report_goes_forward_does_not_matter(text: str, report: str) -> None:
    plan = make_plan({"p": parse(text)}, report=report)
    batch = history(plan, 8_000, keys=30)
    expected = one_call(plan, batch)
    assert len(expected["key"]) > (25 if report == "single" else 40)
    for piece in (1, 3, 1_000_000):
        with patch("tocsin.engine.reporting.PIECE", piece):
            assert one_call(plan, batch) == expected


def test_a_long_history_of_one_key() -> None:
    """A hundred thousand pairs, of which each A but the last before a B is passed over."""
    plan = make_plan({"p": parse("A ; B")})
    found = one_call(plan, rows(plan, "AAB" * 100_000))
    assert found["start"] == list(range(1, 300_000, 3))
    assert found["part_row"][:4] == [1, 2, 4, 5]


@pytest.mark.parametrize("how", ["at once", "in cuts", "forgetting", "saved"])
def test_a_cumulative_occurrence_of_many_parts(how: str) -> None:
    count = 12_000
    plan = make_plan({"p": parse("(A ; B) ; C")}, semantics="cumulative")
    names = "AB" * count + "C"
    detector = Detector(plan)
    size = len(names) if how == "at once" else 1999
    for first in range(0, len(names), size):
        batch = rows(plan, names[first : first + size], first)
        found = detector.advance(batch, int(batch.end[-1]))["p"]
        if how == "forgetting":
            detector.forget()
        elif how == "saved":
            detector = Detector.load(plan, detector.save())
    assert found.start.tolist() == [0]
    assert found.part_row.tolist() == list(range(2 * count + 1))
    detector.forget()
    assert detector.rows.used == detector.lineage.filled == 0


def test_counting_to_many_while_letting_go_of_everything_else() -> None:
    """A chain of cells as long as the count, kept alive through many collections."""
    plan = make_plan({"p": parse("A#5000")})
    detector = Detector(plan)
    found = []
    for first in range(0, 15_000, 100):
        batch = rows(plan, "A" * 100, first)
        found.append(detector.advance(batch, first + 99)["p"])
        detector.forget()
        assert detector.rows.used <= 5000
    last = [f for f in found if f.key.size]
    assert [f.part_row.tolist() for f in last] == [
        list(range(n, n + 5000)) for n in (0, 5000, 10_000)
    ]


def test_lineage_that_shares_much() -> None:
    """Every occurrence of a level is in two of the next; the parts are listed once each."""
    pattern = parse("A ; B")
    for _ in range(9):
        pattern = (pattern & parse("A")) | (pattern & parse("B"))
    plan = make_plan({"p": pattern})
    found = one_call(plan, rows(plan, "AB" * 50))
    sizes = np.diff(found["offsets"])
    assert sizes.min() >= 2
    assert sizes.max() <= 20
    for begin, end in zip(found["offsets"], found["offsets"][1:], strict=False):
        parts = found["part_row"][begin:end]
        assert parts == sorted(set(parts))


def test_many_keys_that_come_and_go() -> None:
    """Slots are used again; a key that comes back has no past."""
    plan = make_plan({"p": parse("(A ; B) within 5")})
    detector = Detector(plan)
    hits = 0
    for call in range(60):
        keys = np.arange(1000 * (call % 7), 1000 * (call % 7) + 5000)
        at = np.full(keys.size, 3 * call)
        bits = np.full((1, keys.size), 1 + call % 2)
        found = detector.advance(Batch(keys, at, at, bits, keys), 3 * call)["p"]
        assert (found.end - found.start == 3).all()
        hits += found.key.size
        detector.forget()
        assert detector.keys.known.size <= 12_000
    # Two calls in a row have 4,000 keys in common, but for the jump back after seven.
    assert hits == 4000 * sum(call % 2 and call % 7 > 0 for call in range(60))
    assert detector.keys.size <= 12_000


def test_many_waiting_at_once_and_let_go_at_once() -> None:
    plan = make_plan({"p": parse("A ; B")}, semantics="continuous")
    detector = Detector(plan)
    for first in range(0, 50_000, 10_000):
        detector.advance(rows(plan, "A" * 10_000, first), first + 9_999)
    found = detector.advance(rows(plan, "BB", 50_000), 50_001)["p"]
    assert found.start.tolist() == list(range(50_000))
    assert set(found.end.tolist()) == {50_000}
    detector.forget()
    assert detector.keys.known.size == 0


@pytest.mark.parametrize("semantics", ["restricted", *CONTEXTS])
@pytest.mark.parametrize("text", PATTERNS)
def test_time_is_linear_in_a_keys_rows(text: str, semantics: str) -> None:
    """Eight times the rows may take thirty times as long here; sixty-four would be quadratic."""
    plan = make_plan({"p": parse(text)}, semantics=semantics)

    def seconds(count: int) -> float:
        batch = history(plan, count)
        began = time.process_time()
        found = Detector(plan).advance(batch, int(batch.end.max()))["p"]
        return (time.process_time() - began) / (count + found.key.size + found.part_row.size)

    seconds(100)
    small = min(seconds(4_000) for _ in range(3))
    assert min(seconds(32_000) for _ in range(3)) < 4 * small + 1e-6
