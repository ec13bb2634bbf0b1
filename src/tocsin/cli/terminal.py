"""How commands speak to a terminal, a pipe or a file."""

from __future__ import annotations

import json
import sys
from io import TextIOWrapper
from typing import Any

from rich.console import Console


def console() -> Console:
    """Where people's output goes: as wide as the terminal, plain where it is no terminal."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name the terminal cannot show is no error
    return Console(highlight=False, markup=False, emoji=False)


def speaks_unicode(of: Console) -> bool:
    """Whether lines and dots can be drawn with more than ASCII."""
    return of.encoding.lower().startswith("utf")


def print_json(data: Any) -> None:
    """Data for other programs."""
    print(json.dumps(data, indent=2))


def complain(message: str, code: int) -> int:
    """Say on stderr what is wrong; returns the exit code."""
    print(f"tocsin: {message}", file=sys.stderr)
    return code
