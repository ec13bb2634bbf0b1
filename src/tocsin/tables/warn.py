"""Warnings that point at the line of the person who called."""

from __future__ import annotations

import sys
import warnings

from tocsin.errors import TocsinWarning


def warn(message: str) -> None:
    """Warn at the first line up the stack that is not ours."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals["__name__"].split(".")[0] == "tocsin":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, TocsinWarning, stacklevel=level)
