"""Rows later than the watermark: left out, counted, and kept apart on request."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from spark.answers import Question
from stream.buckets import Stream, packed, setup_of
from stream.waves import waves

from tocsin.spark.stream.answers import result_tables


@pytest.mark.parametrize("seed", range(6))
def test_the_answer_is_that_of_the_rows_in_time(seed: int) -> None:
    random, question = Random(seed), waves(seed)
    setup = replace(setup_of(question, random.randint(1, 4)), keep_late=True)
    stream, rows = Stream(setup), packed(question, setup)
    ends = question.table.column("end").to_numpy()
    order = np.argsort(ends + [random.uniform(0, 60) for _ in ends])
    decided, seen, late = None, [], []
    for some in np.array_split(order, random.randint(8, 12)):
        upto = int(ends[seen].max()) - 5 if seen else None
        stream.take(rows.take(pa.array(some)), ends[some], upto)
        late += [i for i in some if decided is not None and ends[i] <= decided]
        seen, decided = [*seen, *some], upto
    stream.take(rows.slice(0, 0), ends[:0], int(ends.max()))

    tables = [t for visit in stream.visits for t in result_tables(visit, setup)]
    found = [row for table in tables for row in table.to_pylist()]
    apart = sorted(row["events"][0]["id"] for row in found if row["late"])
    assert apart == sorted(late) != []
    assert sum(len(visit.late) for visit in stream.visits if visit.late) == len(late)
    in_time = question.table.take(pa.array(sorted(set(range(ends.size)) - set(late))))
    expected = Question(question.patterns, in_time, question.options).ask("local")
    stream.visits = [replace(visit, late=None) for visit in stream.visits]
    stream.setup = replace(setup, keep_late=False)
    assert stream.answer() == expected


def test_a_late_row_comes_as_it_is() -> None:
    question = waves(7)
    setup = replace(setup_of(question), keep_late=True)
    stream, rows = Stream(setup), packed(question, setup)
    ends = question.table.column("end").to_numpy()
    stream.take(rows.slice(300), ends[300:], int(ends[300]))
    stream.take(rows.slice(0, 1), ends[:1], int(ends[300]))
    (table,) = result_tables(stream.visits[-1], setup)
    event = {"name": None, "start": 10, "end": 10, "id": 0}
    assert table.to_pylist() == [
        {"k": question.table.column("k")[0].as_py(), "pattern": None, "start": 10, "end": 10}
        | {"detected": 10, "events": [event], "late": True}
    ]
