"""What Spark refuses, said in one sentence and in the user's words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.logger import PySparkLogger

from tocsin.errors import DataError, DefinitionError, StorageError, TocsinError, did_you_mean

NO_CONDITION = "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN"
NO_SPACE = "No space left on device"
WRITE = "write a Spark SQL expression over the columns"


@contextmanager
def in_words(what: str, text: str, columns: Sequence[str]) -> Iterator[None]:
    """Say what is wrong with an SQL text; `what` says which one it is."""
    spoken = PySparkLogger.getLogger("SQLQueryContextLogger")  # it prints the JVM's stack
    before, spoken.disabled = spoken.disabled, True
    try:
        yield
    except (AnalysisException, ParseException) as error:
        raise refusal(error, what, text, columns) from None
    finally:
        spoken.disabled = before


def refusal(
    error: AnalysisException, what: str, text: str, columns: Sequence[str]
) -> DefinitionError:
    """The sentence for an error of Spark's analyser or parser."""
    from tocsin.tables.sql.parse import place  # sqlglot takes a while to import

    where, condition = place(text, what), error.getCondition() or ""
    about = error.getMessageParameters() or {}
    if condition.startswith("UNRESOLVED_COLUMN"):
        name = about.get("objectName", "?").replace("`", "")
        near = did_you_mean(name, list(columns)) or "name one that there is"
        hint = f"{near} (columns: {', '.join(columns)})"
        return DefinitionError(f"there is no column {name!r}", where=where, hint=hint)
    if condition.startswith("AMBIGUOUS_REFERENCE"):
        name = about.get("name", "?").replace("`", "")
        hint = "rename all but one"
        return DefinitionError(f"{name!r} can be several columns", where=where, hint=hint)
    if condition == NO_CONDITION:
        kind = _kind(error)
        hint = "write a condition, as amount > 5"
        return DefinitionError(f"it is no condition but {kind}", where=where, hint=hint)
    if condition.startswith("PARSE"):
        found = about.get("error", "the end of input")
        found = "something is missing at its end" if "end of input" in found else f"near {found}"
        return DefinitionError(f"this is no SQL expression ({found})", where=where, hint=WRITE)
    return DefinitionError(
        f"Spark refuses it: {_first_sentence(str(error))}", where=where, hint=WRITE
    )


def is_void(error: AnalysisException) -> bool:
    """Whether a condition is refused because it is nothing but null, which has no type."""
    return error.getCondition() == NO_CONDITION and _kind(error) == "void"


def _kind(error: AnalysisException) -> str:
    """The type of what is no condition."""
    return str((error.getMessageParameters() or {}).get("type", "?")).strip('"').lower()


def _first_sentence(message: str) -> str:
    """Spark's message without its code in brackets, its place and its plan."""
    text = re.sub(r"^\[[A-Z_.0-9]+\]\s*", "", message).split("SQLSTATE")[0]
    text = re.sub(r"\s+", " ", text).strip()
    return re.split(r"(?<=[a-z)`\"'])[.;] ", text, maxsplit=1)[0].rstrip(".; ")


@contextmanager
def failures() -> Iterator[None]:
    """Say why a query did not finish: what a worker said of a row, or else what Spark says."""
    try:
        yield
    except PySparkException as error:
        text = str(error)
        said = re.search(r"tocsin\.errors\.DataError: (.+)", text)
        if said:
            raise DataError(said[1].strip()) from None
        if NO_SPACE in text:
            raise no_space(text) from None
        raise TocsinError(f"Spark did not finish: {told(error)}") from None


def no_space(text: str) -> StorageError:
    """The sentence for a disk that is full, from what Spark says of it.

    >>> print(no_space("IOException: No space left on device ... [checkpointLocation=/c, path=/a]"))
    a disk that Spark writes to is full (the stream's checkpoint is in /c); make room and start \
again: a stream goes on where it was
    """
    place = re.search(r"checkpointLocation=([^\],]+)", text)
    where = f" (the stream's checkpoint is in {place[1]})" if place else ""
    return StorageError(
        f"a disk that Spark writes to is full{where}",
        hint="make room and start again: a stream goes on where it was",
    )


def told(error: Exception) -> str:
    """The sentence in what Spark says of a query that failed."""
    text = re.sub(r"^\[STREAM_FAILED\] Query \[.*?\] terminated with exception: ", "", str(error))
    return _first_sentence(text.split("Driver stacktrace")[0])
