"""The order among equals (SPEC §1), and the groups of rows that share a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Integers = NDArray[np.int64]

MANY = 100_000
"""From so many rows on, loading the engine's way of sorting takes less time than it saves."""


@dataclass(frozen=True)
class Sorted:
    """Rows by group, end, start, then tie-break columns: their numbers, and those columns."""

    order: Integers
    groups: Integers
    starts: Integers
    ends: Integers
    """The same array as `starts` where events have one time."""

    def some(self, which: slice | NDArray[np.bool_]) -> Sorted:
        """Only some of the rows."""
        ends = self.ends[which]
        starts = ends if self.starts is self.ends else self.starts[which]
        return Sorted(self.order[which], self.groups[which], starts, ends)


def in_order(
    groups: Integers, starts: Integers, ends: Integers, ties: Sequence[pa.ChunkedArray]
) -> Integers:
    """The rows sorted by group, end, start, then the tie-break columns (SPEC §1).

    Only rows that are equal in all of that keep the order in which they came. A null is the
    least of all values, NaN the largest number, as Spark has it.

    >>> times = np.array([4, 1, 4])
    >>> in_order(np.zeros(3, int), times, times, [pa.chunked_array([["y", "z", "x"]])]).tolist()
    [1, 2, 0]
    """
    return sort(groups, starts, ends, ties).order


def sort(
    groups: Integers, starts: Integers, ends: Integers, ties: Sequence[pa.ChunkedArray]
) -> Sorted:
    """The same, with the columns in that order."""
    order, own, last = _by(groups, ends)
    ties = [column for column in ties if has_order(column.type)]
    if ties or starts is not ends:
        # Few rows share their instant with another: only those are worth comparing further.
        same = np.flatnonzero((last[1:] == last[:-1]) & (own[1:] == own[:-1]))
        tied = np.union1d(same, same + 1)
        among = order[tied]
        compared = [codes(column.take(pa.array(among))).to_numpy() for column in ties]
        columns = [*compared[::-1], starts[among], last[tied], own[tied]]
        order[tied] = among[np.lexsort(columns)]
    return Sorted(order, own, last if starts is ends else starts[order], last)


def arrivals(groups: Integers, times: Integers) -> Integers:
    """When rows arrive that stand in that order: the number of the row with which each does.

    Those of a key that follow each other directly and have one time arrive together, with the last
    of them, since all of one instant is one step (SPEC §1).

    >>> arrivals(np.array([0, 1, 0, 0, 1]), np.array([5, 5, 5, 4, 5])).tolist()
    [2, 4, 2, 3, 4]
    """
    by_key = np.argsort(groups, kind="stable")
    groups, times = groups[by_key], times[by_key]
    ends = np.ones(by_key.size, np.bool_)
    ends[:-1] = (groups[1:] != groups[:-1]) | (times[1:] != times[:-1])
    last = by_key[ends]
    numbers = np.empty(by_key.size, np.int64)
    numbers[by_key] = last[np.cumsum(ends) - ends]
    return numbers


def _by(groups: Integers, times: Integers) -> tuple[Integers, Integers, Integers]:
    """The rows' numbers by group and time, and both in that order."""
    if _is_sorted(groups, times):
        # Columns that cannot be written to, as Arrow's, are another type to the engine's compiler.
        return np.arange(groups.size), np.require(groups, None, "W"), np.require(times, None, "W")
    if groups.size < MANY:
        order = np.lexsort((times, groups))
        return order, groups[order], times[order]
    from tocsin.engine.sorting import by_key_and_time

    return by_key_and_time(groups, times)


def _is_sorted(groups: Integers, times: Integers) -> bool:
    """Whether rows are by group and time: what a table that was written in order can skip."""
    up = groups[1:] > groups[:-1]
    return bool((up | ((groups[1:] == groups[:-1]) & (times[1:] >= times[:-1]))).all())


def groups(keys: Sequence[pa.ChunkedArray], rows: int) -> Integers:
    """Which key each row has, by number, in the order of the keys' values; none is null.

    >>> groups([pa.chunked_array([["b", "a", "b"]])], 3).tolist()
    [1, 0, 1]
    """
    if not keys:
        return np.zeros(rows, np.int64)
    found: Integers = codes(keys[0]).to_numpy()
    for column in keys[1:]:
        numbers = codes(column).to_numpy()
        combined = found * (numbers.max(initial=0) + 1) + numbers
        found = np.unique(combined, return_inverse=True)[1]
    return found


def alike(keys: Sequence[pa.ChunkedArray], rows: int) -> Integers:
    """Which key each row has, by number, in no particular order; none is null.

    >>> alike([pa.chunked_array([["b", "a", "b"]])], 3).tolist()
    [0, 1, 0]
    """
    if len(keys) != 1 or pa.types.is_nested(keys[0].type) or pa.types.is_floating(keys[0].type):
        return groups(keys, rows)
    encoded = keys[0].combine_chunks().dictionary_encode()
    found: Integers = encoded.indices.to_numpy().astype(np.int64)
    return found


def codes(column: pa.ChunkedArray) -> pa.Array:
    """Integers that are ordered, and equal, as the values of the column are; -1 for a null.

    >>> codes(pa.chunked_array([[2.5, None, float("nan"), 0.0, -0.0]])).to_pylist()
    [1, -1, 2, 0, 0]
    """
    if pa.types.is_null(column.type):
        return pa.array([-1] * len(column), pa.int64())
    if pa.types.is_nested(column.type):
        return _nested_codes(column)
    if pa.types.is_dictionary(column.type):
        coded = column.combine_chunks()
        places = codes(pa.chunked_array([coded.dictionary]))
        return pc.fill_null(places.take(coded.indices), -1)
    if pa.types.is_floating(column.type):
        column = pc.add(column, 0.0)  # -0.0 and 0.0 are one value
    encoded = column.combine_chunks().dictionary_encode()
    places = _inverse(pc.sort_indices(encoded.dictionary)).cast(pa.int64())
    return pc.fill_null(places.take(encoded.indices), -1)


def has_order(kind: pa.DataType) -> bool:
    """Whether values of this type can be told to come before or after each other.

    >>> has_order(pa.list_(pa.string())), has_order(pa.map_(pa.string(), pa.int64()))
    (True, False)
    """
    if pa.types.is_map(kind) or pa.types.is_union(kind) or pa.types.is_interval(kind):
        return False
    return all(has_order(kind.field(i).type) for i in range(kind.num_fields))


def _inverse(permutation: pa.Array) -> pa.Array:
    return pc.sort_indices(permutation)


def _nested_codes(column: pa.ChunkedArray) -> pa.Array:
    """Lists and structs have no order in Arrow; Python's order of tuples is Spark's of both."""
    keys = [_sortable(value) for value in column.to_pylist()]
    places = {key: place for place, key in enumerate(sorted(set(keys)))}
    return pa.array([places[k] if k != _NULL else -1 for k in keys], pa.int64())


_NULL: tuple[Any, ...] = (0,)


def _sortable(value: Any) -> tuple[Any, ...]:
    """A tuple that sorts as the value does: null, then values, then NaN."""
    if value is None:
        return _NULL
    if isinstance(value, dict):
        return 1, tuple(_sortable(v) for v in value.values())
    if isinstance(value, list):
        return 1, tuple(_sortable(v) for v in value)
    return (1, value) if value == value else (2,)
