"""Events from a parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from tocsin.errors import DataError
from tocsin.tables.progress import tell


class ParquetFile:
    """A parquet file, read in pieces."""

    def __init__(self, path: Path, as_text: Sequence[str] = ()) -> None:
        import pyarrow.parquet  # costs time to import, and csv does not need it

        self.path = path
        self._file = None
        self.schema = pa.schema([])
        if path.stat().st_size:
            try:
                # Not read_table, which would take the names of the folders above for columns.
                self._file = pyarrow.parquet.ParquetFile(path, coerce_int96_timestamp_unit="us")
                self.schema = _as_spark_has_it(self._file)
            except (pa.ArrowInvalid, OSError) as error:
                raise self._wrong(error) from None

    def tables(self) -> Iterator[pa.Table]:
        """The rows, in pieces."""
        if self._file is None:
            return
        count = self._file.num_row_groups
        for group in range(count):
            try:
                yield self._file.read_row_group(group).cast(self.schema)
            except (pa.ArrowInvalid, OSError) as error:
                raise self._wrong(error) from None
            tell("reading", group + 1, count)

    def place(self, row: int) -> str:
        """What to call a row: by its number in the file."""
        return f"{self.path}, row {row}"

    def _wrong(self, error: Exception) -> DataError:
        return DataError(
            f"the file is no parquet file: {str(error).splitlines()[0]}",
            where=str(self.path),
            hint="write it anew, or name it by what it is",
        )


def _as_spark_has_it(file: Any) -> pa.Schema:
    """The schema, in which the oldest kind of timestamps, INT96, are instants, as for Spark."""
    leaves = [file.schema.column(number) for number in range(len(file.schema))]
    old = {leaf.path.split(".")[0] for leaf in leaves if leaf.physical_type == "INT96"}
    return pa.schema(
        [
            field.with_type(_instants(field.type)) if field.name in old else field
            for field in file.schema_arrow
        ]
    )


def _instants(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", "UTC")
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_instants(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_instants(field.type)) for field in kind])
    return kind
