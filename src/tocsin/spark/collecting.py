"""The result of a query as occurrences in order, which need not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as f
from pyspark.sql import types as t
from pyspark.sql.pandas.types import to_arrow_schema

from tocsin.errors import DefinitionError
from tocsin.spark.columns import shown, what_arrow_lacks
from tocsin.tables.results import Occurrences, Shape
from tocsin.tables.times import AWARE, INTEGERS, NAIVE, Axis

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PIECE = 1 << 14
"""So many occurrences are in memory at a time."""


@dataclass(frozen=True)
class Collected:
    """Occurrences in a Parquet file, in the order that `Occurrences` have."""

    path: Path
    schema: pa.Schema
    shape: Shape

    def __len__(self) -> int:
        return int(pq.read_metadata(self.path).num_rows)

    def first(self, count: int) -> Occurrences:
        """The first so many of them."""
        with pq.ParquetFile(self.path) as file:
            batches = list(islice(file.iter_batches(count), 1))
        return self._occurrences(pa.Table.from_batches(batches, file.schema_arrow))

    def pieces(self) -> Iterator[Occurrences]:
        """The occurrences, in pieces, of which there is at least one."""
        yield Occurrences.of_arrow(self.schema.empty_table(), self.shape)
        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(PIECE):
                yield self._occurrences(pa.Table.from_batches([batch]))

    def _occurrences(self, table: pa.Table) -> Occurrences:
        table = table.rename_columns(self.schema.names).cast(self.schema)
        return Occurrences.of_arrow(table, self.shape)


def collect(result: DataFrame, folder: Path) -> Collected:
    """Run a query of `tocsin.detect`; what it finds goes into a folder that there is not yet."""
    for field in result.schema:
        if isinstance(field.dataType, t.NullType):  # of which Parquet knows nothing
            result = result.withColumn(field.name, f.lit(None).cast("string"))
    shape = _shape(result.schema)
    schema = to_arrow_schema(_checked(result.schema), timezone="UTC")
    names = [f"column_{number}" for number in range(len(result.columns))]
    place = dict(zip(result.columns, names, strict=True))
    order = [place[name] for name in ("detected", "end", "start", *shape.keys)]
    # A key's occurrences come from one partition, in order, so numbers decide among equals. One
    # partition sorts them all: to sort in several, Spark would have to detect twice.
    found = result.toDF(*names).withColumn("number", f.monotonically_increasing_id())
    found = found.repartition(1).sortWithinPartitions(*order, "number").drop("number")
    found.write.parquet(str(folder))
    (path,) = folder.glob("*.parquet")
    return Collected(path, schema, shape)


def _shape(schema: t.StructType) -> Shape:
    """Keys, pattern, start, end, detected, events, measures; an event is name, start, end, …"""
    names, kind = schema.names, schema["events"].dataType
    assert isinstance(kind, t.ArrayType)
    assert isinstance(kind.elementType, t.StructType)
    kinds = {"bigint": INTEGERS, "timestamp": AWARE, "timestamp_ntz": NAIVE}
    return Shape(
        key=tuple(names[: names.index("pattern")]) or None,
        carry=tuple(kind.elementType.names[3:]),
        measures=tuple(names[names.index("events") + 1 :]),
        axis=Axis(kinds[shown(schema["start"].dataType)], None, ZoneInfo("UTC")),
    )


def _checked(schema: t.StructType) -> t.StructType:
    """Refuse measures that no file can hold."""
    for field in schema:
        problem = what_arrow_lacks(field.dataType)
        if problem:
            raise DefinitionError(
                f"the measure {field.name!r} is {shown(field.dataType)}, but {problem}",
                hint="cast it to text, or leave it out",
            )
    return schema
