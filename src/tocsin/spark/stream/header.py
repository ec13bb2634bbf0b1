"""Whether a checkpoint and a query belong together."""

from __future__ import annotations


def check(before: str, now: str) -> None:
    """Refuse to go on with a state that was made by something else."""
