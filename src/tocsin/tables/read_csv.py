"""Events from a csv file: names in the first line, types as the values look."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from tocsin.errors import DataError
from tocsin.tables.rows import Place

LARGEST_BLOCK = 2**31 - 1


def read_csv(path: Path, as_text: Sequence[str] = ()) -> tuple[pa.Table, Place]:
    """The table, and what to call its rows: by the line of the file on which they start."""
    data = read_bytes(path)
    text = decode(path, data)
    if not text.strip():
        return pa.table({}), "row {}".format
    if text.count('"') % 2:
        _check_quotes(path, text)
    table = _parse(path, data, as_text)

    @lru_cache(maxsize=1)
    def lines() -> list[int]:
        return [line for line, _ in _records(text)][1:]

    return table, lambda row: f"{path}, line {lines()[row]}"


def read_bytes(path: Path) -> bytes:
    """A file's bytes, unpacked if its name ends in .gz."""
    data = path.read_bytes()
    if path.suffix.lower() != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError) as error:
        raise DataError(
            f"the file cannot be unpacked: {error}", where=str(path), hint="pack it anew with gzip"
        ) from None


def decode(path: Path, data: bytes) -> str:
    """The bytes as text, or an error that names the line."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"the byte {data[error.start]:#04x} is not UTF-8",
            where=f"{path}, line {line}",
            hint="save the file as UTF-8",
        ) from None


def _parse(path: Path, data: bytes, as_text: Sequence[str]) -> pa.Table:
    wrong: list[pyarrow.csv.InvalidRow] = []

    def refuse(row: pyarrow.csv.InvalidRow) -> str:
        wrong.append(row)
        return "error"

    try:
        return pyarrow.csv.read_csv(
            io.BytesIO(data),
            # One block, so that types are found by all values and not by the first million bytes.
            pyarrow.csv.ReadOptions(
                block_size=min(len(data) + 1, LARGEST_BLOCK), use_threads=False
            ),
            pyarrow.csv.ParseOptions(newlines_in_values=True, invalid_row_handler=refuse),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(as_text, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        if wrong:
            # A row's number counts records, the header too; a record may span lines.
            lines = [line for line, _ in _records(data.decode("utf-8-sig"))]
            raise DataError(
                f"the line has {wrong[0].actual_columns} values, but there are "
                f"{wrong[0].expected_columns} columns",
                where=f"{path}, line {lines[wrong[0].number - 1]}",
                hint="mend the line; a value with a comma stands in double quotes",
            ) from None
        if not _has_rows(data):
            header = next(_records(data.decode("utf-8-sig")))[1]
            return pa.table({name: pa.nulls(0) for name in header})
        raise DataError(f"the file cannot be read: {error}", where=str(path)) from None


def _has_rows(data: bytes) -> bool:
    return sum(1 for _ in _records(data.decode("utf-8-sig"))) > 1


def _records(text: str) -> Iterator[tuple[int, list[str]]]:
    """Every record with the line on which it starts; blank lines are no records."""
    csv.field_size_limit(LARGEST_BLOCK)  # of all readers, but nobody is helped by a lower one
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    for values in reader:
        if values:
            yield line, values
        line = reader.line_num + 1


def _check_quotes(path: Path, text: str) -> None:
    """Refuse a quote that opens and never closes: it would swallow the rows after it."""
    line = 0
    try:
        for line, _ in _records(text):  # noqa: B007 - the last one before the trouble is wanted
            pass
    except csv.Error:
        raise DataError(
            "a double quote opens here or on the next line and never closes",
            where=f"{path}, line {line + 1}",
            hint="close it, or write two of them for one inside a value",
        ) from None
