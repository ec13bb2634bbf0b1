"""Events from a csv file: names in the first line, types as the values look."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from tocsin.errors import DataError
from tocsin.tables.guessing import guess, typed
from tocsin.tables.opening import BLOCK, Bytes, decoded

LARGEST_BLOCK = (1 << 31) - 1
"""How many bytes a record can have."""


class CsvFile:
    """A csv file, read in pieces: once to find its types by all values, and once more for these.

    What fits into one piece is read once.
    """

    def __init__(self, path: Path, as_text: Sequence[str] = ()) -> None:
        self.path = path
        self._as_text = as_text
        self._bytes = Bytes(path)
        self._block = BLOCK
        self._whole: pa.Table | None = None
        self.schema = self._guess()

    def tables(self) -> Iterator[pa.Table]:
        """The rows, in pieces."""
        if self.schema.names:
            texts = self._texts() if self._whole is None else iter([self._whole])
            yield from (typed(text, self.schema) for text in texts)

    def place(self, row: int) -> str:
        """What to call a row: by the line on which it starts."""
        with _as_text(self._bytes) as text:
            lines = (line for line, _ in records(text))
            return f"{self.path}, line {[next(lines) for _ in range(row + 2)][-1]}"

    def _guess(self) -> pa.Schema:
        try:
            schema = guess(self._noted(), self._as_text)
        except (pa.ArrowInvalid, UnicodeDecodeError, csv.Error) as error:
            return self._after(error)
        return schema if schema.names else self._after(None)

    def _noted(self) -> Iterator[pa.Table]:
        for number, table in enumerate(self._texts()):
            self._whole = None if number else table
            yield table

    def _texts(self) -> Iterator[pa.Table]:
        """Every piece with all columns as text; nothing at all is null, an empty text is not."""
        with _as_text(self._bytes) as text:
            names = next(records(text), (0, []))[1]
        with self._bytes.open() as file:
            for batch in _open(file, self._block, names):
                yield pa.Table.from_batches([batch])
                file.report()
            if file.quotes % 2:
                self._check_quotes()

    def _after(self, error: Exception | None) -> pa.Schema:
        """What to do where Arrow finds no rows: say where the trouble is, if it is any."""
        self._check_text()
        self._check_quotes()
        header, rows = self._check_columns()
        if rows < 1:
            schema = pa.schema([(name, pa.null()) for name in header])
            self._whole = schema.empty_table()
            return schema
        if "straddl" in str(error) and self._block < LARGEST_BLOCK:
            self._block = min(16 * self._block, LARGEST_BLOCK)
            return self._guess()
        raise DataError(f"the file cannot be read: {error}", where=str(self.path))

    def _check_text(self) -> None:
        with self._bytes.open() as file:
            for number, line in enumerate(io.BufferedReader(file), start=1):
                decoded(line, f"{self.path}, line {number}")

    def _check_quotes(self) -> None:
        """Refuse a quote that opens and never closes: it would swallow the rows after it."""
        line = 0
        try:
            with _as_text(self._bytes) as text:
                for line, _ in records(text):  # noqa: B007 - the last one before the trouble
                    pass
        except csv.Error:
            raise DataError(
                "a double quote opens here or on the next line and never closes",
                where=f"{self.path}, line {line + 1}",
                hint="close it, or write two of them for one inside a value",
            ) from None

    def _check_columns(self) -> tuple[list[str], int]:
        """The names in the first line, and how many rows come after it, all as long as it is."""
        header: list[str] = []
        rows = -1
        with _as_text(self._bytes) as text:
            for line, values in records(text):
                header = header or values
                rows += 1
                if len(values) != len(header):
                    raise DataError(
                        f"the line has {len(values)} values, but there are {len(header)} columns",
                        where=f"{self.path}, line {line}",
                        hint="mend the line; a value with a comma stands in double quotes",
                    )
        return (header if "".join(header).strip() else []), rows


def records(text: io.TextIOBase) -> Iterator[tuple[int, list[str]]]:
    """Every record with the line on which it starts; blank lines are no records."""
    csv.field_size_limit(LARGEST_BLOCK)  # of all readers, but nobody is helped by a lower one
    reader = csv.reader(text, strict=True)
    line = 1
    for values in reader:
        if values:
            yield line, values
        line = reader.line_num + 1


def _open(file: io.RawIOBase, block: int, names: Sequence[str]) -> pyarrow.csv.CSVStreamingReader:
    return pyarrow.csv.open_csv(
        file,
        pyarrow.csv.ReadOptions(block_size=block, use_threads=False),
        pyarrow.csv.ParseOptions(newlines_in_values=True),
        pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _as_text(data: Bytes) -> io.TextIOWrapper:
    file = io.BufferedReader(data.open())
    return io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
