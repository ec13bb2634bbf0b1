"""Random histories, shared by all tests that draw them.

from histories import histories

@given(histories(names="ABC", max_events=7))
def test_something(history): ...
"""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tocsin.semantics.history import History

FIRST, LAST = -3, 6
"""Few instants, some of them negative: ties and exact distances are what breaks things."""


def events(
    names: Iterable[str] = "ABC", min_events: int = 0, max_events: int = 7, durative: bool = False
) -> SearchStrategy[list[tuple[str, int] | tuple[str, int, int]]]:
    """Events as `History.of` takes them; ties, and several rows of one primitive at an instant."""
    name, time = st.sampled_from(list(names)), st.integers(FIRST, LAST)

    def some(event: SearchStrategy[tuple]) -> SearchStrategy[list]:
        return st.lists(event, min_size=min_events, max_size=max_events)

    # Unlike an instant drawn anew for every event, one of three drawn for all makes ties common.
    crowded = st.lists(time, min_size=1, max_size=3).flatmap(
        lambda few: some(st.tuples(name, st.sampled_from(few)))
    )
    spread = some(st.tuples(name, time))
    if not durative:
        return st.one_of(spread, crowded)
    interval = st.builds(lambda n, at, length: (n, at, at + length), name, time, st.integers(0, 4))
    return st.one_of(spread, crowded, some(interval))


def histories(
    names: Iterable[str] = "ABC", min_events: int = 0, max_events: int = 7, durative: bool = False
) -> SearchStrategy[History]:
    """Histories of so many events; with `durative`, also of events that last."""
    return events(names, min_events, max_events, durative).map(History.of)
