"""How many rows a detection reads, uses and leaves out, counted while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkAssertionError

from tocsin.errors import DefinitionError
from tocsin.spark.primitives import functions, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def counted(
    frame: DataFrame, observation: Any, *, keys: Sequence[str], times: Sequence[str], some: Column
) -> DataFrame:
    """The same rows, which an `Observation` counts: all, those used, those left out.

    Spark pushes no filter below what is observed, so a reader of Parquet skips nothing then.
    """
    _check(observation)
    f = functions(frame)

    def is_null(columns: Sequence[str]) -> Any:
        return reduce(
            lambda a, b: a | b, [f.col(quoted(name)).isNull() for name in columns], f.lit(False)
        )

    no_key, no_time = is_null(keys), is_null(times)
    counts = {
        "rows": f.count(f.lit(1)),
        "used": f.count_if(~no_key & ~no_time & some),
        "null_keys": f.count_if(no_key),
        "null_times": f.count_if(~no_key & no_time),
    }
    try:
        return frame.observe(observation, *(count.alias(n) for n, count in counts.items()))
    except PySparkAssertionError:
        raise DefinitionError(
            "observation has observed another query", hint="make a new one for each"
        ) from None


def _check(observation: Any) -> None:
    """Refuse what is no `Observation`, of Spark or of Spark Connect."""
    kind = type(observation)
    if (kind.__module__.split(".")[0], kind.__name__) != ("pyspark", "Observation"):
        raise DefinitionError(
            f"observation is {observation!r}", hint="pass a pyspark.sql.Observation()"
        )
