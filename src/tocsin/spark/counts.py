"""How many rows a detection reads, uses and leaves out, counted while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.errors import PySparkAssertionError
from pyspark.sql import Observation

from tocsin.errors import DefinitionError
from tocsin.language.nodes import Primitive
from tocsin.spark.columns import Columns
from tocsin.spark.primitives import Primitives, functions, quoted
from tocsin.tables.call import Call
from tocsin.tables.packed import Packed, bit_order

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def counted(
    frame: DataFrame, observation: Any, *, keys: Sequence[str], times: Sequence[str], some: Column
) -> DataFrame:
    """The same rows, which an `Observation` counts: all, those used, those left out.

    Spark pushes no filter below what is observed, so a reader of Parquet skips nothing then.
    """
    _check(observation)
    counts = counts_of(frame, keys=keys, times=times, some=some)
    try:
        return frame.observe(observation, *counts)
    except PySparkAssertionError:
        raise DefinitionError(
            "observation has observed another query", hint="make a new one for each"
        ) from None


def counts_of(
    frame: DataFrame, *, keys: Sequence[str], times: Sequence[str], some: Column
) -> list[Column]:
    """How many rows there are, are used, and lack a key or a time, to be observed."""
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
    return [count.alias(name) for name, count in counts.items()]


@dataclass(frozen=True)
class Bits:
    """Rows of which it is noted, while they are read, which primitives they are."""

    frame: DataFrame
    primitives: Sequence[Primitive]
    _observation: Any

    @classmethod
    def of(cls, frame: DataFrame, call: Call) -> Bits:
        """The rows of a DataFrame, with the primitives of a call."""
        f, primitives = functions(frame), bit_order(call.patterns.values())
        if not primitives:
            return cls(frame, (), None)
        found = Primitives(frame, Columns.of(frame), primitives, type=call.type)
        names = dict.fromkeys((*call.keys, call.start, call.end))
        known = reduce(lambda a, b: a & b, [f.col(quoted(name)).isNotNull() for name in names])
        words = [f.bit_or(f.when(known, word)) for word in found.words()]
        observation = Observation()
        noted = [word.alias(f"word_{number}") for number, word in enumerate(words)]
        return cls(frame.observe(observation, *noted), primitives, observation)

    def missing(self) -> list[Primitive]:
        """The primitives that no row is, once the rows have been read and if there were any."""
        words = list(self._observation.get.values()) if self.primitives else [None]
        if None in words:
            return []
        packed = Packed(self.primitives, np.array(words)[:, np.newaxis])
        return [primitive for primitive in self.primitives if not packed[primitive][0].as_py()]


def _check(observation: Any) -> None:
    """Refuse what is no `Observation`, of Spark or of Spark Connect."""
    kind = type(observation)
    if (kind.__module__.split(".")[0], kind.__name__) != ("pyspark", "Observation"):
        raise DefinitionError(
            f"observation is {observation!r}", hint="pass a pyspark.sql.Observation()"
        )
