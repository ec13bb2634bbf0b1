"""Detection without Spark: the whole table in memory, by the compiled engine or the oracle."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tocsin.cli.question import Found, Question
from tocsin.detection import detect, detect_all
from tocsin.show import occurrences as show
from tocsin.tables.source import read


@contextmanager
def by_local(question: Question, engine: str = "local") -> Iterator[Found]:
    """What an engine finds in a table that fits into memory."""
    reading = question.reading
    columns = {name: reading[name] for name in ("type", "time", "start", "end")}
    source = read(question.events, **columns)
    found = detect(question.pattern, source, **reading, **question.options, engine=engine)
    yield Found(
        counts=found.counts,
        total=len(found),
        first=lambda count: found[:count],
        pieces=lambda: iter([found]),
        events_by_name=lambda: show.events_by_name(
            question.pattern,
            lambda names: detect_all(names, source, semantics="unrestricted", **reading),
        ),
    )
