"""The screen that people look at."""

from __future__ import annotations

import sys
from io import TextIOWrapper

from rich.console import Console


def screen() -> Console:
    """Standard output: as wide as the terminal, plain where it is no terminal."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # what it cannot show is no error
    return Console(highlight=False, markup=False, emoji=False)


def speaks_unicode(console: Console) -> bool:
    """Whether lines and dots can be drawn with more than ASCII."""
    return console.encoding.lower().startswith("utf")
