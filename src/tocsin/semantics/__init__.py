"""What a pattern means: the oracle, plain sets straight from SPEC; one file per operator.

Slow is fine here, clever is wrong: every faster detector is judged by this one.
"""

from tocsin.semantics.evaluate import meaning
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence, Part
from tocsin.semantics.reporting import report

__all__ = ["History", "Occurrence", "Part", "meaning", "report"]
