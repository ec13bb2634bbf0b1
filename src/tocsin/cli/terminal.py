"""How commands speak to other programs, and of what is wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from tocsin.tables.results import Counts


def print_json(data: Any) -> None:
    """Data for other programs."""
    print(json.dumps(data, indent=2))


def complain(message: str, code: int) -> int:
    """Say on stderr what is wrong; returns the exit code."""
    print(f"tocsin: {message}", file=sys.stderr)
    return code


def summary(counts: Counts, found: int, began: float, further: Sequence[str] = ()) -> None:
    """What was read and found, in a line."""
    parts = [f"{counts.rows:,} rows read", f"{counts.used:,} used"]
    lacking = {"key": counts.null_keys, "time": counts.null_times}
    dropped = [f"{rows:,} without a {what}" for what, rows in lacking.items() if rows]
    if dropped:
        parts.append(f"{sum(lacking.values()):,} dropped ({', '.join(dropped)})")
    parts += [*further, "1 occurrence" if found == 1 else f"{found:,} occurrences"]
    complain(f"{', '.join(parts)}, {perf_counter() - began:.2f} s", 0)
