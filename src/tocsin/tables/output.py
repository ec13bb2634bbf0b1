"""Occurrences as json, jsonl, csv or parquet; written whole or not at all."""

from __future__ import annotations

import base64
import csv
import io
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from tocsin.errors import DataError
from tocsin.tables.results import Event, Occurrence, Occurrences

_LINE_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}
"""What some readers take for the end of a line, though JSON does not."""


def jsonl(pieces: Iterable[Occurrences], file: BinaryIO) -> None:
    """A JSON object per line.

    >>> import tocsin as tc
    >>> text = io.BytesIO()
    >>> jsonl([tc.detect("A", [("A", 1)])], text)
    >>> print(text.getvalue().decode().strip())
    {"pattern": "A", "key": {}, "start": 1, "end": 1, "detected": 1, \
"events": [{"name": "A", "start": 1, "end": 1}]}
    """
    for line in _lines(pieces):
        file.write(f"{line}\n".encode())


def to_json(pieces: Iterable[Occurrences], file: BinaryIO) -> None:
    """A JSON array of the same objects, each on a line of its own."""
    separator = "["
    for line in _lines(pieces):
        file.write(f"{separator}\n  {line}".encode())
        separator = ","
    file.write(b"[]\n" if separator == "[" else b"\n]\n")


def to_csv(pieces: Iterable[Occurrences], file: BinaryIO) -> None:
    """A row per occurrence under a line of names; the events are JSON in one value."""
    for number, piece in enumerate(pieces):
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        if not number:
            writer.writerow(piece.to_arrow().column_names)
        for occurrence in piece:
            found = _object(occurrence, piece.keys)
            measures = found.pop("measures", {})
            writer.writerow(
                map(_cell, (*found.pop("key").values(), *found.values(), *measures.values()))
            )
        file.write(text.getvalue().encode())


def parquet(pieces: Iterable[Occurrences], file: BinaryIO) -> None:
    """The tables of `Occurrences.to_arrow`, as one parquet file."""
    import pyarrow.parquet

    tables = (piece.to_arrow() for piece in pieces)
    first = next(tables)
    with pyarrow.parquet.ParquetWriter(file, first.schema) as writer:
        for table in chain([first], tables):
            writer.write_table(table)


FORMATS: dict[str, Callable[[Iterable[Occurrences], BinaryIO], None]] = {
    "json": to_json,
    "jsonl": jsonl,
    "csv": to_csv,
    "parquet": parquet,
}
"""How occurrences are written that come in pieces, of which there is at least one."""


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that is there whole or, whatever happens, as it was before."""
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as file:  # a pipe or a device, which nothing can take the place of
            yield file
        return
    whole = path.resolve()
    part = whole.with_name(f".{whole.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        os.replace(part, whole)
    except OSError as error:
        raise DataError(
            f"the file cannot be written: {error.strerror}", where=str(path), hint="name another"
        ) from None
    finally:
        part.unlink(missing_ok=True)


def _lines(pieces: Iterable[Occurrences]) -> Iterator[str]:
    for piece in pieces:
        for occurrence in piece:
            line = json.dumps(_object(occurrence, piece.keys), ensure_ascii=False)
            yield line.translate(_LINE_ENDS)


def _object(occurrence: Occurrence, keys: tuple[str, ...]) -> dict[str, Any]:
    key = occurrence.key if isinstance(occurrence.key, tuple) else (occurrence.key,)
    found = {
        "pattern": occurrence.pattern,
        "key": dict(zip(keys, map(plain, key), strict=False)),
        "start": plain(occurrence.start),
        "end": plain(occurrence.end),
        "detected": plain(occurrence.detected),
        "events": [_event(event) for event in occurrence.events],
    }
    if occurrence.policy != "synchronous":
        found["policy"] = occurrence.policy
    if occurrence.measures:
        found["measures"] = plain(occurrence.measures)
    return found


def _event(event: Event) -> dict[str, Any]:
    times = {"start": plain(event.start), "end": plain(event.end)}
    return {"name": event.name, **times, **plain(event.carried)}


def plain(value: Any) -> Any:
    """A value as JSON has it; times in ISO 8601 with microseconds, an instant in UTC.

    >>> from datetime import UTC
    >>> plain(datetime(2026, 11, 15, 17, tzinfo=UTC)), plain([Decimal("1.50"), float("nan")])
    ('2026-11-15T17:00:00.000000Z', ['1.50', 'NaN'])
    """
    match value:
        case datetime(tzinfo=None):
            return value.isoformat(timespec="microseconds")
        case datetime():
            return value.isoformat(timespec="microseconds").replace("+00:00", "Z")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value / timedelta(seconds=1)
        case Decimal():
            return str(value)
        case bytes():
            return base64.b64encode(value).decode()
        case float() if not math.isfinite(value):
            return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
        case Mapping():
            return {str(name): plain(inner) for name, inner in value.items()}
        case list() | tuple():
            return [plain(inner) for inner in value]
        case _:
            return value


def _cell(value: Any) -> Any:
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False)
    return value
