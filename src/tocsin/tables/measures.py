"""Measures: Spark SQL over the rows of a result, in which names stand for events (SPEC §11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from itertools import accumulate

import pyarrow as pa

from tocsin.analysis.multiplicity import SEVERAL
from tocsin.errors import DefinitionError
from tocsin.tables.results import Occurrences


def measured(
    found: Occurrences, measures: Mapping[str, str], most: Mapping[str, int], *, zone: tzinfo
) -> Occurrences:
    """The occurrences, with the measures as further columns.

    `most` says for each primitive how many parts one occurrence can have of it: one, and its name
    stands for that event, null where there is none; several, and it stands for the array of them.
    """
    if not measures:
        return found
    from tocsin.tables.sql.query import Query  # DuckDB takes a while to import

    table = found.to_arrow()
    columns = {name: table.column(name) for name in table.column_names}
    texts = [(f"the measure {name!r}", text) for name, text in measures.items()]
    for what, text in texts:
        check_names(text, what, {name.lower() for name in columns}, most)
    events = table.column("events").combine_chunks()
    stand_for = {name: _events_of(events, name, count) for name, count in most.items()}
    every = stand_for | columns
    query = Query(
        list(every),
        every.__getitem__,
        rows=len(table),
        zone=str(zone),
        place="occurrence {}".format,
    )
    values = query.run(texts)
    return found.with_measures(dict(zip(measures, values, strict=True)))


def check_names(text: str, what: str, columns: set[str], events: Iterable[str]) -> None:
    """Refuse to guess which is meant where an event is named like a column of the result."""
    from tocsin.tables.sql.parse import names, parse, place

    used = names(parse(text, what)) & columns
    for name in events:
        if name.lower() in used:
            raise DefinitionError(
                f"{name!r} is the name of an event and of a column of the result",
                where=place(text, what),
                hint="give the event another name",
            )


def _events_of(events: pa.ListArray, name: str, most: int) -> pa.ChunkedArray:
    """The events of one name in each occurrence, in time order; or the only one."""
    flat = events.flatten()
    found: list[list[int]] = []
    first, named = 0, flat.field("name").to_pylist()
    for count in events.value_lengths().to_pylist():
        found.append([i for i in range(first, first + count) if named[i] == name])
        first += count
    if most < SEVERAL:
        only = [places[0] if places else None for places in found]
        return pa.chunked_array([flat.take(pa.array(only, pa.int64()))])
    offsets = pa.array(accumulate(map(len, found), initial=0), pa.int32())
    values = flat.take(pa.array([i for places in found for i in places], pa.int64()))
    return pa.chunked_array([pa.ListArray.from_arrays(offsets, values)])
