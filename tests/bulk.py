"""Patterns and histories from a seed, for tests that need thousands of them.

Hypothesis makes a failure small; but it draws slowly, and near what it has drawn before, so that
rare cases, as a sequence in the right side of a sequence that needs its stored starts, hardly
come up. A failing test names its seed.
"""

from __future__ import annotations

from random import Random

from tocsin.language.nodes import Expression, Primitive
from tocsin.semantics.history import History


def pattern(random: Random, depth: int) -> Expression:
    """A pattern of the five operators."""
    if depth == 0 or random.random() < 0.3:
        return Primitive(random.choice("ABC"))
    left, right = pattern(random, depth - 1), pattern(random, depth - 1)
    window = random.randint(0, 8)
    return random.choice(
        [left | right, left & right, left - right, left >> right, left.within(window)]
    )


def pattern_of_2004(random: Random, depth: int) -> Expression:
    """A pattern of `| & - ;` and `(A ; B) within τ`."""
    if depth == 0 or random.random() < 0.3:
        return Primitive(random.choice("ABC"))
    left, right = pattern_of_2004(random, depth - 1), pattern_of_2004(random, depth - 1)
    sequence = left >> right
    restricted = sequence.within(random.randint(0, 8))
    return random.choice([left | right, left & right, left - right, sequence, restricted])


def history(random: Random) -> History:
    """Instantaneous events, few or many at an instant, from a time that may be negative."""
    first, span = random.randint(-9, 3), random.choice([4, 8, 16])
    count = random.randint(3, 16)
    return History.of(
        [(random.choice("ABC"), first + random.randrange(span)) for _ in range(count)]
    )


def shown(seed: int, expression: Expression, events: History) -> str:
    """What a failing test says."""
    rows = sorted(events.parts, key=lambda part: part.row)
    return f"seed {seed}: {expression} on History.of({[(p.name, p.end) for p in rows]})"
