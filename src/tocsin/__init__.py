"""Tocsin: say which pattern of events matters, find every occurrence.

>>> import tocsin as tc
>>> pattern = tc.parse("(B ; B) within 2 - (P | T)")
>>> [o.end for o in tc.detect(pattern, [("B", 1), ("B", 3), ("P", 4), ("B", 5)])]
[3]
"""

from tocsin.errors import DataError, DefinitionError, PatternSyntaxError, TocsinError, TocsinWarning
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


__version__ = "0.1.0"
