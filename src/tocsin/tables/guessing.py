"""What columns of text hold: the first type in which all values of a column can be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

KINDS = (
    pa.null(),
    pa.int64(),
    pa.bool_(),
    pa.date32(),
    pa.timestamp("us"),
    pa.timestamp("ns"),
    pa.timestamp("us", "UTC"),
    pa.timestamp("ns", "UTC"),
    pa.float64(),
    pa.string(),
)
"""What is tried, in this order; text always fits."""

FEW = 100
_NUMBERS = (pa.int64(), pa.float64())


def guess(tables: Iterable[pa.Table], as_text: Sequence[str] = ()) -> pa.Schema:
    """The types of the columns of tables of text, of which all have the same columns.

    It makes no difference how the rows are cut into tables.

    >>> texts = [{"x": ["1", "2"], "y": ["1", None]}, {"x": ["0.5", "x"], "y": ["0.5", "1e3"]}]
    >>> guess(map(pa.table, texts)).types
    [DataType(string), DataType(double)]
    """
    fields: list[str] = []
    possible: list[tuple[pa.DataType, ...]] = []
    for table in tables:
        if not fields:
            fields = table.column_names
            possible = [(pa.string(),) if name in as_text else KINDS for name in fields]
        for number, column in enumerate(table.columns):
            # Arrow takes its time to find that nothing fits; mostly a few values tell.
            few = column.slice(0, FEW)
            kinds = [kind for kind in possible[number] if _fits(few, kind)]
            possible[number] = tuple(kind for kind in kinds if _fits(column, kind))
    return pa.schema([(name, kinds[0]) for name, kinds in zip(fields, possible, strict=True)])


def typed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table of text in the types that were guessed."""
    columns = [read(text, kind) for text, kind in zip(table.columns, schema.types, strict=True)]
    return pa.table(columns, schema=schema)


def read(texts: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Texts as values of a type; numbers may stand among blanks.

    >>> read(pa.chunked_array([[" 7", None]]), pa.int64()).to_pylist()
    [7, None]
    """
    if pa.types.is_null(kind):
        return pa.chunked_array([pa.nulls(len(texts))])
    try:
        return texts.cast(kind)
    except pa.ArrowInvalid:
        if kind not in _NUMBERS:
            raise
    return pc.utf8_trim_whitespace(texts).cast(kind)


def _fits(texts: pa.ChunkedArray, kind: pa.DataType) -> bool:
    if pa.types.is_null(kind):
        return bool(texts.null_count == len(texts))
    try:
        read(texts, kind)
    except pa.ArrowInvalid:
        return False
    return True
