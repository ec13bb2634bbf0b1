"""Events from files: csv, jsonl or parquet by their suffix, one file or a folder of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from tocsin.errors import DataError
from tocsin.tables.read_csv import CsvFile
from tocsin.tables.read_jsonl import JsonlFile
from tocsin.tables.read_parquet import ParquetFile
from tocsin.tables.source import Source


class Reader(Protocol):
    """A file that can be read piece by piece, each of which fits into memory."""

    path: Path
    schema: pa.Schema

    def tables(self) -> Iterator[pa.Table]:
        """The rows, in pieces whose types fit those of the schema."""

    def place(self, row: int) -> str:
        """What a person calls a row of the file."""


READERS: dict[str, Callable[[Path, Sequence[str]], Reader]] = {
    ".csv": CsvFile,
    ".csv.gz": CsvFile,
    ".jsonl": JsonlFile,
    ".jsonl.gz": JsonlFile,
    ".ndjson": JsonlFile,
    ".ndjson.gz": JsonlFile,
    ".json": JsonlFile,
    ".json.gz": JsonlFile,
    ".parquet": ParquetFile,
}
"""By suffix; they take a path and the columns to leave as text."""

MISFITS = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError)


class Files:
    """A file, or all files of a folder, one after the other by name."""

    def __init__(self, path: Path, as_text: Sequence[str] = ()) -> None:
        if not path.exists():
            raise DataError("there is no such file or folder", where=str(path))
        self.readers = [_opened(file, as_text) for file in _files(path)]
        self.schema = self._unite()
        self._rows: list[int] = []

    def tables(self) -> Iterator[pa.Table]:
        """The rows, in pieces of one schema."""
        self._rows, form = [], self.schema.empty_table()
        for reader in self.readers:
            self._rows.append(0)
            for table in _read(reader):
                self._rows[-1] += len(table)
                if table.schema.equals(self.schema):
                    yield table
                else:
                    yield pa.concat_tables([form, table], promote_options="permissive")

    def place(self, row: int) -> str:
        """What a person calls a row, of those that have been read."""
        for reader, rows in zip(self.readers, self._rows, strict=False):
            if row < rows:
                return reader.place(row)
            row -= rows
        raise IndexError(row)

    def _unite(self) -> pa.Schema:
        """The columns of all files; a column that is not in all of them is null elsewhere."""
        if len(self.readers) == 1:
            return self.readers[0].schema
        schema = pa.schema([])
        for reader in self.readers:
            names = reader.schema.names
            for field in reader.schema:
                if names.count(field.name) > 1:
                    raise DataError(
                        f"there are {names.count(field.name)} columns {field.name!r}",
                        where=str(reader.path),
                        hint="rename all but one",
                    )
                try:
                    pa.unify_schemas([schema, pa.schema([field])], promote_options="permissive")
                except MISFITS:
                    raise DataError(
                        f"the column {field.name!r} holds {field.type}, which does not fit the "
                        "files before",
                        where=str(reader.path),
                        hint=f"give it the same type as in {self.readers[0].path}",
                    ) from None
            schema = pa.unify_schemas([schema, reader.schema], promote_options="permissive")
        return schema


def read_path(path: Path, as_text: Sequence[str] = ()) -> Source:
    """The events of a file or folder."""
    files = Files(path, as_text)
    tables = list(files.tables())
    table = pa.concat_tables(tables) if tables else files.schema.empty_table()
    return Source(table, texts=True, place=files.place)


def alike(path: Path) -> list[str]:
    """The suffixes of files of the same kind as one.

    >>> alike(Path("events.csv"))
    ['.csv', '.csv.gz']
    """
    return [suffix for suffix, reader in READERS.items() if reader is READERS[_suffix(path)]]


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


def _opened(path: Path, as_text: Sequence[str]) -> Reader:
    try:
        return READERS[_suffix(path)](path, as_text)
    except OSError as error:
        raise DataError(f"the file cannot be read: {error.strerror}", where=str(path)) from None


def _read(reader: Reader) -> Iterator[pa.Table]:
    try:
        yield from reader.tables()
    except OSError as error:
        raise DataError(
            f"the file cannot be read: {error.strerror}", where=str(reader.path)
        ) from None


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
