"""Durations: `2s`, `10min`, `1h30min`, or a bare integer in ticks (SPEC §2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction

from tocsin.errors import DefinitionError, did_you_mean

MICROSECONDS = {
    "us": 1,
    "ms": 1_000,
    "s": 1_000_000,
    "min": 60_000_000,
    "h": 3_600_000_000,
    "d": 86_400_000_000,
    "w": 604_800_000_000,
}
LARGEST = 2**63 - 1
"""Times are 64-bit integers (SPEC §1); nothing can last longer."""

_PIECE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([^\W\d]*)")


@dataclass(frozen=True)
class Duration:
    """A length of time: `count` microseconds if `timed`, else `count` ticks of the time column.

    >>> Duration.of("90s"), str(Duration.of("120s")), str(Duration.of("1h30min"))
    (Duration.of('90s'), '2min', '90min')
    >>> Duration.of(5).in_ticks(None), Duration.of("2min").in_ticks(MICROSECONDS["s"])
    (5, 120)
    """

    count: int
    timed: bool

    @classmethod
    def of(cls, value: Duration | timedelta | int | str) -> Duration:
        """Read a duration from text, a number of ticks or a timedelta."""
        if isinstance(value, Duration):
            duration = value
        elif isinstance(value, timedelta):
            duration = cls(value // timedelta(microseconds=1), timed=True)
        elif isinstance(value, int) and not isinstance(value, bool):
            duration = cls(value, timed=False)
        elif isinstance(value, str):
            duration = cls._read(value)
        else:
            raise DefinitionError(
                f"a duration is text, an integer or a timedelta, not {value!r}",
                hint="write '10s' or a number of ticks",
            )
        if duration.count < 0:
            raise DefinitionError(
                f"the duration {value!r} is negative", hint="write a duration of 0 or more"
            )
        if duration.count > LARGEST:
            raise DefinitionError(
                f"the duration {value!r} is longer than time itself: 2^63 - 1 "
                f"{'microseconds, about 292,000 years' if duration.timed else 'ticks'}",
                hint="leave the restriction out if none is meant",
            )
        return duration

    @classmethod
    def _read(cls, text: str) -> Duration:
        stripped = text.strip()
        if len(stripped) > 100:  # Python itself refuses to read thousands of digits
            raise DefinitionError(
                f"a text of {len(stripped)} characters is no duration", hint="write it shorter"
            )
        if re.fullmatch(r"-\s*\d.*", stripped):
            raise DefinitionError(
                f"the duration {text!r} is negative", hint="write a duration of 0 or more"
            )
        if stripped.isdecimal():
            return cls(int(stripped), timed=False)
        total, place = Fraction(0), 0
        while place < len(stripped):
            piece = _PIECE.match(stripped, place)
            if piece is None or piece[2] not in MICROSECONDS:
                unit = piece[2] if piece else ""
                raise DefinitionError(
                    f"{text!r} is no duration",
                    hint=(did_you_mean(unit, list(MICROSECONDS)) if unit else None)
                    or "write a number with one of us ms s min h d w, or an integer in ticks",
                )
            total += Fraction(piece[1]) * MICROSECONDS[piece[2]]
            place = piece.end()
        if not stripped or total.denominator != 1:
            raise DefinitionError(
                f"{text!r} is no duration" if not stripped else f"{text!r} is finer than 1us",
                hint="write a number with one of us ms s min h d w, or an integer in ticks",
            )
        return cls(int(total), timed=True)

    def in_ticks(self, tick: int | None) -> int:
        """The duration on a time axis whose tick lasts `tick` microseconds; None: nobody knows."""
        if not self.timed:
            return self.count
        if tick is None:
            raise DefinitionError(
                f"the duration {self} has a unit, but the times are plain integers",
                hint="say what they count, as unit='s', or write the duration in ticks",
            )
        if self.count % tick:
            raise DefinitionError(
                f"the duration {self} is no whole number of ticks of {Duration(tick, True)}",
                hint="round the duration",
            )
        return self.count // tick

    def __str__(self) -> str:
        if not self.timed:
            return str(self.count)
        if self.count == 0:
            return "0s"
        unit = next(u for u in reversed(MICROSECONDS) if self.count % MICROSECONDS[u] == 0)
        return f"{self.count // MICROSECONDS[unit]}{unit}"

    def __repr__(self) -> str:
        return f"Duration.of({self.literal!r})"

    @property
    def literal(self) -> str | int:
        """What a person writes in Python for it: '2s', or a number of ticks."""
        return str(self) if self.timed else self.count
