"""A small timeline in text: a line per event name, a line per occurrence, an axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len, set_cell_size

from tocsin.show.axis import Axis, Time, ticks

MAX_NAMES, MAX_OCCURRENCES = 12, 12
_WIDEST_NAME = 18


@dataclass(frozen=True)
class Marks:
    """The characters a timeline is drawn with."""

    event: str
    lasting: str
    instant: str
    opening: str
    middle: str
    closing: str
    waiting: str
    detected: str


UNICODE = Marks("●", "━", "◆", "├", "─", "┤", "·", "!")
ASCII = Marks("*", "=", "#", "|", "-", "|", ".", "!")


def timeline(
    events: Mapping[str, Iterable[tuple[Time, Time]]],
    occurrences: Mapping[str, tuple[Time, Time, Time]],
    *,
    width: int = 80,
    unicode: bool = True,
) -> str:
    """Draw events `(start, end)` by name, and occurrences `(start, end, detected)` by label.

    Times are all integers or all datetimes. A digit stands for that many events in one column,
    `+` for ten or more. An occurrence that is detected after its end waits (`···!`).

    >>> events = {"B": [(1, 1), (3, 3), (5, 5)], "P": [(4, 4)]}
    >>> print(timeline(events, {"#1": (1, 3, 3)}, unicode=False))
    B   *       *       *
    P               *
    #1  |-------|
        +---+---+---+---+
        1   2   3   4   5
    """
    spans = {name: list(own) for name, own in list(events.items())[:MAX_NAMES]}
    times = [t for own in (*spans.values(), occurrences.values()) for span in own for t in span]
    if not times:
        return ""
    marks = UNICODE if unicode else ASCII
    shown = dict(list(occurrences.items())[:MAX_OCCURRENCES])
    room = min(max(map(cell_len, [*spans, *shown])), _WIDEST_NAME)
    low, high = ticks(min(times)), ticks(max(times))
    axis = Axis(low, high, max(width - room - 3, 10), clock=isinstance(times[0], datetime))
    drawn = [(name, _events(axis, own, marks)) for name, own in spans.items()]
    drawn += [(label, _occurrence(axis, *span, marks)) for label, span in shown.items()]
    lines = [f"{set_cell_size(label, room)}  {line}" for label, line in drawn]
    left_out = _left_out(len(events) - MAX_NAMES, len(occurrences) - MAX_OCCURRENCES)
    below = [*axis.lines(unicode), axis.caption(), left_out]
    lines += [" " * (room + 2) + line for line in below if line]
    return "\n".join(line.rstrip() for line in lines)


def _events(axis: Axis, spans: Iterable[tuple[Time, Time]], marks: Marks) -> str:
    counts = [0] * axis.width
    line = [" "] * axis.width
    for start, end in spans:
        first, last = axis.column(ticks(start)), axis.column(ticks(end))
        line[first : last + 1] = marks.lasting * (last + 1 - first)
        counts[last] += 1
    for column, count in enumerate(counts):
        if count:
            line[column] = marks.event if count == 1 else str(count) if count < 10 else "+"
    return "".join(line)


def _occurrence(axis: Axis, start: Time, end: Time, detected: Time, marks: Marks) -> str:
    line = [" "] * axis.width
    first, last, decided = (axis.column(ticks(time)) for time in (start, end, detected))
    if decided > last:
        line[last + 1 : decided + 1] = marks.waiting * (decided - last)
        line[decided] = marks.detected
    if first == last:
        line[first] = marks.instant
    else:
        line[first + 1 : last] = marks.middle * (last - first - 1)
        line[first], line[last] = marks.opening, marks.closing
    return "".join(line)


def _left_out(names: int, occurrences: int) -> str | None:
    more = [
        f"{count:,} more {what}{'s' if count > 1 else ''}"
        for count, what in ((names, "event name"), (occurrences, "occurrence"))
        if count > 0
    ]
    return f"… {' and '.join(more)}" if more else None
