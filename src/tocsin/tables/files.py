"""Events from files: csv, jsonl or parquet by their suffix, one file or a folder of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path

import pyarrow as pa

from tocsin.errors import DataError
from tocsin.tables.read_csv import read_csv
from tocsin.tables.read_jsonl import read_jsonl
from tocsin.tables.read_parquet import read_parquet
from tocsin.tables.rows import Place
from tocsin.tables.source import Source

Reader = Callable[[Path, Sequence[str]], tuple[pa.Table, Place]]
"""Takes a path and the columns to leave as text; gives the table and what to call its rows."""

READERS: dict[str, Reader] = {
    ".csv": read_csv,
    ".csv.gz": read_csv,
    ".jsonl": read_jsonl,
    ".jsonl.gz": read_jsonl,
    ".ndjson": read_jsonl,
    ".ndjson.gz": read_jsonl,
    ".json": read_jsonl,
    ".json.gz": read_jsonl,
    ".parquet": read_parquet,
}


def read_path(path: Path, as_text: Sequence[str] = ()) -> Source:
    """The events of a file, or of all files of a folder, one after the other by name."""
    if not path.exists():
        raise DataError("there is no such file or folder", where=str(path))
    found = [(file, *_read(file, as_text)) for file in _files(path)]
    if not found:
        return Source(pa.table({}), texts=True)
    _, table, place = found[0]
    if len(found) == 1:
        return Source(table, texts=True, place=place)
    ends = list(accumulate(len(table) for _, table, _ in found))

    def place_in_folder(row: int) -> str:
        number = bisect_right(ends, row)
        return found[number][2](row - (ends[number - 1] if number else 0))

    return Source(_joined(found), texts=True, place=place_in_folder)


def _files(path: Path) -> list[Path]:
    """The files of a folder that hold data: not those that Spark and others hide by their name."""
    if not path.is_dir():
        return [path]
    shown = sorted(p for p in path.iterdir() if not p.name.startswith((".", "_")))
    for inner in shown:
        if inner.is_dir():
            raise DataError("there are folders in this folder", where=str(path), hint="name one")
    kinds = {READERS[_suffix(p)] for p in shown}
    if len(kinds) > 1:
        raise DataError(
            "the folder holds files of several kinds",
            where=str(path),
            hint="keep csv, jsonl and parquet files apart",
        )
    return shown


def _read(path: Path, as_text: Sequence[str]) -> tuple[pa.Table, Place]:
    try:
        return READERS[_suffix(path)](path, as_text)
    except OSError as error:
        raise DataError(f"the file cannot be read: {error.strerror}", where=str(path)) from None


def _suffix(path: Path) -> str:
    name = path.name.lower()
    for suffix in READERS:
        if name.endswith(suffix):
            return suffix
    raise DataError(
        f"the suffix {path.suffix!r} is not known" if path.suffix else "the file has no suffix",
        where=str(path),
        hint="name it .csv, .jsonl or .parquet (.csv.gz and .jsonl.gz are read too)",
    )


def _joined(found: list[tuple[Path, pa.Table, Place]]) -> pa.Table:
    tables = [table for _, table, _ in found]
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        pass
    first, schema = found[0][0], found[0][1].schema
    for file, table, _ in found[1:]:
        for field in table.schema:
            try:
                pa.unify_schemas([schema, pa.schema([field])], promote_options="permissive")
            except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
                raise DataError(
                    f"the column {field.name!r} holds {field.type}, which does not fit the files "
                    "before",
                    where=str(file),
                    hint=f"give it the same type as in {first}",
                ) from None
        schema = pa.unify_schemas([schema, table.schema], promote_options="permissive")
    raise DataError("the files do not fit together", where=str(first.parent))
