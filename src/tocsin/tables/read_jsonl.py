"""Events from a jsonl file: one JSON object per line, in JSON's own types."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.errors import DataError
from tocsin.tables.opening import BLOCK, Bytes, decoded
from tocsin.tables.rows import Place, array_of, table_of_dicts

EXACT = 2.0**53
"""Up to here every integer is a floating-point number too."""


class JsonlFile:
    """A jsonl file, read in pieces: once to find its types, and once more for these.

    What fits into one piece is read once.
    """

    def __init__(self, path: Path, as_text: Sequence[str] = ()) -> None:
        self.path = path
        self._bytes = Bytes(path)
        self._whole: pa.Table | None = None
        self.schema = self._unite()

    def tables(self) -> Iterator[pa.Table]:
        """The rows, in pieces, each in types of its own that fit those of the whole."""
        if self._whole is not None:
            yield self._whole
        elif self.schema.names:
            yield from self._pieces()

    def place(self, row: int) -> str:
        """What to call a row: by its line."""
        lines = (number for number, _ in self._lines())
        return f"{self.path}, line {[next(lines) for _ in range(row + 1)][-1]}"

    def _unite(self) -> pa.Schema:
        schema = pa.schema([])
        for number, table in enumerate(self._pieces()):
            self._whole = None if number else table
            try:
                schema = pa.unify_schemas([schema, table.schema], promote_options="permissive")
            except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
                self._check_columns()
                raise
        return schema

    def _pieces(self) -> Iterator[pa.Table]:
        before, line, texts = 0, 1, pa.schema([])
        with self._bytes.open() as file:
            data = io.BufferedReader(file)
            while lines := data.readlines(BLOCK):
                table = _by_arrow(lines, texts)
                if table is None:
                    rows = _by_python(enumerate(lines, start=line), self.path)
                    table = table_of_dicts(rows, self._place_after(before))
                texts = pa.schema([field for field in table.schema if field.type == pa.string()])
                yield table
                file.report()
                before, line = before + len(table), line + len(lines)

    def _place_after(self, rows: int) -> Place:
        return lambda row: self.place(rows + row)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines that are not blank, with their numbers."""
        with self._bytes.open() as file:
            for number, line in enumerate(io.BufferedReader(file), start=1):
                if line.strip():
                    yield number, line

    def _check_columns(self) -> None:
        """Refuse the first value that does not fit those of the rows before."""
        rows = _by_python(self._lines(), self.path)
        for name in dict.fromkeys(name for row in rows for name in row):
            array_of([row.get(name) for row in rows], name, self.place)


def _by_arrow(lines: list[bytes], texts: pa.Schema) -> pa.Table | None:
    """What Arrow makes of some lines; None where Python knows better, or what is wrong.

    `texts` are columns known to be text, which need not be taken for times first.
    """
    data = b"".join(lines)
    try:
        data.decode()
        table = _read_json(data, texts)
        if any(map(_has_times, table.schema.types)):
            fields = [field.with_type(_as_text(field.type)) for field in table.schema]
            table = _read_json(data, pa.schema(fields))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeDecodeError):
        return None
    one_each = table.num_columns and len(table) == sum(not line.isspace() for line in lines)
    return table if one_each and all(map(_is_exact, table.columns)) else None


def _read_json(data: bytes, schema: pa.Schema) -> pa.Table:
    import pyarrow.json  # costs time to import, and csv does not need it

    return pyarrow.json.read_json(
        io.BytesIO(data),
        pyarrow.json.ReadOptions(use_threads=False, block_size=len(data) + 1),
        pyarrow.json.ParseOptions(explicit_schema=schema),
    )


def _has_times(kind: pa.DataType) -> bool:
    inner = [kind.field(n).type for n in range(kind.num_fields)]
    return pa.types.is_timestamp(kind) or any(map(_has_times, inner))


def _as_text(kind: pa.DataType) -> pa.DataType:
    """The type with text where it has times."""
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_as_text(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_as_text(field.type)) for field in kind])
    return kind


def _is_exact(column: pa.ChunkedArray) -> bool:
    """Whether no integer was made a floating-point number that it is not."""
    if pa.types.is_list(column.type):
        return _is_exact(pc.list_flatten(column))
    if pa.types.is_struct(column.type):
        return all(map(_is_exact, column.flatten()))
    if not pa.types.is_floating(column.type):
        return True
    return not pc.any(pc.greater_equal(pc.abs(column), EXACT)).as_py()


def _by_python(lines: Iterable[tuple[int, bytes]], path: Path) -> list[dict[str, Any]]:
    """The objects of numbered lines."""
    rows = []
    for number, line in lines:
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        text = decoded(line, where).rstrip("\n")
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"the line is no JSON: {_reason(error)}",
                where=where,
                hint="write one JSON object per line",
            ) from None
        if not isinstance(row, dict):
            raise DataError(
                f"the line is no JSON object but {text.strip()[:40]}",
                where=where,
                hint='write one object per line, as {"type": "A", "time": 1}',
            )
        rows.append(row)
    return rows


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return "it is too deep" if isinstance(error, RecursionError) else "a number is too long"
