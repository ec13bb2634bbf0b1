"""A folder that files are dropped into, as a stream of their rows.

Spark only lists the files, and notes in its checkpoint which it has had. A worker reads each as
`tables.files` does, so a file means here what it means in a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from tocsin.errors import DataError
from tocsin.spark.copying import piece, pieces
from tocsin.spark.wanted import Wanted
from tocsin.tables.files import MISFITS, Files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LISTED = "path string, modificationTime timestamp, length bigint, content binary"
"""What Spark can say of a file; it does not read what nobody asks for."""

FILES = "files"
"""What a query's progress calls this: how many files, and when the oldest came, in ms."""

AT_ONCE = 1 << 28
"""About so many bytes of files make a micro-batch."""

EVER = "36500d"
"""So much older than those before may a file be that comes."""

ROWS = 1 << 16
"""So many rows a worker hands over at a time."""


@dataclass(frozen=True)
class Following:
    """A folder, what its files held when the stream began, and what is wanted of them."""

    folder: Path
    suffixes: Sequence[str]
    wanted: Wanted
    written: pa.DataType | None
    """The `time_type` of the files."""

    def frame(self, session: SparkSession) -> DataFrame:
        """The rows, as a stream."""
        empty = piece(self.wanted.schema.empty_table(), self.wanted, self.written)
        schema = from_arrow_schema(empty.schema, prefer_timestamp_ntz=True)

        def rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return self.run(batches)

        files = (
            session.readStream.format("binaryFile")
            .schema(LISTED)
            .option("pathGlobFilter", _ending_with(self.suffixes))
            .option("maxBytesPerTrigger", AT_ONCE)
            .option("maxFileAge", EVER)
            .load(re.sub(r"([\\{}\[\]*?])", r"\\\1", str(self.folder)))
            .select("path", f.unix_millis("modificationTime").alias("came"))
        )
        counts = [f.count("*").alias("files"), f.min("came").alias("oldest")]
        return files.observe(FILES, *counts).select("path").mapInArrow(rows, schema)

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of some files, given their paths."""
        for batch in batches:
            for path in batch.column(0).to_pylist():
                file = Arrived(Path(re.sub("^file:/+", "/", path)), self.wanted.schema)
                for table in pieces(file, self.wanted, self.written):
                    yield from table.combine_chunks().to_batches(ROWS)


def _ending_with(suffixes: Iterable[str]) -> str:
    """The names with some suffixes, in capitals too, as Hadoop's file systems match them.

    >>> _ending_with([".csv", ".gz"])
    '*{.[cC][sS][vV],.[gG][zZ]}'
    """
    either = (f"[{c}{c.upper()}]" if c.isalpha() else c for c in ",".join(suffixes))
    return f"*{{{''.join(either)}}}"


class Arrived(Files):
    """A file that has come, which is to hold what others held when the stream began."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        if not path.exists():
            raise DataError(
                "the file was there, and has gone before it was read",
                where=str(path),
                hint="put it back, or start with an empty checkpoint",
            )
        self._held = schema
        super().__init__(path, [field.name for field in schema if field.type == pa.string()])

    def _unite(self) -> pa.Schema:
        (reader,) = self.readers
        for field in reader.schema:
            if field.name in self._held.names:
                self._check(self._held.field(field.name), field)
        return self._held

    def _check(self, held: pa.Field, field: pa.Field) -> None:
        both = [pa.schema([held]), pa.schema([field])]
        try:
            fits = pa.unify_schemas(both, promote_options="permissive").types == [held.type]
        except MISFITS:
            fits = False
        if not fits:
            raise DataError(
                f"the column {field.name!r} holds {field.type}, but when the stream began it held "
                f"{held.type}",
                where=str(self.readers[0].path),
                hint="mend the file, or start with an empty checkpoint",
            )
