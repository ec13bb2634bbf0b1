"""The golden cases: worked examples as data, in tests/golden/*.toml.

A file has the `source` (the place in a paper or in SPEC), `events` as text, and `[[case]]` tables:

    events = ["T 1", "E2 7 10"]          # name, time or name, start, end
    [[case]]
    pattern = "A ; B"
    semantics = "unrestricted"           # default: restricted
    basis = "point"                      # default: interval
    report = "single"                    # default: overlapping
    policy = "asynchronous-total"        # default: synchronous; a list: one case each
    until = 20                           # default: the last time
    expected = ["[1, 4]!9 A@1 B@4"]      # start, end, detected if later, and parts as name@end
    one_of = [["…"], ["…"]]              # instead of expected: several answers are right

What stands above the first case holds for all cases of the file; a case may have its own `events`.
Occurrences are listed in the order of SPEC §1, their parts by end. On arrival, events stand in the
order in which they arrive, and occurrences, which are points, in the order in which they are found.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "golden"
SETTINGS = {"events", "semantics", "basis", "report", "policy", "until", "source"}


@dataclass(frozen=True)
class Case:
    """One pattern on one history, under one semantics, and what it must give."""

    name: str
    source: str
    events: tuple[tuple[str, int] | tuple[str, int, int], ...]
    pattern: str
    answers: tuple[tuple[str, ...], ...]
    """The answers that are right, nearly always one."""
    semantics: str = "restricted"
    basis: str = "interval"
    report: str = "overlapping"
    until: int | None = None
    policy: str = "synchronous"

    @property
    def on_arrival(self) -> bool:
        """Whether events are used as they arrive."""
        return self.policy != "synchronous"


def golden_cases() -> Iterator[Case]:
    """Every case of every file, in the files' order."""
    for path in sorted(FOLDER.glob("*.toml")):
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        cases = content.pop("case")
        unknown = content.keys() - SETTINGS
        if unknown:
            raise ValueError(f"{path.name}: unknown {sorted(unknown)}")
        for number, own in enumerate(cases, start=1):
            fields = {"policy": "synchronous"} | content | own
            policies = fields["policy"]
            for policy in policies if isinstance(policies, list) else [policies]:
                yield _case(f"{path.stem}-{number}", fields | {"policy": policy})


def normal(occurrence: str) -> str:
    """An occurrence's text with its parts in a fixed order, so that texts can be compared.

    >>> normal("[1, 4]!9 B@4 A@1")
    '[1, 4]!9 A@1 B@4'
    """
    interval, _, parts = occurrence.partition("]")
    late, *names = parts.split(" ")

    def key(part: str) -> tuple[int, str]:
        name, _, end = part.rpartition("@")
        return int(end), name

    return " ".join([f"{interval}]{late}", *sorted(filter(None, names), key=key)])


def _case(place: str, content: dict[str, Any]) -> Case:
    fields = dict(content)
    answers = fields.pop("one_of") if "one_of" in fields else [fields.pop("expected")]
    fields["answers"] = tuple(tuple(map(normal, answer)) for answer in answers)
    fields["events"] = tuple(_event(text) for text in fields["events"])
    fields["name"] = "-".join(
        [place, *(fields[key] for key in ("semantics", "basis", "report") if key in fields)]
        + [fields["policy"]] * (fields["policy"] != "synchronous")
    )
    return Case(**fields)


def _event(text: str) -> tuple[str, int] | tuple[str, int, int]:
    name, *times = text.split()
    if len(times) == 1:
        return name, int(times[0])
    start, end = times
    return name, int(start), int(end)
