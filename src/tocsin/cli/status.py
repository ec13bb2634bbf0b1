"""A line that says how far work has come which has no end to be seen."""

from __future__ import annotations

import shutil
import sys
from time import monotonic
from typing import TextIO

QUIET = 10.0
"""Seconds between two lines where nobody is watching."""


class StatusLine:
    """The last line of a terminal; elsewhere a line now and then."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file or sys.stderr
        self._terminal = self._file.isatty()
        self._last = monotonic()
        self._text = ""

    def show(self, text: str) -> None:
        """Say how far it has come."""
        if text == self._text:
            return
        if self._terminal:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[2K{text[:width]}", end="", file=self._file, flush=True)
        elif monotonic() - self._last < QUIET:
            return
        else:
            print(f"tocsin: {text}", file=self._file, flush=True)
        self._last, self._text = monotonic(), text

    def wait(self, what: str) -> None:
        """Say what is being waited for, if somebody is watching."""
        if self._terminal:
            self.show(what)

    def clear(self) -> None:
        """Make room for something else."""
        if self._terminal and self._text:
            print("\r\x1b[2K", end="", file=self._file, flush=True)
            self._text = ""
