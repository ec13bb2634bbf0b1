"""Files of events as a DataFrame, in which Spark finds what is found without it.

Spark would guess other types in csv and json than `tables.files` does. So what is not Parquet, or
holds what Spark reads otherwise or not at all, is copied to Parquet piece by piece; the rest is
linked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from tocsin.errors import DefinitionError
from tocsin.spark.copying import copy, holds_times, is_known, reads_the_same
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
    named: Collection[str]
    """The columns that it names."""
    start: str
    end: str
    sql: Sequence[str] = ()
    """Texts that may name further columns."""

    @cached_property
    def columns(self) -> list[str]:
        """The columns that somebody may need, and that Spark can have."""
        fields = [field for field in self.files.schema if self._is_wanted(field.name)]
        for field in fields:
            if field.name in self.named and not is_known(field.type):
                raise DefinitionError(
                    f"{field.name!r} is a column of {field.type}, which Spark does not have",
                    hint="leave it out, or write --engine local",
                )
        return [field.name for field in fields if is_known(field.type)]

    @cached_property
    def times(self) -> dict[str, str]:
        """The columns of times, and what the DataFrame calls them: text, say, has to be read."""
        return {
            name: name
            if holds_times(self.files.schema.field(name).type)
            else self._new(f"{name} as a time")
            for name in dict.fromkeys((self.start, self.end))
        }

    @cached_property
    def position(self) -> str:
        """The name of a column that says where a row stood."""
        return self._new("position")

    def prepare(self, folder: Path) -> Prepared:
        """Make a folder of Parquet files, which hold the rows or lead to them."""
        folder.mkdir()
        if not self._are_linked:
            return Prepared(folder, copy(self, folder / "events.parquet"), self.position)
        # In these names Spark sees neither wildcards nor something hidden.
        for number, reader in enumerate(self.files.readers):
            (folder / f"{number}.parquet").symlink_to(reader.path.resolve())
        schema = pa.schema([self.files.schema.field(name) for name in self.columns])
        return Prepared(folder, schema, self.position, len(self.files.readers))

    @property
    def _are_linked(self) -> bool:
        schema = self.files.schema
        return all(name == given for name, given in self.times.items()) and all(
            isinstance(reader, ParquetFile)
            and reader.schema.names
            and all(
                field.type == schema.field(field.name).type and reads_the_same(field.type)
                for field in reader.schema
                if field.name in self.columns
            )
            for reader in self.files.readers
        )

    def _is_wanted(self, name: str) -> bool:
        if self.files.schema.names.count(name) > 1:
            return False  # whoever names it is told that there are several
        written = name.replace("`", "``").lower()
        return name in self.named or any(written in text.lower() for text in self.sql)

    def _new(self, name: str) -> str:
        """A name that no column has."""
        taken = {name.lower() for name in self.files.schema.names}
        while name.lower() in taken:
            name += "_"
        return name


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
