"""What a pattern says, and what its detection in given events would do, in words."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from tocsin.errors import DefinitionError
from tocsin.language.nodes import Expression
from tocsin.show import explain as words
from tocsin.show import plan as plans
from tocsin.tables.arguments import expression
from tocsin.tables.call import Arguments, Call, asked
from tocsin.tables.source import comes_from

WIDTH = 100


class Explanation(str):
    """A text that shows itself as it is, also where Python would show its quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def explain(
    pattern: str | Expression | Mapping[str, str | Expression],
    events: Any = None,
    **arguments: Unpack[Arguments],
) -> Explanation:
    """Say what a pattern looks for and, given the events, what its detection would do.

    pattern: text or an expression, or several by name.
    events: a Spark DataFrame, of which it is said what Spark will read, drop, move and keep;
        nothing runs. Anything else is detected in this process, by the plan that is shown.
    The further arguments are those of `tocsin.detect`.

    >>> from tocsin import explain
    >>> explain("A ; B")
    Pattern
      A ; B
    <BLANKLINE>
    What it says
      1 then  A, then B, each after the end of the one before
    <BLANKLINE>
    Events
      A  rows whose type is 'A'
      B  rows whose type is 'B'
    <BLANKLINE>
    Start and end
      An occurrence starts with A.
      It ends with B, and is detected then.
    <BLANKLINE>
    Plan
    node  of    finds  keeps for each key              bounded
    ───────────────────────────────────────────────────────────
    0           A      nothing                         yes
    1           B      nothing                         yes
    2     0, 1  A ; B  the one of 0 that started last  yes
    <BLANKLINE>
    State is bounded by the pattern alone, whatever the events.
    """
    several = isinstance(pattern, Mapping)
    given = pattern if isinstance(pattern, Mapping) else {"": expression(pattern, "the pattern")}
    call = asked(given, **arguments)
    out = io.StringIO()
    console = Console(file=out, width=WIDTH, highlight=False, markup=False, emoji=False)
    for label, wanted in call.patterns.items():
        if several:
            console.print(Rule(label, align="left"), "")
        words.show(wanted, console)
        if several:
            console.print()
    if comes_from(events, "pyspark"):
        _in_spark(call, events, console)
    else:
        reading = call.reading
        for wanted in call.patterns.values():
            plan = plans.plan_of(wanted, reading.semantics, reading.basis, reading.policy)
            plans.show(plan, console)
    return Explanation("\n".join(line.rstrip() for line in out.getvalue().strip().splitlines()))


def _in_spark(call: Call, frame: Any, console: Console) -> None:
    from tocsin.spark import batch  # Spark takes a while to import
    from tocsin.spark.words import in_spark

    if frame.isStreaming:
        raise DefinitionError(
            "events is a stream, which is not explained",
            hint="explain a table with the same columns, as spark.read gives it",
        )
    result = batch.detect(call, frame)
    query = batch.Query.of(call, frame)
    console.print("\nIn Spark")
    console.print(_grid(in_spark(query, frame)))
    for plan in query.plans:
        plans.show(plan, console)
    console.print("\nResult")
    console.print(_grid((f.name, f.dataType.simpleString()) for f in result.schema.fields))


def _grid(rows: Iterable[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, text in rows:
        table.add_row(Text(f"  {name}"), Text(text))
    return table
