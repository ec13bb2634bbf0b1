"""Tables of random events in Parquet to measure Spark with: made once, the same each time."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DAY = 86_400_000_000
BEGIN = 1_760_000_000_000_000
FILES = 10
HOT = "user000000"
"""Who has every other event of a table that is `skewed`."""

TYPES = {
    "type": ["B", "P", "T"],
    "step": ["A", "B", "C", "D"],
    "sort": [f"E{number}" for number in range(1, 16)],
    "kind": [f"k{number:02}" for number in range(60)],
}
"""Columns by which a row can be told what it is; in each, all values are as likely."""


def table(folder: Path, name: str, make: Callable[[int], pa.Table]) -> str:
    """A folder of files, each made from its number; used again if it is there."""
    place = folder / name
    if not place.exists():
        unfinished = folder / f"{name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        for number in range(FILES):
            pq.write_table(make(number), unfinished / f"{number:02}.parquet")
        unfinished.rename(place)
    return str(place)


def events(folder: Path, count: int, keys: int) -> str:
    """A day of events in time order, by as many users, with an address and an amount each."""
    return table(folder, f"events-{count}-{keys}", lambda n: _file(n, count // FILES, keys))


def skewed(folder: Path, count: int, keys: int) -> str:
    """The same, but every other event is of `HOT`."""
    return table(folder, f"skewed-{count}-{keys}", lambda n: _file(n, count // FILES, keys, 0.5))


def alone(folder: Path, count: int) -> str:
    """As many events of one user as `skewed` has of `HOT`."""
    return table(folder, f"alone-{count}", lambda n: _file(n, count // FILES // 2, 1))


def wide(folder: Path, count: int, keys: int) -> str:
    """The same, with a text of 120 letters in each row, of which there are not many."""
    texts = pa.array([f"{number:05} " + "text of an event " * 7 for number in range(10_000)])

    def make(number: int) -> pa.Table:
        rows = _file(number, count // FILES, keys)
        drawn = np.random.default_rng(number).integers(0, len(texts), rows.num_rows)
        return rows.append_column("text", texts.take(pa.array(drawn)))

    return table(folder, f"wide-{count}-{keys}", make)


def _file(number: int, rows: int, keys: int, first: float = 0.0) -> pa.Table:
    """Some hours of the day; a share of the rows is of the first user."""
    random = np.random.default_rng([number, rows, keys])
    part = DAY // FILES
    time = BEGIN + part * number + np.sort(random.integers(0, part, rows))
    user = np.where(random.random(rows) < first, 0, random.integers(0, keys, rows))
    columns = {
        "user": _chosen([f"user{key:06}" for key in range(keys)], user),
        "time": pa.array(time, pa.timestamp("us", "UTC")),
        "ip": _chosen([f"10.0.{n // 256}.{n % 256}" for n in range(5000)], user * 7 % 5000),
        "amount": pa.array(random.integers(0, 100_000, rows) / 100),
    }
    for name, values in TYPES.items():
        columns[name] = _chosen(values, random.integers(0, len(values), rows))
    return pa.table(columns)


def _chosen(values: list[str], which: np.ndarray) -> pa.Array:
    return pa.array(values).take(pa.array(which))
