"""Tocsin: say which pattern of events matters, find every occurrence.

>>> import tocsin as tc
>>> pattern = tc.parse("(B ; B) within 2 - (P | T)")
>>> events = [("B", 1), ("B", 3), ("P", 4), ("B", 5), ("T", 9)]
>>> [o.end for o in tc.detect(pattern, events)]
[3]
"""

from typing import TYPE_CHECKING, Any

from tocsin.errors import (
    DataError,
    DefinitionError,
    PatternSyntaxError,
    SparkError,
    TocsinError,
    TocsinWarning,
)
from tocsin.language.builders import (
    absent,
    any_of,
    aperiodic,
    aperiodic_star,
    at,
    both,
    delay,
    either,
    event,
    every,
    not_,
    nothing,
    nth,
    periodic,
    periodic_star,
    plus,
)
from tocsin.language.nodes import Expression
from tocsin.language.parser import parse

if TYPE_CHECKING:
    from tocsin.detection import detect, detect_all
    from tocsin.explaining import explain

__version__ = "0.1.0"

__all__ = [
    "DataError",
    "DefinitionError",
    "Expression",
    "PatternSyntaxError",
    "SparkError",
    "TocsinError",
    "TocsinWarning",
    "absent",
    "any_of",
    "aperiodic",
    "aperiodic_star",
    "at",
    "both",
    "delay",
    "detect",
    "detect_all",
    "either",
    "event",
    "every",
    "explain",
    "not_",
    "nothing",
    "nth",
    "parse",
    "periodic",
    "periodic_star",
    "plus",
]


def __getattr__(name: str) -> Any:
    # Detection brings Arrow and DuckDB along; whoever only writes patterns need not wait for them.
    if name in ("detect", "detect_all"):
        from tocsin import detection

        return getattr(detection, name)
    if name == "explain":
        from tocsin.explaining import explain

        return explain
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
