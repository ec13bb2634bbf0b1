"""How far long work has come, for whoever wants to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is, and of how much; of 0 if nobody knows."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def tell(what: str, done: int, total: int) -> None:
    """Say how far the work has come, if anybody listens."""
    listener = _listener.get()
    if listener is not None:
        listener(what, done, total)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Let somebody listen for a while.

    >>> heard = []
    >>> with heard_by(lambda *said: heard.append(said)):
    ...     tell("detecting", 5, 10)
    >>> heard
    [('detecting', 5, 10)]
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
