"""Measures: Spark SQL over the rows of a result, in which names stand for events (SPEC §11)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

import pyarrow as pa

from tocsin.analysis.multiplicity import SEVERAL
from tocsin.errors import DefinitionError
from tocsin.tables.sql.parse import names, parse, place
from tocsin.tables.sql.query import Query


def measured(
    table: pa.Table, measures: Mapping[str, str], most: Mapping[str, int], *, zone: str = "UTC"
) -> list[pa.ChunkedArray]:
    """The values of each measure over a result as `Occurrences.to_arrow` gives it.

    `most` says for each primitive how many parts one occurrence can have of it: one, and its name
    stands for that event, null where there is none; several, and it stands for the array of them.
    """
    columns = {name: table.column(name) for name in table.column_names}
    for measure, text in measures.items():
        what = f"the measure {measure!r}"
        used = names(parse(text, what))
        for name in most:
            if name.lower() in used and name.lower() in {column.lower() for column in columns}:
                raise DefinitionError(
                    f"{name!r} is the name of an event and of a column of the result",
                    where=place(text, what),
                    hint="give the event another name",
                )
    events = table.column("events").combine_chunks()
    stand_for = {name: _events_of(events, name, count) for name, count in most.items()}
    every = stand_for | columns
    query = Query(
        list(every),
        every.__getitem__,
        rows=len(table),
        zone=zone,
        place="occurrence {}".format,
    )
    return query.run([(f"the measure {name!r}", text) for name, text in measures.items()])


def _events_of(events: pa.ListArray, name: str, most: int) -> pa.ChunkedArray:
    """The events of one name in each occurrence, in time order; or the only one."""
    flat = events.flatten()
    found: list[list[int]] = []
    place, named = 0, flat.field("name").to_pylist()
    for count in events.value_lengths().to_pylist():
        found.append([i for i in range(place, place + count) if named[i] == name])
        place += count
    if most < SEVERAL:
        only = [places[0] if places else None for places in found]
        return pa.chunked_array([flat.take(pa.array(only, pa.int64()))])
    offsets = pa.array(accumulate(map(len, found), initial=0), pa.int32())
    values = flat.take(pa.array([i for places in found for i in places], pa.int64()))
    return pa.chunked_array([pa.ListArray.from_arrays(offsets, values)])
