"""What visits found, as tables like a batch's result."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from tocsin.spark.stream.bucket import Visit
from tocsin.spark.stream.setup import Setup


def result_tables(visit: Visit, setup: Setup) -> Iterator[pa.Table]:
    """The occurrences of a visit: key columns, pattern, start, end, detected, events."""
    for label, table in visit.found:
        pattern = pa.repeat(pa.scalar(label, pa.string()), table.num_rows)
        yield table.add_column(len(setup.keys), "pattern", pattern)
