"""What can start, end and decide an occurrence, judged by the occurrences there are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import ALL, expressions

from tocsin.analysis.ends import ends
from tocsin.language import nodes
from tocsin.language.parser import parse
from tocsin.semantics import History, meaning

HISTORIES = st.lists(
    st.tuples(st.sampled_from("ABC"), st.integers(0, 9), st.integers(0, 2)), max_size=7
).map(lambda rows: [(name, start, start + length) for name, start, length in rows])


@pytest.mark.parametrize(
    ("text", "starts", "finishes", "decides"),
    [
        ("A", "A", "A", "A"),
        ("A ; B", "A", "B", "B"),
        ("A | B", "A B", "A B", "A B"),
        ("(A ; B) & (C ; D)", "A C", "B D", "B D"),
        ("(A ; B) within 2 - C", "A", "B", "B"),
        ("not(B; A, C)", "A", "C", "C"),
        ("any(2; A, B, C)", "A B C", "A B C", "A B C"),
        ("any(2; A, B, nothing)", "A B", "A B", "A B"),
        ("any(3; A, B, nothing)", "", "", ""),
        ("aperiodic(A, B, C)", "B", "B", "B"),
        ("aperiodic*(A, B, C)", "B", "B", "C"),
        ("aperiodic(nothing, B, C)", "", "", ""),
        ("periodic*(A, 3, C)", "periodic*(A, 3, C)", "periodic*(A, 3, C)", "C"),
        ("plus(A, 3) ; B", "plus(A, 3)", "B", "B"),
        ("delay(A, 3) - B", "A", "delay(A, 3)", "delay(A, 3)"),
        ("A#3", "A", "A", "A"),
        ("absent(A, 3)", "absent(A, 3)", "absent(A, 3)", "absent(A, 3)"),
        ('at("17:00") ; A', 'at("17:00")', "A", "A"),
        ("(A ; B) using chronicle", "A", "B", "B"),
        ("A ; nothing", "", "", ""),
        ("A ; (B | nothing)", "A", "B", "B"),
        ("nothing - A", "", "", ""),
        ("A - nothing", "A", "A", "A"),
    ],
)
def test_shapes(text: str, starts: str, finishes: str, decides: str) -> None:
    found = ends(parse(text))
    shown = [" ".join(map(str, each)) for each in (found.starts, found.ends, found.decides)]
    assert shown == [starts, finishes, decides]


@given(
    expressions(operators=[op for op in ALL if op is not nodes.At]),
    HISTORIES,
    st.sampled_from(nodes.USABLE),
)
def test_nothing_else_starts_or_ends(pattern, events, semantics) -> None:
    """A start that is no timer's and no clock's is the start of an event that can start it."""
    found = ends(pattern)
    history = History.of(events, until=12)
    for occurrence in meaning(pattern, history, semantics=semantics):
        _check(
            found.starts,
            occurrence.start,
            {p.name for p in occurrence.parts if p.start == occurrence.start},
        )
        _check(
            found.ends,
            occurrence.end,
            {p.name for p in occurrence.parts if p.end == occurrence.end},
        )
        _check(
            found.decides,
            occurrence.detected,
            {p.name for p in occurrence.parts if p.end == occurrence.detected},
        )


def _check(sources, time: int, names: set[str]) -> None:
    assert sources, "an occurrence of a pattern that cannot occur"
    if all(isinstance(source, nodes.Primitive) for source in sources):
        assert names & {source.name for source in sources}, (time, names, sources)


def test_ten_thousand_operators() -> None:
    pattern = parse(" ; ".join(f"E{i}" for i in range(10_000)))
    found = ends(pattern)
    assert [str(node) for node in (*found.starts, *found.ends)] == ["E0", "E9999"]
