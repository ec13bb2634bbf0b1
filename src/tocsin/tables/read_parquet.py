"""Events from a parquet file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from tocsin.errors import DataError
from tocsin.tables.rows import Place


def read_parquet(path: Path, as_text: Sequence[str] = ()) -> tuple[pa.Table, Place]:
    """The table, and what to call its rows: by their number in the file."""
    import pyarrow.parquet  # costs time to import, and csv does not need it

    if path.stat().st_size == 0:
        return pa.table({}), "row {}".format
    try:
        # Not read_table, which would take the names of the folders above for columns.
        table = pyarrow.parquet.ParquetFile(path).read()
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(
            f"the file is no parquet file: {str(error).splitlines()[0]}",
            where=str(path),
            hint="write it anew, or name it by what it is",
        ) from None
    return table, lambda row: f"{path}, row {row}"
