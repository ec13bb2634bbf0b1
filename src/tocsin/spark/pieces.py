"""A partition's rows in order, piece by piece, and the stretches in which the engine takes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tocsin.tables.ranks import Integers, Sorted

STRETCH = 1 << 19
"""About so many rows go to the engine at once, so that what they give is not too much either."""


@dataclass(frozen=True)
class Rows:
    """Some rows of a partition, and their order."""

    table: pa.Table
    """Their columns, by name; in no order."""
    words: Integers
    """Their words of bits, a word a line, perhaps narrow; in no order."""
    sorted: Sorted


@dataclass(frozen=True)
class Piece:
    """The first `size` of some rows, in order. All rows before them have been in earlier pieces.

    A key whose rows go on in the next piece is cut between two instants.
    """

    rows: Rows
    size: int
    opened: bool = False
    """Whether the first key has had rows in the piece before."""
    open: bool = False
    """Whether the last key has more rows in the next piece."""


@dataclass(frozen=True)
class Stretch:
    """Rows of a piece, from one place in its order to another: whole keys, or a part of one."""

    low: int
    high: int
    opens: bool = True
    """Whether these are the first rows of their keys."""
    closes: bool = True
    """Whether these are the last."""


def stretches(piece: Piece, size: int = STRETCH) -> Iterator[Stretch]:
    """Cut a piece; a stretch has about as many rows as asked for, or all that one instant has.

    >>> groups, time = np.array([0, 0, 1, 1, 1, 1, 2]), np.array([1, 4, 2, 3, 3, 9, 5])
    >>> rows = Rows(pa.table({}), groups[None], Sorted(np.arange(7), groups, time, time))
    >>> for stretch in stretches(Piece(rows, 7), size=2):
    ...     print(stretch)
    Stretch(low=0, high=2, opens=True, closes=True)
    Stretch(low=2, high=5, opens=True, closes=False)
    Stretch(low=5, high=6, opens=False, closes=True)
    Stretch(low=6, high=7, opens=True, closes=True)
    """
    key, end = piece.rows.sorted.groups[: piece.size], piece.rows.sorted.ends
    low, inside = 0, piece.opened
    while low < key.size:
        stop = int(np.searchsorted(key, key[low], side="right"))
        unfinished = piece.open and stop == key.size
        if inside or unfinished or stop - low > size:
            high = min(low + size, stop)
            high += int(np.searchsorted(end[high:stop], end[high - 1], side="right"))
            closes = high == stop and not unfinished
            yield Stretch(low, high, opens=not inside, closes=closes)
            inside = not closes
        else:
            high = key.size
            if low + size < key.size or piece.open:
                beyond = key[min(low + size, key.size - 1)]
                high = int(np.searchsorted(key, beyond))
            yield Stretch(low, high)
        low = high
