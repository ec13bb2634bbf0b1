"""From hits to the table that a result is."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from tocsin.tables.hits import Hits
from tocsin.tables.observed import Observed


def answer(
    observed: Observed,
    hits: Hits,
    labels: Sequence[str],
    *,
    keys: Sequence[str],
    carry: Sequence[str],
) -> pa.Table:
    """A row per hit: key columns, pattern, start, end, detected, events; times as integers."""
    columns = {}
    if keys:
        rows = observed.first_rows[hits.group]  # any row of a key tells the key's values
        columns = {name: observed.source.column(name).take(pa.array(rows)) for name in keys}
    columns["pattern"] = pa.array(list(labels), pa.string()).take(pa.array(hits.pattern))
    columns |= {name: pa.array(getattr(hits, name)) for name in ("start", "end", "detected")}
    columns["events"] = _events(observed, hits, carry)
    return pa.table(columns)


def _events(observed: Observed, hits: Hits, carry: Sequence[str]) -> pa.ListArray:
    source, rows = observed.source, pa.array(hits.part_row)
    fields = {
        "name": hits.part_name,
        "start": pa.array(observed.starts[hits.part_row]),
        "end": pa.array(observed.ends[hits.part_row]),
        "row": rows if source.rows is None else source.rows.take(rows),
        **{name: source.column(name).take(rows).combine_chunks() for name in carry},
    }
    structs = pa.StructArray.from_arrays(list(fields.values()), names=list(fields))
    return pa.ListArray.from_arrays(pa.array(hits.offsets, pa.int32()), structs)
