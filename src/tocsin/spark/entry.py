"""The way into Spark: a DataFrame is a table or a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tocsin.errors import DefinitionError
from tocsin.spark import batch
from tocsin.spark.stream import query
from tocsin.spark.stream.query import Streaming
from tocsin.tables.call import Call

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Streaming", "detect"]


def detect(call: Call, frame: DataFrame, observation: Any, how: Streaming) -> DataFrame:
    """The occurrences of some patterns in a DataFrame."""
    if not frame.isStreaming:
        return batch.detect(call, frame, observation)
    if observation is not None:
        raise DefinitionError(
            "observation is given, but events is a stream",
            hint="leave it out; the query's progress has the counts, as observedMetrics",
        )
    return query.detect(call, frame, how)
