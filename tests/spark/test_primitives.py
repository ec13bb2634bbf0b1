"""Rows are told which events they are, however many there are to tell (SPEC §1)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import reduce
from typing import Any

import pytest

import tocsin as tc
from tocsin.engine.plan import WORD
from tocsin.language.nodes import Expression, Primitive
from tocsin.spark.columns import Columns
from tocsin.spark.factoring import Factor, factors
from tocsin.spark.primitives import Primitives, functions


def named(count: int) -> list[Any]:
    return [tc.event(f"é{n}") for n in range(count)]


def defined(count: int) -> list[Any]:
    return [tc.event(f"e{n}", f"type = 'é{n}' and time >= 0") for n in range(count)]


def both(count: int) -> list[Any]:
    return [*named(count)[::2], *defined(count)[1::2]]


@pytest.mark.parametrize("make", [named, defined, both])
@pytest.mark.parametrize("count", [3, 7, 70])
def test_each_row_is_what_it_is(spark: Any, make: Any, count: int) -> None:
    rows = [(time, None if time % 5 == 0 else f"é{time % (count + 2)}") for time in range(300)]
    frame = spark.createDataFrame(rows, "time long, type string")
    events = make(count)
    names = {f"é{event.name[1:]}": event.name for event in events}
    pattern: Expression = reduce(lambda a, b: a | b, events)
    found = tc.detect(pattern, frame).selectExpr("start", "events[0].name").collect()
    assert sorted(map(tuple, found)) == [(t, names[kind]) for t, kind in rows if kind in names]


def test_many_conditions_are_asked_once_and_in_small_methods(spark: Any) -> None:
    """Each stands twice before the shuffle (see `_apart`), not in a filter as well. No method is
    too large for the JVM, since the value that tells them apart is looked up in one of its own."""
    frame = spark.createDataFrame([(1, "é1")], "time long, type string")
    pattern: Expression = reduce(lambda a, b: a | b, defined(20))
    plan = tc.detect(pattern, frame)._jdf.queryExecution()
    assert plan.optimizedPlan().toString().count("= é19") == 2
    words = Primitives(frame, Columns.of(frame), primitives(defined(60)), type="type").words()
    made = spark.range(3).selectExpr("id as time", "string(id) as type").select(*words)
    debug = spark._jvm.org.apache.spark.sql.execution.debug
    stages = debug.package.codegenStringSeq(made._jdf.queryExecution().executedPlan())
    assert stages.size() == 1
    assert stages.apply(0)._3().maxMethodCodeSize() < 8000
    assert stages.apply(0)._2().count("ExpressionImplUtils.crc32") == 1


def primitives(events: Sequence[Any]) -> list[Primitive]:
    return [Primitive(event.name, event.predicate) for event in events]


COLUMNS = (
    "Kind string, note string, `a b` string, low string collate UTF8_LCASE, n long, "
    "s struct<kind: string>, b boolean"
)
TEXTS = ["a", "b", "A", "é", "", " ", "a ", "it's", "c d", "%", "${x}", "\\", "\n", "-- a", '"']
WRITTEN = [
    "'a'", "'b'", "'A'", "'é'", "''", "' '", "'a '", "'it''s'", "'it\\'s'", '"a"', "r'a'", "'c d'",
    "'%'", "'\\\\'", "'\\n'", "r'\\n'", "'a' 'b'", "'-- a'", "'a' || ''", "null", "'\\141'",
]  # fmt: skip
TESTS = [
    "{c} = {t}", "{t} = {c}", "{c} == {t}", "{c} <=> {t}", "{c} <> {t}", "{c} in ({t}, {u})",
    "{c} not in ({t}, {u})", "not {c} = {t}", "!{c} = {t}", "{c} = {t} is null", "{c} = {u} = b",
    "upper({c}) = {t}", "{c} = {t} collate UTF8_LCASE", "n between 1 and 2", "n >= {n}", "b",
    "n between 1 and n", "startswith({c}, {t})", "({c} = {t})", "{c} is not distinct from {t}",
    "case when b and {c} = {t} then b else n > 1 end", "exists(array({c}), x -> x = {t} and b)",
    "b = ({c} = {t})", "{c} = {t} /* and b */", "/* {c} = */ b", "1 / n > 0.4",
]  # fmt: skip


def condition(chance: random.Random, depth: int = 2) -> str:
    """A random condition, most often a conjunction."""
    if depth and chance.random() < 0.7:
        word = chance.choice([" and ", " AND ", "\nand ", " and ", " or "])
        left, right = condition(chance, depth - 1), condition(chance, depth - 1)
        whole = f"{left}{word}{right}"
        return chance.choice(["{}", "{}", "({})", "(({}))", "not ({})"]).replace("{}", whole)
    column = chance.choice(["kind", "Kind", "KIND", "`kind`", "note", "`a b`", "low", "s.kind"])
    test = chance.choice(TESTS[:6] * 3 + TESTS)
    likely = WRITTEN[:8] if chance.random() < 0.7 else WRITTEN
    return test.format(
        c=column, t=chance.choice(likely), u=chance.choice(likely), n=chance.randrange(3)
    )


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_what_is_looked_up_first_is_what_is_asked(
    spark: Any, ansi: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random conditions, some of them nothing but a value, some shared, and names with them: each
    row is what each of them says by itself."""
    seed = random.randrange(10**6)
    print("seed", seed)
    chance = random.Random(seed)
    monkeypatch.setattr("tocsin.spark.factoring.ENOUGH", 2)

    def value() -> str | None:
        return chance.choice(TEXTS[:4] * 3 + [*TEXTS, None, None])

    rows = [
        (value(), value(), value(), value(), chance.choice([None, 1, 2, 3]), (value(),),
         chance.choice([None, True, False]))
        for _ in range(300)
    ]  # fmt: skip
    frame = spark.createDataFrame(rows, COLUMNS)
    texts = [condition(chance) for _ in range(90)]
    events = [tc.event(f"e{n}", text) for n, text in enumerate(texts)]
    names = [tc.event(name) for name in TEXTS[:4]]
    asked = primitives(chance.sample([*events, *names], len(events) + len(names)))
    before = spark.conf.get("spark.sql.ansi.enabled")
    try:
        spark.conf.set("spark.sql.ansi.enabled", ansi)
        f, found = functions(frame), Primitives(frame, Columns.of(frame), asked, type="KIND")
        each = [
            f.col("kind") == p.name if p.predicate is None else f.expr(p.predicate) for p in asked
        ]
        table = frame.select(f.array(*found.words()), f.array(*each)).collect()
    finally:
        spark.conf.set("spark.sql.ansi.enabled", before)
    for n, (bits, truths) in enumerate(table):
        wrong = [
            p
            for k, (p, truth) in enumerate(zip(asked, truths, strict=True))
            if (bits[k // WORD] >> k % WORD & 1) != (truth is True)
        ]
        assert not wrong, (seed, rows[n], wrong)


@pytest.mark.parametrize(
    ("text", "column", "values"),
    [
        ("kind = 'a' and n > 3", "Kind", "a"),
        ("n > 3 and ('a' = KIND and (b))", "Kind", "a"),
        ("`kind` in ('a', 'b') and b", "Kind", "ab"),
        ("b and `a b` = 'é'", "a b", "é"),
        ("kind = ''", "Kind", None),
        ("kind = 'a' or b", None, ""),
        ("not kind = 'a'", None, ""),
        ("not (kind = 'a' and b)", None, ""),
        ("kind <=> 'a'", None, ""),
        ("kind = 'a' is null", None, ""),
        ("kind = 'a' 'b'", None, ""),
        ("kind = 'it''s'", None, ""),
        ("kind = 'a' and n = '\\\\'", None, ""),
        ("kind = 'a' -- and\n or b", None, ""),
        ('kind = "a"', None, ""),
        ("kind = '${a}'", None, ""),
        ("kind in ('a', null)", None, ""),
        ("kind not in ('a')", None, ""),
        ("kind = 'a' collate UTF8_LCASE", None, ""),
        ("low = 'a'", None, ""),
        ("s.kind = 'a'", None, ""),
        ("n = '1'", None, ""),
        ("missing = 'a'", None, ""),
    ],
)
def test_only_what_is_certain_is_looked_up(
    spark: Any, text: str, column: str | None, values: str | None
) -> None:
    columns = Columns.of(spark.createDataFrame([], COLUMNS))
    found = factors(text, columns)
    expected = frozenset([""] if values is None else values)
    assert [(x.column, x.values) for x in found] == ([(column, expected)] if column else [])


def test_blanks_after_a_char_make_no_difference(spark: Any) -> None:
    """Spark pads both sides of `kind = 'a'`, if `kind` is a CHAR; it notes that with the column."""
    padded = spark.createDataFrame([], "kind string").withMetadata(
        "kind", {"__CHAR_VARCHAR_TYPE_STRING": "char(3)"}
    )
    assert factors("kind = 'a'", Columns.of(padded)) == []
    plain = spark.createDataFrame([], "kind string")
    assert factors("kind = 'a'", Columns.of(plain)) == [Factor("kind", frozenset("a"), whole=True)]
