"""Random patterns of the algebra of 2004 (SPEC §6), where a window stands only on a sequence."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tocsin.language import nodes
from tocsin.language.nodes import Expression, Primitive


def patterns_of_2004(max_depth: int = 3) -> SearchStrategy[Expression]:
    """Patterns made of `| & - ;` and `(A ; B) within τ`."""
    leaf: SearchStrategy[Expression] = st.sampled_from("ABC").map(Primitive)
    level = leaf
    for _ in range(max_depth):
        sequence = st.builds(nodes.Sequence, level, level)
        level = st.one_of(
            leaf,
            leaf,
            leaf,
            st.builds(nodes.Disjunction, level, level),
            st.builds(nodes.Conjunction, level, level),
            st.builds(nodes.Negation, level, level),
            sequence,
            st.builds(nodes.Within, sequence, st.integers(1, 7)),
        )
    return level
