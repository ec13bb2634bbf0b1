"""The engines that can be asked, by name: which pattern happened when, for which key."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tocsin.language.nodes import Expression
from tocsin.tables.hits import Hits, Reading
from tocsin.tables.observed import Observed

Engine = Callable[[Observed, Sequence[Expression], Reading], Hits]


def local(observed: Observed, patterns: Sequence[Expression], reading: Reading) -> Hits:
    """Compiled kernels over the whole table, on this machine."""
    from tocsin.tables.ask_local import ask  # Numba takes a while to import

    return ask(observed, patterns, reading)


def oracle(observed: Observed, patterns: Sequence[Expression], reading: Reading) -> Hits:
    """The definitions themselves: slow, and what every other engine is judged by."""
    from tocsin.tables.ask_oracle import ask

    return ask(observed, patterns, reading)


ENGINES: dict[str, Engine] = {"local": local, "oracle": oracle}
