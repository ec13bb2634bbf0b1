"""What people write for something else, and what to write instead: tables for `hints`."""

from __future__ import annotations

from tocsin.language.durations import MICROSECONDS
from tocsin.language.words import FUNCTIONS

SEQUENCE = "for 'followed by' write `;`, as `A ; B`"
CONJUNCTION = "for 'both, in any order' write `&`, as `A & B`"
DISJUNCTION = "for 'either' write `|`, as `A | B`"
ABSENCE = "write `A - B` for A with no B during it, `not(B; A, C)` for A then C with no B between"
REPETITION = (
    "there is no sign for repetition: every occurrence is found anyway, `A#3` is every third, "
    "and `aperiodic*(A, B, C)` takes all B between A and C together"
)
CONDITION = "a condition belongs to the definition of an event, as define={'A': 'amount > 5'}"
DURATIONS = f"write a number with one of {' '.join(MICROSECONDS)}, or an integer in ticks"

SPELLINGS = (
    (r"[-=~]+>", SEQUENCE),
    (r"&&", CONJUNCTION),
    (r"\|\|", DISJUNCTION),
)
"""Signs of elsewhere that may begin with one of ours, so the place can be in their middle."""

SYMBOLS = (
    (r"→|⇒|⟶|≫", SEQUENCE),
    (r"∧|△", CONJUNCTION),
    (r"∨|∇", DISJUNCTION),
    (r"[−–—]", "write the minus of the keyboard, as `A - B`"),
    (r"!(?!=)|¬", ABSENCE),
    (r"▷", f"write `{FUNCTIONS['delay']}`"),
    (r"\+(?=\s*[\w(`])", CONJUNCTION),
    (r"[*+?{]", REPETITION),
    (r"[\[\]}]", "patterns are grouped with `(` and `)`"),
    (r"\.(?=\w+\s*\()", "in a text the word follows the pattern, as `A within 2s`"),
    (r"!=|[=<>]|\.(?=\w+\s*[=<>!])", CONDITION),
    (r"``", "a name between backticks must not be empty"),
    (r"`", "the name needs a second backtick at its end"),
    (r"[\"'“”„‘’«»]", "names stand without quotes; a time has the same quote at both ends"),
)
"""Signs that begin nothing in the language."""

WORDS = {
    **dict.fromkeys(("followed", "before", "next"), SEQUENCE),
    **dict.fromkeys(("not", "no", "except"), ABSENCE),
    "after": "for 'A after B' write `B ; A`",
}

CALLS = {
    "not_": FUNCTIONS["not"],
    "any_of": FUNCTIONS["any"],
    "aperiodic_star": FUNCTIONS["aperiodic*"],
    "periodic_star": FUNCTIONS["periodic*"],
    "nth": "A#4",
    "event": "A",
    "seq": "A ; B",
    "sequence": "A ; B",
    "all": "A & B",
}
"""Functions of Python, or of elsewhere, and what a text has for them."""

UNITS = {
    **dict.fromkeys(("microsecond", "microseconds", "usec", "micros", "µs", "μs"), "us"),
    **dict.fromkeys(("millisecond", "milliseconds", "msec", "millis"), "ms"),
    **dict.fromkeys(("second", "seconds", "sec", "secs"), "s"),
    **dict.fromkeys(("minute", "minutes", "mins", "m"), "min"),
    **dict.fromkeys(("hour", "hours", "hr", "hrs"), "h"),
    **dict.fromkeys(("day", "days"), "d"),
    **dict.fromkeys(("week", "weeks"), "w"),
    **{unit: unit for unit in MICROSECONDS},
}
"""What people call a unit of time, in small letters, and what to write."""
