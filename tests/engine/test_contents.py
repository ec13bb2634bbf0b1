"""Looking inside a detector: everything it keeps, in words."""

from __future__ import annotations

import numpy as np
import pytest

from tocsin.engine.blocks import Batch
from tocsin.engine.contents import Kept, contents
from tocsin.engine.detector import Detector
from tocsin.engine.plan import make_plan
from tocsin.language.parser import parse


def kept(text: str, events: str, upto: int, semantics: str = "unrestricted") -> list[Kept]:
    """What is kept of one key after some events, as `A1 B2`."""
    plan = make_plan({"p": parse(text)}, semantics=semantics)
    names, times = zip(*((e[0], int(e[1:])) for e in events.split()), strict=True)
    time = np.array(times)
    bits = np.array([[1 << plan.primitives.index(n) if n in plan.primitives else 0 for n in names]])
    detector = Detector(plan)
    detector.advance(Batch(np.full_like(time, 7), time, time, bits, 10 * time), upto)
    detector = Detector.load(plan, detector.save())
    return list(contents(detector))


def written(those: list[Kept]) -> list[str]:
    return [
        " ".join([k.what, *map(str, k.times), *(f"{p.name}@{p.start}" for p in k.parts)])
        for k in those
    ]


@pytest.mark.parametrize(
    ("text", "events", "found"),
    [
        ("A ; B", "A1 A3", ["waits 1 1 1 A@1", "waits 3 3 3 A@3"]),
        ("(A ; B) ; C", "A1 B2", ["waits 1 1 1 A@1", "waits 1 2 2 A@1 B@2"]),
        ("A & B", "A1", ["waits 1 1 1 A@1"]),
        ("(A ; B) - C", "A1 C4", ["waits 1 1 1 A@1", "guard 4 4"]),
        ("not(C; A, (B ; A))", "A1 C4 B9", ["waits 9 9 9 B@9", "guard 4 4", "waits 1 1 1 A@1"]),
        ("aperiodic*(A, B, C)", "A1 B2", ["waits 1 1 1 A@1", "lies between 2 2 2 B@2"]),
        ("periodic(A, 7, C)", "A1", ["open 1 1 1 A@1", "next tick 22"]),
        ("plus(A, 30)", "A1", ["its time has not come 1 1 1 A@1"]),
        ("A#3", "A1 A5", ["2 of 3 1 5 5 A@1 A@5"]),
        ("absent(A, 9)", "A1", ["silent since, reported 1"]),
        ("absent(A, 90)", "A1", ["silent since 1"]),
        ("every(50)", "A1", ["the clock was read up to 20"]),
        ("either(A, A ; B)", "A1", ["waits 1 1 1 A@1", "let through A@1"]),
        ("A", "A1", []),
    ],
)
def test_everything_has_a_name(text: str, events: str, found: list[str]) -> None:
    assert written(kept(text, events, upto=20)) == found


def test_rows_are_called_as_the_caller_calls_them() -> None:
    (one,) = kept("A ; B", "A4", upto=9)
    assert (one.key, one.node, one.parts[0].row) == (7, 2, 40)


def test_the_algebra_of_2004_keeps_a_start() -> None:
    assert written(kept("A ; B", "A1 B2", 9, "restricted-2004")) == ["the largest start so far 1"]
