"""How commands speak to other programs, and of what is wrong."""

from __future__ import annotations

import json
import sys
from typing import Any


def print_json(data: Any) -> None:
    """Data for other programs."""
    print(json.dumps(data, indent=2))


def complain(message: str, code: int) -> int:
    """Say on stderr what is wrong; returns the exit code."""
    print(f"tocsin: {message}", file=sys.stderr)
    return code
