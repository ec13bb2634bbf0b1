"""Events from a parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

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
                self._file = pyarrow.parquet.ParquetFile(path)
                self.schema = self._file.schema_arrow
            except (pa.ArrowInvalid, OSError) as error:
                raise self._wrong(error) from None

    def tables(self) -> Iterator[pa.Table]:
        """The rows, in pieces."""
        if self._file is None:
            return
        count = self._file.num_row_groups
        for group in range(count):
            try:
                yield self._file.read_row_group(group)
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
