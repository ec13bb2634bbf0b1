"""What buckets are called, so that Spark spreads them evenly over its partitions."""

from __future__ import annotations

CONTROL = 0
"""The bucket that has no keys, the same for every number of buckets."""

_MASK = 0xFFFFFFFF
_SEED = 42


def labels(buckets: int) -> list[int]:
    """A label for each bucket, such that Spark's hash of the i-th, modulo `buckets`, is i.

    So each of P partitions gets as many, where P divides the number of buckets. Labels for
    different numbers of buckets differ.

    >>> [murmur3(label) % 4 for label in labels(4)]
    [0, 1, 2, 3]
    """
    found: dict[int, int] = {}
    candidate = buckets << 32
    while len(found) < buckets:
        found.setdefault(murmur3(candidate) % buckets, candidate)
        candidate += 1
    return [found[place] for place in range(buckets)]


def murmur3(value: int) -> int:
    """Spark's hash of a bigint, by which it partitions.

    >>> murmur3(0), murmur3(1)
    (-1670924195, -1712319331)
    """
    mixed = _mix(_SEED, value & _MASK)
    mixed = _mix(mixed, value >> 32 & _MASK) ^ 8
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & _MASK
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _MASK
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def _mix(mixed: int, word: int) -> int:
    word = _rotated(word * 0xCC9E2D51 & _MASK, 15) * 0x1B873593 & _MASK
    return (_rotated(mixed ^ word, 13) * 5 + 0xE6546B64) & _MASK


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> 32 - bits) & _MASK
