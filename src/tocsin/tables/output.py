"""Occurrences as jsonl, csv or parquet; written whole or not at all."""

from __future__ import annotations

import base64
import csv
import io
import json
import math
import os
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from tocsin.errors import DataError
from tocsin.tables.results import Event, Occurrence, Occurrences

_LINE_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}
"""What some readers take for the end of a line, though JSON does not."""


def jsonl(occurrences: Occurrences) -> bytes:
    """A JSON object per line.

    >>> import tocsin as tc
    >>> print(jsonl(tc.detect("A", [("A", 1)])).decode().strip())
    {"pattern": "A", "key": {}, "start": 1, "end": 1, "detected": 1, \
"events": [{"name": "A", "start": 1, "end": 1}]}
    """
    lines = (json.dumps(_object(o, occurrences.keys), ensure_ascii=False) for o in occurrences)
    return "".join(f"{line.translate(_LINE_ENDS)}\n" for line in lines).encode()


def to_csv(occurrences: Occurrences) -> bytes:
    """A row per occurrence under a line of names; the events are JSON in one value."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(occurrences.to_arrow().column_names)
    for occurrence in occurrences:
        found = _object(occurrence, occurrences.keys)
        measures = found.pop("measures", {})
        writer.writerow(
            map(_cell, (*found.pop("key").values(), *found.values(), *measures.values()))
        )
    return text.getvalue().encode()


def parquet(occurrences: Occurrences) -> bytes:
    """The table of `Occurrences.to_arrow`, as a parquet file."""
    import pyarrow.parquet

    data = io.BytesIO()
    pyarrow.parquet.write_table(occurrences.to_arrow(), data)
    return data.getvalue()


FORMATS: dict[str, Callable[[Occurrences], bytes]] = {
    "jsonl": jsonl,
    "csv": to_csv,
    "parquet": parquet,
}


def write(data: bytes, path: Path) -> None:
    """Write a file such that it is there whole or, whatever happens, as it was before."""
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(data)  # a pipe or a device, which nothing can take the place of
        return
    whole = path.resolve()
    part = whole.with_name(f".{whole.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        os.replace(part, whole)
    except OSError as error:
        raise DataError(
            f"the file cannot be written: {error.strerror}", where=str(path), hint="name another"
        ) from None
    finally:
        part.unlink(missing_ok=True)


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
