"""Occurrences as they are written to files."""

from __future__ import annotations

import io

from tocsin.tables.output import FORMATS
from tocsin.tables.results import Occurrences


def encoded(format: str, *pieces: Occurrences) -> bytes:
    """The bytes of a file of some pieces."""
    file = io.BytesIO()
    FORMATS[format](iter(pieces), file)
    return file.getvalue()
