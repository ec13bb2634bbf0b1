"""Files of events as a DataFrame, in which Spark finds what is found without it.

Spark would guess other types in csv and json than `tables.files` does. So what is not Parquet, or
holds what Spark reads otherwise or not at all, is copied to Parquet piece by piece; the rest is
linked.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from tocsin.spark.copying import copy
from tocsin.spark.wanted import Wanted, target_of
from tocsin.tables.files import Files
from tocsin.tables.read_parquet import ParquetFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MOST_ROWS = 1 << 40
"""More rows than a file has."""


@dataclass(frozen=True)
class Events:
    """Some files, and what a call wants of them."""

    files: Files
    wanted: Wanted

    def prepare(self, folder: Path) -> Prepared:
        """Make a folder of Parquet files, which hold the rows or lead to them."""
        folder.mkdir()
        if not self._are_linked:
            schema = copy(self.files, self.wanted, folder / "events.parquet")
            return Prepared(folder, schema, self.wanted.position)
        # In these names Spark sees neither wildcards nor something hidden.
        for number, reader in enumerate(self.files.readers):
            (folder / f"{number}.parquet").symlink_to(reader.path.resolve())
        schema = pa.schema([self.files.schema.field(name) for name in self.wanted.columns])
        return Prepared(folder, schema, self.wanted.position, len(self.files.readers))

    @property
    def _are_linked(self) -> bool:
        schema = self.files.schema
        return all(name == given for name, given in self.wanted.times.items()) and all(
            isinstance(reader, ParquetFile)
            and reader.schema.names
            and all(
                field.type == schema.field(field.name).type and _reads_the_same(field.type)
                for field in reader.schema
                if field.name in self.wanted.columns
            )
            for reader in self.files.readers
        )


@dataclass(frozen=True)
class Prepared:
    """A folder of Parquet files that Spark can read."""

    folder: Path
    schema: pa.Schema
    position: str
    """The column that says where a row stood."""
    links: int = 0
    """How many files there are; none if they have been copied to one, positions too."""

    def frame(self, session: SparkSession) -> DataFrame:
        """The rows."""
        schema = from_arrow_schema(self.schema, prefer_timestamp_ntz=True)
        frame = session.read.schema(schema).parquet(str(self.folder))
        if not self.links:
            return frame
        position = f.col("_metadata.row_index")
        if self.links > 1:
            number = f.substring_index(f.col("_metadata.file_name"), ".", 1)
            position = number.cast("bigint") * f.lit(MOST_ROWS) + position
        return frame.withColumn(self.position, position)


def _reads_the_same(kind: pa.DataType) -> bool:
    """Whether Spark reads the values of such a column off a Parquet file as they are."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_timestamp(kind):
        return kind.unit in ("ms", "us")
    return bool(target_of(kind) == kind) or pa.types.is_large_string(kind)
