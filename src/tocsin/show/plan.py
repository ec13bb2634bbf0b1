"""How a pattern will be detected: the nodes of its plan, and what each keeps."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tocsin.engine.describing import BOUNDED, Line, describe
from tocsin.engine.plan import Plan, make_plan
from tocsin.language.durations import Duration
from tocsin.language.nodes import Expression

MAX_LINES = 60


def plan_of(pattern: Expression, semantics: str, basis: str, policy: str = "synchronous") -> Plan:
    """The plan as it would be for timestamps or, if no duration has a unit, for plain integers."""
    durations = (p for node in pattern.postorder() for p in node.parameters)
    timed = any(isinstance(p, Duration) and p.timed for p in durations)
    return make_plan(
        {str(pattern): pattern},
        semantics=semantics,
        basis=basis,
        tick=1 if timed else None,
        policy=policy,
    )


def as_json(plan: Plan) -> list[dict[str, Any]]:
    """The plan as data."""
    return [
        {
            "node": line.number,
            "operator": line.operator,
            "operands": list(line.operands),
            "pattern": line.text,
            "semantics": line.semantics,
            "keeps": line.keeps,
            "bound": line.bound,
        }
        for line in describe(plan)
    ]


def show(plan: Plan, console: Console) -> None:
    """Print the plan for people."""
    lines = describe(plan)
    console.print(Text("\nPlan", "bold"))
    console.print(_table(lines[:MAX_LINES], several=len({line.semantics for line in lines}) > 1))
    if len(lines) > MAX_LINES:
        console.print(f"… and {len(lines) - MAX_LINES:,} more nodes; --format json has all of them")
    console.print()
    console.print(Text(_summary(lines)))


def _table(lines: list[Line], several: bool) -> Table:
    semantics = ["semantics"] if several else []
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for name in ("node", "of", "finds", *semantics, "keeps for each key", "bounded"):
        table.add_column(name, overflow="fold")
    for line in lines:
        bound = "yes" if line.bound == BOUNDED else line.bound
        of = ", ".join(map(str, line.operands))
        shown = [line.text, *([line.semantics] if several else []), line.keeps, bound]
        table.add_row(str(line.number), of, *(Text(cell) for cell in shown))
    return table


def _summary(lines: list[Line]) -> str:
    loose = [str(line.number) for line in lines if line.bound != BOUNDED]
    if not loose:
        return "State is bounded by the pattern alone, whatever the events."
    nodes = f"node {loose[0]}" if len(loose) == 1 else f"nodes {', '.join(loose)}"
    if any(line.bound == "unbounded" for line in lines):
        return f"State can grow with the events at {nodes}."
    return f"State grows with the events in the window at {nodes}, and no further."
