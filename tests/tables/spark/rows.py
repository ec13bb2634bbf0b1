"""The rows on which SQL is compared with Spark, and how `values.jsonl` was made from them.

    python rows.py expressions.txt > values.jsonl      # needs pyspark 4

Each line of `values.jsonl` is an expression and its value on each row, as Spark 4.3 has it with its
default settings (ANSI) and the session's time zone UTC; `{"error": …}` where Spark refuses.
"""

from __future__ import annotations

import json
import math
import re
import sys
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

NAN, INF = float("nan"), float("inf")
EVENT = pa.struct([("name", pa.string()), ("amount", pa.int64())])

TABLE = pa.table(
    {
        "i": pa.array([7, -7, 0, 1, None], pa.int32()),
        "j": pa.array([2, 2, 5, 0, None], pa.int64()),
        "d": pa.array([2.5, -2.5, NAN, INF, None], pa.float64()),
        "f": pa.array([0.1, 1.5, -1.5, 0.0, None], pa.float32()),
        "n": pa.array([Decimal("1.25"), Decimal("-3.50"), Decimal("0.00"), Decimal("9.99"), None]),
        "s": ["abc", "A_b%c", "", "12", None],
        "t": ["b", "2026-11-15", " 7 ", "1.5", None],
        "b": [True, False, True, False, None],
        "z": pa.array(
            [
                datetime(2026, 11, 15, 17, 4, 5, 250_000, tzinfo=UTC),
                datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC),
                datetime(2024, 2, 29, tzinfo=UTC),
                datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC),
                None,
            ],
            pa.timestamp("us", "UTC"),
        ),
        "w": pa.array(
            [
                datetime(2026, 11, 15, 16, 0),
                datetime(1970, 1, 1),
                datetime(2024, 2, 28, 12, 30),
                datetime(2025, 12, 31, 23, 59, 59, 999_999),
                None,
            ],
            pa.timestamp("us"),
        ),
        "day": pa.array(
            [date(2026, 11, 15), date(1969, 7, 20), date(2024, 2, 29), date(2026, 1, 1), None]
        ),
        "a": pa.array([[3, 1, 2], [], [5, None], [0], None], pa.list_(pa.int64())),
        "m": pa.array(
            [[("x", 1), ("y", 2)], [], [("x", None)], [("q", 4)], None],
            pa.map_(pa.string(), pa.int64()),
        ),
        "st": pa.array(
            [{"x": 1, "Y": "u"}, {"x": None, "Y": "v"}, {"x": 3, "Y": None}, None, None],
            pa.struct([("x", pa.int64()), ("Y", pa.string())]),
        ),
        "evs": pa.array(
            [
                [{"name": "A", "amount": 10}, {"name": "B", "amount": 250}],
                [{"name": "A", "amount": None}],
                [],
                [{"name": "C", "amount": 5}, None],
                None,
            ],
            pa.list_(EVENT),
        ),
        "odd name": ["p", "q", "r", None, None],
    }
)
NAMES = TABLE.column_names


def plain(value: Any) -> Any:
    """A value as JSON has it; what JSON has not, as text that says what it is."""
    if isinstance(value, float) and (math.isnan(value) or math.isinf(value)):
        return f"float {value}"
    if isinstance(value, Decimal):
        return f"decimal {value.normalize():f}"
    if isinstance(value, datetime | date):
        return f"{'instant' if getattr(value, 'tzinfo', None) else 'time'} {_iso(value)}"
    if isinstance(value, timedelta):
        return f"duration {value // timedelta(microseconds=1)} us"
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


def _iso(value: date) -> str:
    return (
        value.astimezone(UTC).isoformat() if getattr(value, "tzinfo", None) else value.isoformat()
    )


def _spark_values(session: Any, expression: str) -> list[Any]:
    def run(rows: pa.Table) -> list[Any]:
        frame = session.createDataFrame(rows).selectExpr(
            *(f"cast({n} as timestamp_ntz) as {n}" if n == "w" else f"`{n}`" for n in NAMES)
        )
        return [plain(v) for v in frame.selectExpr(expression).toArrow().column(0).to_pylist()]

    try:
        return run(TABLE)
    except Exception:  # whatever Spark refuses, it may be for one row only
        return [_one(run, row) for row in range(TABLE.num_rows)]


def _one(run: Any, row: int) -> Any:
    try:
        return run(TABLE.take([row]))[0]
    except Exception as error:
        names = re.findall(r"\[([A-Z_.]+)\]", str(error))
        return {"error": names[0] if names else type(error).__name__}


def main() -> None:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.sql.session.timeZone", "UTC")
    session = builder.config("spark.ui.enabled", False).getOrCreate()
    for line in Path(sys.argv[1]).read_text().splitlines():
        if line and not line.startswith("#"):
            print(json.dumps({"sql": line, "values": _spark_values(session, line)}), flush=True)


if __name__ == "__main__":
    main()
