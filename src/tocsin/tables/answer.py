"""From hits to the table that a result is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import pyarrow as pa

from tocsin.errors import DataError
from tocsin.tables.engines import Hit
from tocsin.tables.observed import Observed


def answer(
    observed: Observed,
    hits: Sequence[Hit],
    labels: Sequence[str],
    *,
    keys: Sequence[str],
    carry: Sequence[str],
) -> pa.Table:
    """A row per hit: key columns, pattern, start, end, detected, events; times as integers.

    The order is SPEC §1's, (detected, end, start); among equals that of the patterns, then of the
    keys, then of the parts.
    """
    hits = sorted(hits, key=_order)
    source = observed.source
    first_rows = [observed.groups[hit.group][0] for hit in hits] if keys else []
    columns = {name: source.column(name).take(pa.array(first_rows, pa.int64())) for name in keys}
    columns["pattern"] = pa.array([labels[hit.pattern] for hit in hits], pa.string())
    for name in ("start", "end", "detected"):
        columns[name] = _times([getattr(hit.occurrence, name) for hit in hits])
    columns["events"] = _events(observed, hits, carry)
    return pa.table(columns)


def _order(hit: Hit) -> tuple[object, ...]:
    detected, end, start, parts = hit.occurrence.order
    return detected, end, start, hit.pattern, hit.group, parts


def _times(ticks: list[int]) -> pa.Int64Array:
    try:
        return pa.array(ticks, pa.int64())
    except OverflowError:
        raise DataError(
            "an occurrence is at a time that 64 bits do not hold",
            hint="use shorter durations, or times nearer to 0",
        ) from None


def _events(observed: Observed, hits: Sequence[Hit], carry: Sequence[str]) -> pa.ListArray:
    parts = [sorted(hit.occurrence.parts) for hit in hits]
    flat = [part for own in parts for part in own]
    rows = pa.array([part.row for part in flat], pa.int64())
    source = observed.source
    fields = {
        "name": pa.array([part.name for part in flat], pa.string()),
        "start": _times([part.start for part in flat]),
        "end": _times([part.end for part in flat]),
        "row": rows if source.rows is None else source.rows.take(rows),
        **{name: source.column(name).take(rows).combine_chunks() for name in carry},
    }
    offsets = accumulate((len(own) for own in parts), initial=0)
    structs = pa.StructArray.from_arrays(list(fields.values()), names=list(fields))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), structs)
