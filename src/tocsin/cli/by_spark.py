"""Detection in a local Spark: on all cores, and for tables larger than memory."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tocsin.cli.by_local import by_local
from tocsin.cli.question import Found, Question
from tocsin.detection import detect_all
from tocsin.errors import DefinitionError
from tocsin.language.nodes import Expression
from tocsin.show import occurrences as show
from tocsin.tables.call import Call, asked
from tocsin.tables.files import Files
from tocsin.tables.nulls import warn_of_nulls
from tocsin.tables.predicates import warn_of_missing
from tocsin.tables.progress import tell
from tocsin.tables.results import Counts, Occurrence

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from tocsin.spark.collecting import Collected
    from tocsin.spark.wanted import Wanted

MANY_ROWS = 20_000_000
"""From so many rows on, a table may want more memory than people have, a few GB."""

LOCAL_START, LOCAL_RATE = 2.0, 1_000_000
"""What the local engine takes to start, and how many rows it then does in a second, at least."""

MANY_TYPES = 10_000
"""So many types are looked through for one that is like a name that no row has."""

EMPTY = "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"


@contextmanager
def by_spark(question: Question) -> Iterator[Found]:
    """What Spark finds in files, however large they are."""
    from tocsin.spark.session import local_session, require

    began = perf_counter()
    require()
    from tocsin.spark.files import Events  # Spark takes a while to import, and may not be there
    from tocsin.spark.wanted import Wanted

    call = asked({"": question.pattern}, **question.reading, **question.options)
    if call.reading.policy != "synchronous":
        raise DefinitionError(
            f"policy is {call.reading.policy!r}, but in Spark rows stand in no order",
            hint="write --engine local",
        )
    files = Files(question.events, as_text=(call.type,))
    if not files.schema.names:  # an empty file, in which nothing can be wrong
        with by_local(question) as found:
            yield found
        return
    wanted = Wanted.of(files.schema, call)
    call = replace(call, start=wanted.times[call.start], end=wanted.times[call.end])
    with silence(), TemporaryDirectory(prefix="tocsin-") as name:
        prepared = Events(files, wanted).prepare(Path(name, "events"))
        tell("starting Spark", 0, 0)
        prepared_at = perf_counter()
        settings = settings_for(files.schema)
        with local_session(timezone=str(call.timezone), settings=settings) as session:
            started = perf_counter() - prepared_at
            found = Search(question, call, wanted, prepared.frame(session), Path(name)).run()
            advice = _advice(found.counts.rows, started, perf_counter() - began)
            yield replace(found, advice=advice)


@dataclass(frozen=True)
class Search:
    """A question about a DataFrame, and a folder for what is found."""

    question: Question
    call: Call
    """The same, in the names of the DataFrame's columns."""
    wanted: Wanted
    frame: DataFrame
    folder: Path

    def run(self) -> Found:
        """Detect, and warn of what was read."""
        from pyspark.sql import Observation

        from tocsin.spark.counts import Bits

        pattern, counting = self.question.pattern, Observation()
        bits = Bits.of(self.frame, self.call)
        options = {**self.question.options, "order_by": self.wanted.ties(self.call)}
        found = self._collect({str(pattern): pattern}, bits.frame, observation=counting, **options)
        counts = Counts(**counting.get)
        warn_of_nulls(self.call.keys, counts.null_keys)
        warn_of_nulls(self.wanted.times, counts.null_times)
        for primitive in bits.missing():
            warn_of_missing(primitive, self.call.type, self._types)
        return Found(
            counts=counts,
            total=len(found),
            first=found.first,
            pieces=found.pieces,
            events_by_name=lambda: show.events_by_name(pattern, self._each),
        )

    def _collect(
        self, patterns: Mapping[str, Expression], frame: DataFrame, **options: Any
    ) -> Collected:
        from tocsin.spark.collecting import collect
        from tocsin.spark.refusals import failures
        from tocsin.spark.watching import watched

        first, last = self.call.start, self.call.end
        times = {"time": first} if first == last else {"start": first, "end": last}
        result = detect_all(patterns, frame, **(self.question.reading | times | options))
        folder = self.folder / f"found-{len(list(self.folder.iterdir()))}"
        with failures(), watched(frame.sparkSession, "detecting"):
            return collect(result, folder)

    def _each(self, names: Mapping[str, Expression]) -> Iterator[Occurrence]:
        found = self._collect(names, self.frame, semantics="unrestricted")
        return chain.from_iterable(found.pieces())

    def _types(self) -> list[str]:
        from tocsin.spark.primitives import quoted

        names = (*self.call.keys, self.call.start, self.call.end)
        known = self.frame.filter(" and ".join(f"{quoted(name)} is not null" for name in names))
        types = known.selectExpr(f"string({quoted(self.call.type)})")
        return [row[0] for row in types.distinct().limit(MANY_TYPES).collect()]


def settings_for(schema: pa.Schema) -> dict[str, str]:
    """What Spark has to be told before it reads files of such columns."""
    settings = {
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        # Where nothing is found, this would take out of the plan what counts the rows.
        "spark.sql.adaptive.optimizer.excludedRules": EMPTY,
    }
    names = schema.names
    if len({name.lower() for name in names}) < len(set(names)):
        settings["spark.sql.caseSensitive"] = "true"
    return settings


@contextmanager
def silence() -> Iterator[None]:
    """Keep the bridge to Java from writing its log to the screen, as when it is interrupted."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)


def _advice(rows: int, started: float, seconds: float) -> str:
    """What to say where the local engine would have had the answer in half the time."""
    local = LOCAL_START + rows / LOCAL_RATE
    if rows > MANY_ROWS or 2 * local > seconds:
        return ""
    needs = f"--engine local needs about {local:.0f} s for {rows:,} rows"
    return f"Spark took {started:.1f} s to start; {needs}"
