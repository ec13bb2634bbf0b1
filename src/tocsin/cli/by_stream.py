"""`tocsin detect --stream FOLDER`: what is found in files, as they are dropped into a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import TYPE_CHECKING, Any

from tocsin.cli.by_spark import settings_for, silence
from tocsin.cli.question import Question
from tocsin.cli.status import StatusLine
from tocsin.cli.terminal import complain
from tocsin.detection import detect_all
from tocsin.errors import DataError, DefinitionError
from tocsin.language.durations import MICROSECONDS
from tocsin.language.nodes import Primitive
from tocsin.show.words import meaning
from tocsin.spark.beginning import Beginning, has_begun, has_state
from tocsin.tables.call import Call, asked
from tocsin.tables.files import Files, alike

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from tocsin.cli.telling import Telling
    from tocsin.spark.wanted import Wanted

PAUSE = "1 second"
"""How often the folder is looked at."""

SHOWN = 200
"""So many characters of a pattern are shown."""

NEXT_TIME = "without --checkpoint the next start begins anew"


@dataclass(frozen=True)
class Stream:
    """How a folder is followed."""

    watermark: str
    late: str = "drop"
    checkpoint: Path | None = None
    like: Path | None = None
    """What shows the columns of files that are yet to come."""
    output: Path | None = None
    """A folder for what is found, in place of the screen."""
    once: bool = False


@contextmanager
def by_stream(question: Question, how: Stream) -> Iterator[Telling]:
    """Follow a folder; gives what is found, as it is found."""
    from tocsin.spark.session import local_session, require

    require()
    from tocsin.cli.telling import Telling  # Spark takes a while to import, and may not be there
    from tocsin.spark.tally import Tally

    call = asked({"": question.pattern}, **question.reading, **question.options)
    _check_places(question.events, how)
    with ExitStack() as kept:
        kept.enter_context(silence())
        line = StatusLine()
        kept.callback(line.clear)
        folder = Path(kept.enter_context(TemporaryDirectory(prefix="tocsin-")))
        checkpoint = (how.checkpoint or folder / "checkpoint").resolve()
        beginning, wanted = _begin(question, how.like, checkpoint, call)
        line.wait("starting Spark …")
        session = kept.enter_context(
            local_session(
                timezone=str(call.timezone),
                partitions=beginning.buckets,
                settings=settings_for(wanted.schema),
            )
        )
        result = _defined(session, question, call, beginning, wanted, how)
        beginning.save(checkpoint)
        line.clear()
        if how.checkpoint is None and not how.once:
            complain(NEXT_TIME, 0)
        line.wait("reading the first files …")
        tally = Tally(time(), how.late == "keep", _moments(result, call))
        telling = Telling(checkpoint, folder, tally, line)
        query = (
            result.writeStream.foreachBatch(telling.take)
            .option("checkpointLocation", str(checkpoint))
            .trigger(**({"availableNow": True} if how.once else {"processingTime": PAUSE}))
            .start()
        )
        with telling.running(query):
            yield telling


def _check_places(folder: Path, how: Stream) -> None:
    """Refuse folders that are none, or not fit for what they are named for."""
    if not folder.is_dir():
        what = "this is a file" if folder.exists() else "there is no such folder"
        raise DataError(what, where=str(folder), hint="--stream follows a folder")
    for option, place in (("--checkpoint", how.checkpoint), ("--output", how.output)):
        if place is None:
            continue
        if place.exists() and not place.is_dir():
            raise DataError(
                "this is a file", where=str(place), hint=f"of a stream {option} is a folder"
            )
        if place.resolve().is_relative_to(folder.resolve()):
            raise DefinitionError(
                f"{option} is {str(place)!r}, in the folder that is followed",
                hint="name a place elsewhere",
            )
    if how.output and how.output.exists() and any(how.output.iterdir()) and not _goes_on(how):
        raise DataError(
            "the folder holds something already",
            where=str(how.output),
            hint="name another, or go on with the --checkpoint that it came with",
        )


def _goes_on(how: Stream) -> bool:
    """Whether the checkpoint is of an earlier start."""
    return how.checkpoint is not None and has_begun(how.checkpoint)


def _begin(
    question: Question, like: Path | None, checkpoint: Path, call: Call
) -> tuple[Beginning, Wanted]:
    """What the folder was like when the stream began, if need be now, and what is wanted of it."""
    from tocsin.spark.copying import time_type
    from tocsin.spark.wanted import Wanted

    folder = question.events.resolve()
    pattern = str(question.pattern)
    events = {event.name: event.predicate for event in question.pattern.primitives()}
    began = Beginning.load(checkpoint)
    if began is not None:
        if began.folder != folder:
            raise DataError(
                f"the checkpoint was made for the folder {str(began.folder)!r}",
                where=str(checkpoint),
                hint="follow that, or start with an empty checkpoint",
            )
        if has_state(checkpoint):
            _check_pattern(began, pattern, events, checkpoint)
        began = replace(began, pattern=pattern, events=events)
        return began, Wanted.of(began.schema, call)
    files = Files(like or folder, as_text=(call.type,))
    if not files.schema.names:
        raise DataError(
            "there is nothing here yet, so nobody knows what columns there will be",
            where=str(like or folder),
            hint="put a first file there, or name one that shows them: --like FILE",
        )
    schema = _known(files.schema)
    wanted = Wanted.of(schema, call)
    suffixes = alike(files.readers[0].path)
    written = time_type(files, wanted)
    buckets = os.cpu_count() or 1
    return Beginning(folder, suffixes, schema, written, buckets, pattern, events), wanted


def _check_pattern(
    began: Beginning, pattern: str, events: Mapping[str, str | None], checkpoint: Path
) -> None:
    """Refuse to lose the state of a pattern: at once, as the state itself is asked with the first
    rows only."""
    what = ""
    if began.pattern != pattern:
        what = f"for the pattern {began.pattern!r:.{SHOWN}}, not for {pattern!r:.{SHOWN}}"
    for name, before in began.events.items():
        if not what and before != events[name]:
            old, new = (meaning(Primitive(name, p)) for p in (before, events[name]))
            what = f"when {name!r} stood for {old:.{SHOWN}}, not for {new:.{SHOWN}}"
    if what:
        raise DataError(
            f"the checkpoint was made {what}",
            where=str(checkpoint),
            hint="go back to that, or start anew with another --checkpoint",
        )


def _moments(result: DataFrame, call: Call) -> Callable[[int], str]:
    """How people write an instant that Spark counts in milliseconds."""
    if result.schema["start"].dataType.simpleString() == "bigint":
        tick = MICROSECONDS[call.unit] if call.unit else 1000
        return lambda milliseconds: f"{milliseconds * 1000 // tick:,}"

    def moment(milliseconds: int) -> str:
        instant = datetime.fromtimestamp(milliseconds / 1000, UTC).replace(tzinfo=None)
        return instant.isoformat(" ", "milliseconds" if milliseconds % 1000 else "seconds")

    return moment


def _known(schema: pa.Schema) -> pa.Schema:
    """A column of nothing but nulls may hold text later."""
    import pyarrow as pa

    kinds = [pa.string() if pa.types.is_null(kind) else kind for kind in schema.types]
    return pa.schema(list(zip(schema.names, kinds, strict=True)))


def _defined(
    session: SparkSession,
    question: Question,
    call: Call,
    beginning: Beginning,
    wanted: Wanted,
    how: Stream,
) -> DataFrame:
    """The detection, as a streaming DataFrame."""
    from tocsin.spark.columns import Columns
    from tocsin.spark.counts import counts_of
    from tocsin.spark.following import Following
    from tocsin.spark.primitives import Primitives
    from tocsin.spark.tally import READ
    from tocsin.tables.packed import bit_order

    call = replace(call, start=wanted.times[call.start], end=wanted.times[call.end])
    frame = Following(beginning.folder, beginning.suffixes, wanted, beginning.written).frame(
        session
    )
    primitives = bit_order(call.patterns.values())
    some = Primitives(frame, Columns.of(frame), primitives, type=call.type).some()
    times = dict.fromkeys((call.start, call.end))
    counts = counts_of(frame, keys=call.keys, times=list(times), some=some)
    named: dict[str, Any] = (
        {"time": call.start} if len(times) == 1 else {"start": call.start, "end": call.end}
    )
    found: DataFrame = detect_all(
        {str(question.pattern): question.pattern},
        frame.observe(READ, *counts),
        **(question.reading | named | question.options | {"order_by": wanted.ties(call)}),
        watermark=how.watermark,
        late=how.late,
        buckets=beginning.buckets,
    )
    return found
