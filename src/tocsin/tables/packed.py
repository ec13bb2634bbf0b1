"""Which rows are which events, as bits: one bit per primitive, in words of 63."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tocsin.engine.plan import WORD
from tocsin.language.nodes import Expression, Primitive
from tocsin.tables.ranks import Integers


def bit_order(patterns: Iterable[Expression]) -> list[Primitive]:
    """The primitives of some patterns in the order of their bits: by name, as a plan has them.

    >>> from tocsin.language.parser import parse
    >>> [p.name for p in bit_order([parse("B ; A"), parse("A - C")])]
    ['A', 'B', 'C']
    """
    every = {primitive for pattern in patterns for primitive in pattern.primitives()}
    return sorted(every, key=lambda p: (p.name, p.predicate or ""))


def words_for(primitives: Sequence[object]) -> int:
    """How many words hold a bit for each primitive."""
    return 1 + len(primitives) // WORD


class Packed(Mapping[Primitive, pa.BooleanArray]):
    """The same as `Matches`, from words of bits.

    >>> a, b = Primitive("A"), Primitive("B")
    >>> Packed([a, b], np.array([[1, 2, 3]]))[b].to_pylist()
    [False, True, True]
    """

    def __init__(self, primitives: Sequence[Primitive], words: Integers) -> None:
        self.words = words
        """A word a line."""
        self.primitives = list(primitives)
        self._bit = {primitive: bit for bit, primitive in enumerate(primitives)}

    def __getitem__(self, primitive: Primitive) -> pa.BooleanArray:
        word, bit = divmod(self._bit[primitive], WORD)
        return pa.array((self.words[word] >> bit & 1).astype(np.bool_))

    def __iter__(self) -> Iterator[Primitive]:
        return iter(self._bit)

    def __len__(self) -> int:
        return len(self._bit)


def pack(
    matches: Mapping[Primitive, pa.BooleanArray], primitives: Sequence[Primitive], rows: Integers
) -> Integers:
    """The words of some rows, for some primitives in the order of their bits."""
    if isinstance(matches, Packed) and matches.primitives == list(primitives):
        return np.ascontiguousarray(matches.words[:, rows])
    words = np.zeros((words_for(primitives), rows.size), np.int64)
    for number, primitive in enumerate(primitives):
        matched = matches[primitive].to_numpy(zero_copy_only=False)[rows]
        words[number // WORD] |= matched.astype(np.int64) << (number % WORD)
    return words


def used(matches: Mapping[Primitive, pa.BooleanArray], rows: int) -> NDArray[np.bool_]:
    """Which rows are an occurrence of some primitive."""
    if isinstance(matches, Packed):
        return np.asarray(matches.words.any(axis=0))
    found = np.zeros(rows, np.bool_)
    for matched in matches.values():
        found |= matched.to_numpy(zero_copy_only=False)
    return found
