"""What to write instead: the known confusions, and the error that tells them (SPEC §2).

Each confusion is recognised by one function; `ADVISERS` is the order in which they are asked, and
the first that knows something answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from tocsin.errors import PatternSyntaxError, did_you_mean
from tocsin.language.confusions import (
    ABSENCE,
    CALLS,
    DURATIONS,
    SPELLINGS,
    SYMBOLS,
    UNITS,
    WORDS,
)
from tocsin.language.mistakes import Mistake, position, shown
from tocsin.language.nodes import USABLE
from tocsin.language.words import FUNCTIONS, RESERVED, quote

BINARY = ("_OR", "_AND", "_SEMICOLON", "_THEN", "_WITHOUT")
POSTFIX = ("_WITHIN", "_HASH", "_USING")
NUMBERS = ("INT", "DECIMAL", "DURATION")
OPERANDS = ("NAME", "QUOTED", "_LPAR", "_NOTHING")
OPERATORS = "the operators are `;` `&` `|` `-` `within` `#` `using`"


class Advice(NamedTuple):
    """A hint; where it concerns more than the token found, where that begins and what it is."""

    hint: str
    start: int | None = None
    found: str | None = None
    expected: str | None = None


def complaint(mistake: Mistake) -> PatternSyntaxError:
    """The error for a mistake, with the first hint that fits."""
    answers = (adviser(mistake) for adviser in ADVISERS)
    advice = next((answer for answer in answers if answer), None)
    hint, start, found, expected = advice or (None, None, None, None)
    line, column = position(mistake.text, mistake.place if start is None else start)
    return PatternSyntaxError(
        mistake.text,
        line=line,
        column=column,
        found=shown(found or mistake.found),
        expected=expected or mistake.expected(),
        hint=hint,
    )


def _empty(m: Mistake) -> Advice | None:
    if m.kind != "$END" or m.before:
        return None
    return Advice("write an event name, as `A`, or more, as `A ; B`", expected="a pattern")


def _spelling(m: Mistake) -> Advice | None:
    for start in (max(0, m.place - 1), m.place):
        for pattern, hint in SPELLINGS:
            sign = re.compile(pattern).match(m.text, start)
            if sign and sign.end() > m.place:
                return Advice(hint, start, sign[0], "an operator" if start < m.place else None)
    return None


def _symbol(m: Mistake) -> Advice | None:
    if m.kind:
        return None
    signs = ((re.match(pattern, m.rest), hint) for pattern, hint in SYMBOLS)
    return next((Advice(hint, m.place, sign[0]) for sign, hint in signs if sign), None)


def _odd_character(m: Mistake) -> Advice | None:
    if m.kind or m.found in RESERVED:
        return None
    if not m.found.isprintable():
        return Advice("take the invisible character out")
    start = re.search(r"\w*$", m.text[: m.place])
    name = (start[0] if start else "") + re.split(r"[\s;|&()#,`]", m.rest)[0]
    if len(name) == len(m.found):
        return None
    return Advice(f"a name with odd characters stands in backticks, as {quote(name)}")


def _unknown_function(m: Mistake) -> Advice | None:
    if m.kind != "_LPAR" or m.last() != "NAME" or not m.wants_operator:
        return None
    name, start = str(m.before[-1]), m.before[-1].start_pos
    write = FUNCTIONS.get(name.lower()) or CALLS.get(name.lower())
    hint = f"write `{write}`" if write else did_you_mean(name, list(FUNCTIONS))
    if hint is None and m.text[m.place - 1].isspace():
        return None
    hint = hint or f"the functions are {', '.join(FUNCTIONS)}"
    return Advice(hint, start, f"{name}(", "an event name or a function")


def _reserved(m: Mistake) -> Advice | None:
    if m.kind or m.found not in RESERVED:
        return None
    return Advice(f"the word is reserved; an event of that name is {quote(m.found)}, in backticks")


def _word(m: Mistake) -> Advice | None:
    if not m.wants_operator:
        return None
    small = m.found.lower()
    if m.kind == "NAME" and small in RESERVED:
        return Advice(f"write `{small}`: the words of the language are in small letters")
    if m.kind == "NAME" and small in WORDS:
        return Advice(WORDS[small])
    if m.last() == "NAME" and m.before[-1].lower() in ("not", "no") and m.kind in OPERANDS:
        return Advice(ABSENCE, m.before[-1].start_pos, m.before[-1], "an event name or `(`")
    return None


def _unit(m: Mistake) -> Advice | None:
    after_number = m.last() in NUMBERS and m.last(2) in ("_WITHIN", "_COMMA", "_EVERY")
    if not after_number or m.kind not in ("NAME", "INT"):
        return None
    unit = UNITS.get(m.found.lower())
    return Advice(f"write `{m.before[-1]}{unit}`" if unit else DURATIONS)


def _negative(m: Mistake) -> Advice | None:
    if m.kind != "_WITHOUT" or "INT" not in m.accepts:
        return None
    low = "a duration is 0 or more" if m.wants_duration else "write a whole number from 1 on"
    return Advice(low)


def _number(m: Mistake) -> Advice | None:
    if m.kind not in NUMBERS:
        return None
    if m.wants_operator:
        return Advice("write `A#4` for every fourth A, `A within 4` for an A that lasts at most 4")
    if not m.wants_operand:
        return None
    if m.last() == "_WITHOUT" and m.last(3) == "_USING":
        return Advice(f"'using' sets one of {', '.join(USABLE)}; others hold for a whole pattern")
    name = re.split(r"[\s;|&()#,`]", m.rest)[0]
    return Advice(f"a name begins with a letter; any other stands in backticks, as {quote(name)}")


def _quoted(m: Mistake) -> Advice | None:
    if m.kind != "STRING" or m.found[1:-1] == "":
        return None
    if m.wants_operand:
        return Advice(f"names stand without quotes: write {quote(m.found[1:-1])}")
    return Advice(f"write {m.found[1:-1]} without the quotes") if m.wants_duration else None


def _comma(m: Mistake) -> Advice | None:
    if m.kind != "_COMMA" or m.function or not m.wants_operator:
        return None
    return Advice("write `A & B` for both, `A ; B` for one after the other, `A | B` for either")


def _missing_operand(m: Mistake) -> Advice | None:
    if not m.wants_operand:
        return None
    found, last = shown(m.found), shown(m.before[-1]) if m.last() in BINARY else ""
    if m.kind in BINARY and m.kind == m.last():
        return Advice(f"one {last} is enough: a pattern stands between two of them")
    if m.kind in (*BINARY, *POSTFIX):
        name = f"; an event of that name is {found}, in backticks" if m.found in RESERVED else ""
        return Advice(f"a pattern is missing before {found}{name}")
    if m.kind == "_RPAR" and m.last() == "_LPAR":
        return Advice("there is no pattern between the parentheses")
    if m.kind in ("$END", "_RPAR", "_COMMA") and last:
        return Advice(f"a pattern is missing after {last}")
    return None


def _parenthesis(m: Mistake) -> Advice | None:
    openers = m.openers
    if m.kind == "_RPAR" and not openers:
        return Advice("no parenthesis is open here: take this one out, or open one before it")
    if m.kind == "$END" and openers:
        line, column = position(m.text, openers[-1].start_pos or 0)
        return Advice(f"the {shown(openers[-1])} at line {line}, column {column} is not closed")
    return None


def _sequence_in_not(m: Mistake) -> Advice | None:
    if m.kind not in ("_SEMICOLON", "_THEN") or m.function != "not" or not m.wants_operator:
        return None
    return Advice("a sequence in not(B; A, C) stands in parentheses, as `not((X ; Y); A, C)`")


def _fixed_choice(m: Mistake) -> Advice | None:
    if m.wants_duration:
        return Advice(DURATIONS)
    if m.last() == "_USING":
        return Advice(f"write one of {', '.join(USABLE)}")
    if m.last() == "_HASH":
        return Advice("write a number from 1 on, as `A#4` for every fourth A")
    return None


def _signature(m: Mistake) -> Advice | None:
    return Advice(f"write it as `{FUNCTIONS[m.function]}`") if m.function else None


def _missing_operator(m: Mistake) -> Advice | None:
    if not m.wants_operator or m.kind in ("$END", "_COMMA", "_RPAR", *BINARY):
        return None
    if not m.kind:
        return Advice(OPERATORS)
    return Advice("write an operator between the two, as `A ; B`, `A & B` or `A | B`")


ADVISERS: tuple[Callable[[Mistake], Advice | None], ...] = (
    _empty,
    _spelling,
    _symbol,
    _odd_character,
    _unknown_function,
    _word,
    _reserved,
    _unit,
    _negative,
    _number,
    _quoted,
    _comma,
    _missing_operand,
    _parenthesis,
    _sequence_in_not,
    _fixed_choice,
    _missing_operator,
    _signature,
)
