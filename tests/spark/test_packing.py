"""Rows through a shuffle: what was packed comes out again, whatever the keys are."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tocsin.spark import packing
from tocsin.spark.packing import BUCKET, Packing, opened, plain, together
from tocsin.tables.ranks import codes, groups

BUCKETS = 5
KEYS: dict[str, tuple[pa.DataType, Any]] = {
    "text": (pa.string(), "user {}".format),
    "bytes": (pa.binary(), lambda n: f"{n}".encode()),
    "bigint": (pa.int64(), lambda n: 2**60 + n),
    "double": (pa.float64(), lambda n: [float("nan"), -0.0, 0.0][n] if n < 3 else n / 7),
    "decimal": (pa.decimal128(20, 3), lambda n: Decimal(n) / 8),
    "date": (pa.date32(), lambda n: date(2026, 1, 1 + n % 28)),
    "timestamp": (pa.timestamp("us"), lambda n: datetime(2026, 1, 1 + n % 28)),
    "boolean": (pa.bool_(), lambda n: bool(n % 2)),
    "struct": (pa.struct({"a": pa.int64()}), lambda n: {"a": n}),
}


def rows(kind: str, count: int, keys: int, seed: int) -> pa.Table:
    """Rows of some keys, and to which bucket each goes."""
    print("seed", seed)
    random = Random(seed)
    numbers = [random.randrange(keys) for _ in range(count)]
    arrow, value = KEYS[kind]
    return pa.table(
        {
            "key": pa.array([value(n) for n in numbers], arrow),
            "n": pa.array(range(count), pa.int64()),
            "text": pa.array([None if n % 3 else "x" * (n % 50) for n in range(count)]),
            "word_0": pa.array([random.randrange(1 << 9) for _ in range(count)], pa.int64()),
            BUCKET: pa.array([n % BUCKETS for n in numbers], pa.int32()),
        }
    )


def through(table: pa.Table, batch: int, records: int = 0) -> dict[int, list[pa.RecordBatch]]:
    """What arrives in each bucket."""
    labels = tuple(range(100, 100 + BUCKETS))
    run = Packing(labels, keys=1, primitives=9, records=records).run
    arrived: dict[int, list[pa.RecordBatch]] = {}
    for made in run(table.to_batches(max_chunksize=batch)):
        assert made.schema.names == ["label", "packet"]
        for place, label in enumerate(made.column("label").to_pylist()):
            arrived.setdefault(label - 100, []).extend(opened([made.slice(place, 1)]))
    return arrived


@pytest.mark.parametrize("most", [1 << 20, 64], ids=["together", "apart"])
@pytest.mark.parametrize("keys", [3, 500])
@pytest.mark.parametrize("kind", KEYS)
def test_rows_arrive_as_they_were(
    kind: str, keys: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "ROWS", most)
    table = rows(kind, 1000, keys, seed=keys)
    for bucket, several in through(table, batch=33).items():
        arrived = together(several)
        own = table.filter(pa.array(table.column(BUCKET).to_numpy() == bucket))
        own = own.drop_columns([BUCKET])
        values = plain(arrived).cast(own.schema).to_pydict()
        assert repr(values) == repr(own.to_pydict())  # NaN is no less itself
        assert arrived.schema.field("word_0").type == pa.uint16()
        if kind != "struct" or keys < 500:
            grouped = groups([arrived.column("key")], len(own))
            assert np.array_equal(grouped, groups([own.column("key")], len(own)))


@pytest.mark.parametrize(("keys", "listed"), [(10, True), (100_000, False)])
def test_a_key_that_recurs_moves_once(keys: int, listed: bool) -> None:
    for several in through(rows("text", 1000, keys, seed=1), 1000).values():
        assert {pa.types.is_dictionary(p.schema.field("key").type) for p in several} == {listed}


def test_packets_with_and_without_lists_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "ROWS", 100)
    few, many = rows("text", 100, 2, seed=1), rows("text", 100, 100_000, seed=2)
    arrived = through(pa.concat_tables([few, many]), batch=100)
    kinds = {p.schema.field("key").type for several in arrived.values() for p in several}
    assert len(kinds) == 2
    for several in arrived.values():
        table = together(several)
        values = [value for p in several for value in p.column("key").to_pylist()]
        assert plain(table).column("key").to_pylist() == values
        assert (
            codes(table.column("key")).to_pylist() == codes(pa.chunked_array([values])).to_pylist()
        )


def test_more_keys_than_short_numbers_can_say() -> None:
    numbers = np.tile(np.arange(40_000), 3)
    table = pa.table({"key": numbers, "word_0": numbers % 7, BUCKET: np.zeros_like(numbers)})
    (several,) = through(table, batch=10_000).values()
    assert {p.schema.field("key").type.index_type for p in several} == {pa.int32()}
    assert np.array_equal(plain(together(several)).column("key").to_numpy(), numbers)


def test_spark_is_kept_from_gathering_too_many_packets(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of `records` rows that follow each other no more than about BYTES are packets.
    monkeypatch.setattr(packing, "BYTES", 20_000)
    monkeypatch.setattr(packing, "ROWS", 200)
    table, records = rows("text", 20_000, 100, seed=3), 100
    packed = Packing(tuple(range(BUCKETS)), keys=1, primitives=9, records=records)
    sizes = [
        0 if packet is None else len(packet)
        for made in packed.run(table.to_batches(max_chunksize=100))
        for packet in made.column("packet").to_pylist()
    ]
    windows = np.convolve(sizes, np.ones(records), "valid")
    assert windows.max() < 2 * 20_000 + max(sizes)
    assert sum(sizes) > 10 * 20_000
