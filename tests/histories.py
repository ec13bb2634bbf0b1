"""Random histories, shared by all tests that draw them.

from histories import histories

@given(histories(names="ABC", min_events=3, max_events=7))
def test_something(history): ...

Patterns need something to find: ask for a few events at least, or most histories have nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tocsin.semantics.history import History

Event = tuple[str, int] | tuple[str, int, int]


def events(
    names: Iterable[str] = "ABC", min_events: int = 0, max_events: int = 7, durative: bool = False
) -> SearchStrategy[list[Event]]:
    """Events as `History.of` takes them, in order of time, from a time that may be negative.

    They are near each other, often at the same instant: ties and exact distances are what breaks
    things. Some are several rows of the same primitive at one instant.
    """
    name = st.sampled_from(list(names))

    def some(steps: list[int]) -> SearchStrategy[list[Event]]:
        step = st.tuples(name, st.sampled_from(steps), st.sampled_from(lengths))
        drawn = st.lists(step, min_size=min_events, max_size=max_events)
        return st.builds(_in_order, st.integers(-4, 2), drawn)

    lengths = [0, 0, 1, 2, 4] if durative else [0]
    return st.one_of(some([1]), some([0, 1, 1, 2]), some([0, 0, 0, 1, 3]))


def histories(
    names: Iterable[str] = "ABC", min_events: int = 0, max_events: int = 7, durative: bool = False
) -> SearchStrategy[History]:
    """Histories of so many events; with `durative`, also of events that last."""
    return events(names, min_events, max_events, durative).map(History.of)


def _in_order(first: int, drawn: list[tuple[str, int, int]]) -> list[Event]:
    """Names, steps of time and lengths as events; what lasts ends where it would have occurred."""
    times = accumulate((step for _, step, _ in drawn), initial=first)
    return [
        (name, time - length, time) if length else (name, time)
        for (name, _, length), time in zip(drawn, times, strict=False)
    ]
