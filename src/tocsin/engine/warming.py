"""Running every kernel once, so that all of them are compiled."""

from __future__ import annotations

import numpy as np

from tocsin.engine.blocks import Batch
from tocsin.engine.detector import Detector
from tocsin.engine.plan import make_plan
from tocsin.engine.sorting import by_key_and_time
from tocsin.language.parser import parse

TOGETHER = """
    (A ; B) within 5 - C | (A & B) within 5 | not(C; A, B) | any(2; A, B, C) | A#2
    | aperiodic(A, B, C) | aperiodic*(A, B, C) | periodic(A, 3, C) | periodic*(A, 3, C)
    | plus(A, 3) | delay(A, 3) | absent(A, 3) | every(5) | both(A ; B, A ; C)
    | either(A ; B, A ; C) | (A ; (B ; C)) | aperiodic*(A, B, C) - D | aperiodic*(A, B, C) & D
    | aperiodic*(A, B, C) within 3
"""
"""All operators, over instants, intervals and operands that are late."""


def warm() -> int:
    """Compile what patterns can need; returns how many were run for that.

    >>> warm() > 3
    True
    """
    plans = [
        make_plan({"p": parse(TOGETHER)}),
        make_plan({"p": parse(TOGETHER)}, semantics="recent"),
        make_plan({"p": parse(TOGETHER)}, durative=True),
        make_plan({"p": parse(TOGETHER)}, report="repeated"),
        make_plan({"p": parse("(A ; B) within 5 | aperiodic*(A, B, C)")}, basis="point"),
        make_plan({"p": parse("A ; B")}, basis="point", policy="asynchronous-partial"),
    ]
    by_key_and_time(np.zeros(8, np.int64), np.arange(8)[::-1])
    for plan in plans:
        detector = Detector(plan)
        for first in (0, 10):
            end = first + np.arange(8)
            start = end - 1 if plan.durative else end
            bits = np.ascontiguousarray((1 << (np.arange(8) % 4))[None, :])
            batch = Batch(np.zeros(8, np.int64), start, end, bits, np.arange(8))
            detector.advance(batch, first + 9)
        Detector.load(plan, detector.save())
    return len(plans)
