"""What `tocsin detect` asks an engine, and what it gets from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tocsin.language.nodes import Expression
from tocsin.tables.results import Counts, Occurrence, Occurrences


@dataclass(frozen=True)
class Question:
    """Which pattern, in which events."""

    events: Path
    pattern: Expression
    reading: dict[str, Any]
    """How events are read, for whatever pattern."""
    options: dict[str, Any]
    """What else this detection is told."""


@dataclass(frozen=True)
class Found:
    """What an engine has found, as long as it is needed."""

    counts: Counts
    total: int
    """How many occurrences there are."""
    first: Callable[[int], Occurrences]
    """The first so many of them."""
    pieces: Callable[[], Iterator[Occurrences]]
    """All of them, in pieces, of which there is at least one."""
    events_by_name: Callable[[], Mapping[str, list[Occurrence]]]
    """The events that the pattern's names stand for."""
    advice: str = ""
    """How to get it sooner the next time."""
