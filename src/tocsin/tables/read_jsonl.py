"""Events from a jsonl file: one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from tocsin.errors import DataError
from tocsin.tables.read_csv import decode, read_bytes
from tocsin.tables.rows import Place, table_of_dicts


def read_jsonl(path: Path, as_text: Sequence[str] = ()) -> tuple[pa.Table, Place]:
    """The table, and what to call its rows: by their line. JSON's own types are kept."""
    rows: list[Any] = []
    lines: list[int] = []
    for number, line in enumerate(decode(path, read_bytes(path)).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"the line is no JSON: {_reason(error)}",
                where=f"{path}, line {number}",
                hint="write one JSON object per line",
            ) from None
        if not isinstance(row, dict):
            raise DataError(
                f"the line is no JSON object but {line.strip()[:40]}",
                where=f"{path}, line {number}",
                hint='write one object per line, as {"type": "A", "time": 1}',
            )
        rows.append(row)
        lines.append(number)

    def place(row: int) -> str:
        return f"{path}, line {lines[row]}"

    return table_of_dicts(rows, place), place


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return "it is too deep" if isinstance(error, RecursionError) else "a number is too long"
