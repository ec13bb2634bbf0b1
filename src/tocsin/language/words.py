"""The words of the language and the names of events, as parser and printer see them (SPEC §2)."""

from __future__ import annotations

import re

RESERVED = (
    *("or", "and", "then", "without", "within", "using", "nothing"),
    *("as", "where", "same", "unless"),  # kept for SPEC §11
)
"""Words that are never a name, unless in backticks."""

FUNCTIONS = {
    "not": "not(B; A, C)",
    "any": "any(2; A, B, C)",
    "aperiodic": "aperiodic(A, B, C)",
    "aperiodic*": "aperiodic*(A, B, C)",
    "periodic": "periodic(A, 10s, C)",
    "periodic*": "periodic*(A, 10s, C)",
    "plus": "plus(A, 10s)",
    "delay": "delay(A, 10s)",
    "absent": "absent(A, 30min)",
    "both": "both(A, B)",
    "either": "either(A, B)",
    "at": 'at("17:00")',
    "every": "every(1h)",
}
"""Words that are functions when a parenthesis follows, each with how to write it."""

_PLAIN = re.compile(r"[^\W\d]\w*")


def quote(name: str) -> str:
    """The name as it stands in a text: in backticks where it is reserved or odd.

    >>> print(quote("login"), quote("delay"), quote("within"), quote("log in"), quote("a`b"))
    login delay `within` `log in` `a``b`
    """
    if _PLAIN.fullmatch(name) and name not in RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def unquote(text: str) -> str:
    """The name that stands there in a text, in backticks or plain.

    >>> unquote("login"), unquote("`log in`"), unquote("`a``b`")
    ('login', 'log in', 'a`b')
    """
    return text[1:-1].replace("``", "`") if text.startswith("`") else text
