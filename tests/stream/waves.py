"""A question about many rows of few keys."""

from __future__ import annotations

from random import Random

import pyarrow as pa
from spark.answers import Question


def waves(seed: int) -> Question:
    """Rows of ten keys, some hundred of them."""
    random = Random(seed)
    rows = [
        {"k": random.randrange(10), "end": 10 + n // 4, "id": n, "type": random.choice("ABCD")}
        for n in range(400)
    ]
    options = {"key": "k", "time": "end"} | dict.fromkeys(("unit", "until"))
    options |= {"semantics": "recent", "basis": "interval", "report": "overlapping"}
    return Question({"ab": "(A ; B) within 9"}, pa.Table.from_pylist(rows), options)
