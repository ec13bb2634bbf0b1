"""A state as bytes: it comes back as it was, or is refused and changes nothing."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest

from tocsin.engine import saving
from tocsin.engine.blocks import Batch
from tocsin.engine.detector import Detector
from tocsin.engine.plan import Plan, make_plan
from tocsin.errors import DataError
from tocsin.language.parser import parse

TEXT = "((A ; B) within 90 ; A)#3 | absent(B, 40)"


def plan_of(text: str = TEXT, **settings: object) -> Plan:
    return make_plan({"p": parse(text)}, **settings)  # type: ignore[arg-type]


def events(plan: Plan, first: int, count: int, keys: int = 5) -> Batch:
    """A few rows of each key, from an instant on."""
    random = np.random.default_rng(first)
    key = np.repeat(np.arange(keys), count)
    time = first + np.tile(np.arange(count), keys)
    bits = 1 << random.integers(0, len(plan.primitives), key.size)
    return Batch(key, time, time, bits.reshape(1, -1), np.arange(key.size))


def used(plan: Plan) -> Detector:
    detector = Detector(plan)
    detector.advance(events(plan, 0, 50), 60)
    return detector


def answer(detector: Detector) -> dict[str, list[object]]:
    """What the detector says next, so that two can be compared."""
    found = detector.advance(events(detector.plan, 100, 50), 200)["p"]
    return {name: column.tolist() for name, column in vars(found).items()}


def rewritten(saved: bytes, **metadata: str) -> bytes:
    """The same state with other metadata."""
    table = pa.ipc.open_stream(saved).read_all()
    old = {k.decode(): v.decode() for k, v in table.schema.metadata.items()}
    table = table.replace_schema_metadata(old | metadata)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def test_a_round_trip() -> None:
    plan = plan_of()
    detector = used(plan)
    saved = detector.save()
    again = Detector.load(plan, saved)
    assert again.save() == saved
    expected = answer(detector)
    assert len(expected["key"]) > 20
    assert answer(again) == expected
    assert answer(Detector.load(plan, saved)) == expected


def test_the_bytes_are_arrow_and_hold_integers_only() -> None:
    table = pa.ipc.open_stream(used(plan_of()).save()).read_all()
    assert table.num_rows == 1
    for column in table.columns:
        fields = column.type.value_type
        assert {fields.field(i).type for i in range(fields.num_fields)} == {pa.int64()}
    assert table.schema.metadata[b"tocsin.state.version"] == str(saving.VERSION).encode()


def test_a_state_is_small() -> None:
    """What no occurrence can be made of any more is not saved."""
    plan = plan_of("(A ; B) within 5")
    detector = Detector(plan)
    detector.advance(events(plan, 0, 1000, keys=50), 1000)
    assert len(detector.save()) < 12_000
    detector.advance(events(plan, 2000, 1, keys=1), 2000)
    assert len(detector.save()) < 4_000


@pytest.mark.parametrize(
    "given",
    [b"", b"no state", b"\x80\x04\x95", bytes(1000), b"ARROW1\0\0" + bytes(100), "text", None],
    ids=["empty", "text", "pickle", "zeros", "arrow-file", "str", "None"],
)
def test_what_is_no_state_is_refused(given: bytes) -> None:
    with pytest.raises(DataError, match="these bytes are no saved state; load what"):
        Detector.load(plan_of(), given)


def test_another_arrow_table_is_refused() -> None:
    sink = pa.BufferOutputStream()
    table = pa.table({"a": [1, 2]})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(DataError, match="no saved state"):
        Detector.load(plan_of(), bytes(sink.getvalue()))


def test_another_version_is_refused() -> None:
    plan = plan_of()
    saved = rewritten(used(plan).save(), **{"tocsin.state.version": "99"})
    with pytest.raises(DataError, match="has version 99, this Tocsin reads version"):
        Detector.load(plan, saved)


@pytest.mark.parametrize(
    "other",
    [
        plan_of("((A ; B) within 91 ; A)#3 | absent(B, 40)"),
        plan_of("((A ; B) within 90 ; A)#2 | absent(B, 40)"),
        plan_of("((A ; C) within 90 ; A)#3 | absent(C, 40)"),
        plan_of("((A ; B) within 90 ; A using recent)#3 | absent(B, 40)"),
        plan_of(semantics="recent"),
        plan_of(basis="point"),
        plan_of(report="repeated"),
        plan_of(durative=True),
        plan_of(tick=1000),
        make_plan({"q": parse(TEXT)}),
        make_plan({"p": parse(TEXT), "q": parse("A")}),
    ],
)
def test_the_state_of_another_plan_is_refused_and_changes_nothing(other: Plan) -> None:
    saved = used(plan_of()).save()
    with pytest.raises(DataError, match="belongs to other patterns or settings"):
        Detector.load(other, saved)
    detector = Detector(other)
    before = detector.save()
    with pytest.raises(DataError):
        saving.load(detector, saved)
    assert detector.save() == before


def test_a_predicate_makes_another_plan() -> None:
    """The text says the same, but an A is another event."""
    with_predicate = parse("A ; B", {"A": "amount > 5"})
    other = parse("A ; B", {"A": "amount > 6"})
    saved = Detector(make_plan({"p": with_predicate})).save()
    with pytest.raises(DataError, match="other patterns"):
        Detector.load(make_plan({"p": other}), saved)


def test_damaged_bytes_are_refused_or_harmless() -> None:
    """Bits flipped, ends cut off: never a crash, never another answer."""
    plan = plan_of()
    saved = used(plan).save()
    expected = answer(Detector.load(plan, saved))
    random = Random(3)
    refused = 0
    for _ in range(400):
        damaged = bytearray(saved)
        if random.random() < 0.2:
            damaged = damaged[: random.randrange(len(damaged))]
        else:
            for _ in range(random.choice([1, 1, 4])):
                damaged[random.randrange(len(damaged))] ^= 1 << random.randrange(8)
        try:
            detector = Detector.load(plan, bytes(damaged))
        except DataError:
            refused += 1
            continue
        assert answer(detector) == expected
    assert refused > 200
