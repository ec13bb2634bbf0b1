"""Measures: Spark SQL columns over a result, in which names stand for events (SPEC §11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tocsin.analysis.multiplicity import SEVERAL, most_of_any, multiplicity
from tocsin.errors import DefinitionError
from tocsin.language.nodes import Expression
from tocsin.spark.primitives import functions, quoted
from tocsin.spark.refusals import in_words
from tocsin.tables.measures import check_names

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def with_measures(
    result: DataFrame,
    measures: Mapping[str, str],
    patterns: Mapping[str, Expression],
    semantics: str,
) -> DataFrame:
    """The result with the measures as further columns.

    A name stands for its event, null where there is none, if no occurrence can have several; else
    for the array of its events in time order.
    """
    if not measures:
        return result
    f, columns = functions(result), result.columns
    most = most_of_any(multiplicity(pattern, semantics) for pattern in patterns.values())
    taken = {name.lower() for name in columns}

    def events_of(name: str, count: int) -> Column:
        own = f.filter(f.col("events"), lambda event: event["name"] == name)
        stands_for: Column = own if count >= SEVERAL else f.get(own, 0)
        return stands_for

    stand_for = [
        events_of(name, count).alias(name)
        for name, count in most.items()
        if name.lower() not in taken
    ]
    every = result.select("*", *stand_for)
    wanted = [f.col(quoted(name)) for name in columns]
    for name, text in measures.items():
        what = f"the measure {name!r}"
        if not isinstance(text, str) or not text.strip():
            raise DefinitionError(f"{what} is {text!r}", hint="write a Spark SQL expression")
        with in_words(what, text, every.columns):
            every.select(*wanted, f.expr(text)).schema  # noqa: B018  # Connect checks it here
        if not taken.isdisjoint(name.lower() for name in most):
            check_names(text, what, taken, most)
    values = [f.expr(text).alias(name) for name, text in measures.items()]
    return every.select(*wanted, *values)
