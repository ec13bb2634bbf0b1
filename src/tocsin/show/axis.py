"""The axis of a timeline: which column a time falls on, and where to write which time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from tocsin.language.durations import MICROSECONDS

Time: TypeAlias = int | datetime

_EPOCH = datetime(1970, 1, 1)
_DAY, _MONTH = MICROSECONDS["d"], 30 * MICROSECONDS["d"]
_STEPS_OF_A_DAY = [
    count * MICROSECONDS[unit]
    for unit, counts in {
        "s": (1, 2, 5, 10, 15, 30),
        "min": (1, 2, 5, 10, 15, 30),
        "h": (1, 2, 3, 6, 12),
        "d": (1, 2, 7, 14),
    }.items()
    for count in counts
]
_WIDEST_TICK = 4  # columns; few instants are not drawn further apart than this


@dataclass(frozen=True)
class Axis:
    """Times from `low` to `high` on `columns` columns.

    >>> axis = Axis(0, 10, columns=80)
    >>> [axis.column(time) for time in (0, 1, 10)], axis.width
    ([0, 4, 40], 41)
    >>> print(*axis.lines(unicode=False), sep="\\n")
    +---+---+---+---+---+---+---+---+---+---+
    0   1   2   3   4   5   6   7   8   9   10
    """

    low: int
    high: int
    columns: int
    clock: bool = False
    """Whether times are microseconds since 1970."""

    @property
    def width(self) -> int:
        """The columns in use."""
        return self.column(self.high) + 1

    def column(self, time: int) -> int:
        """Where a time is drawn. Few instants get the same room each, many are squeezed."""
        length, room = self.high - self.low, self.columns - 1
        if not self.clock and length <= room:
            return (time - self.low) * min(_WIDEST_TICK, room // max(length, 1))
        return (time - self.low) * room // max(length, 1)

    def lines(self, unicode: bool = True) -> list[str]:
        """The ruler and the times below it."""
        dash, tick = ("─", "┴") if unicode else ("-", "+")
        ruler, labels = [dash] * self.width, ""
        ticks = self._ticks()
        for time in ticks:
            column, text = self.column(time), self._label(time, ticks.step)
            ruler[column] = tick
            start = max(min(column, self.columns - len(text)), 0)
            if not labels or start > len(labels):
                labels = labels.ljust(start) + text
        return ["".join(ruler), labels]

    def caption(self) -> str | None:
        """From when to when, where the axis has room for hours or days only."""
        low, high = moment(self.low), moment(self.high)
        if not self.clock:
            return None
        return f"{low} to {high}" if low != high else low

    def _ticks(self) -> range:
        length = max(self.high - self.low, 1)
        for step in self._steps(length):
            first = -(-self.low // step) * step
            ticks = range(first, self.high + 1, step)
            room = self.column(self.low + step) - self.column(self.low) if step <= length else None
            if room is None or room >= 2 + max(
                (len(self._label(t, step)) for t in ticks[:3]), default=1
            ):
                break
        return ticks if ticks else range(self.low, self.low + 1)

    def _steps(self, length: int) -> list[int]:
        powers = [10**n for n in range(len(str(length)) + 1)]
        if not self.clock:
            return [count * power for power in powers for count in (1, 2, 5)]
        fine = [count * power for power in powers[:6] for count in (1, 2, 5)]
        return [
            *fine,
            *_STEPS_OF_A_DAY,
            *(count * power * _MONTH for power in powers for count in (1, 2, 5)),
        ]

    def _label(self, time: int, step: int) -> str:
        if not self.clock:
            return str(time)
        day, _, clock = moment(time).partition(" ")
        if step >= _MONTH:
            return day
        return day[-5:] if clock == "00:00:00" else clock.removesuffix(":00")


def moment(microseconds: int) -> str:
    """A time for people: seconds always, fractions where there are any.

    >>> moment(1_500_000), moment(2**62)
    ('1970-01-01 00:00:01.500000', '4611686018427387904us')
    """
    try:
        return (_EPOCH + timedelta(microseconds=microseconds)).isoformat(" ")
    except OverflowError:
        return f"{microseconds}us"


def ticks(time: Time) -> int:
    """A time as an integer: itself, or microseconds since 1970 (in UTC, if it has a zone).

    >>> ticks(7), ticks(datetime(1970, 1, 1, 0, 0, 2))
    (7, 2000000)
    """
    if isinstance(time, datetime):
        wall = time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time
        return (wall - _EPOCH) // timedelta(microseconds=1)
    return time
