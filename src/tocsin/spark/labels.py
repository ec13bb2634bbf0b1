"""What buckets are called, so that Spark spreads them evenly over its partitions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tocsin.tables.ranks import Integers

CONTROL = 0
"""The bucket that has no keys, the same for every number of buckets."""

_SEED = 42
_word = np.uint32
_Words = NDArray[np.uint32]


def labels(buckets: int) -> list[int]:
    """A label for each bucket, such that Spark's hash of the i-th, modulo `buckets`, is i.

    So each of P partitions gets as many, where P divides the number of buckets. Labels for
    different numbers of buckets differ.

    >>> (murmur3(np.array(labels(4))) % 4).tolist()
    [0, 1, 2, 3]
    """
    found = np.full(buckets, CONTROL, np.int64)
    first = buckets << 32
    while not found.all():
        candidates = np.arange(first, first + 16 * buckets)[::-1]  # of several the first is taken
        place = murmur3(candidates) % buckets
        free = found[place] == CONTROL
        found[place[free]] = candidates[free]
        first += 16 * buckets
    return [int(label) for label in found]


def murmur3(values: Integers) -> Integers:
    """Spark's hash of bigints, by which it partitions.

    >>> murmur3(np.array([0, 1])).tolist()
    [-1670924195, -1712319331]
    """
    lower, upper = values.astype(np.uint32), (values >> 32).astype(np.uint32)
    mixed = _mix(_mix(np.full_like(lower, _SEED), lower), upper) ^ _word(8)
    mixed = (mixed ^ mixed >> _word(16)) * _word(0x85EBCA6B)
    mixed = (mixed ^ mixed >> _word(13)) * _word(0xC2B2AE35)
    return (mixed ^ mixed >> _word(16)).astype(np.int32).astype(np.int64)


def _mix(mixed: _Words, word: _Words) -> _Words:
    word = _rotated(word * _word(0xCC9E2D51), 15) * _word(0x1B873593)
    return _rotated(mixed ^ word, 13) * _word(5) + _word(0xE6546B64)


def _rotated(word: _Words, bits: int) -> _Words:
    return word << _word(bits) | word >> _word(32 - bits)
