"""`tocsin laws`: the table of laws."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from tocsin.cli.terminal import print_json
from tocsin.laws.table import LAWS, Law
from tocsin.show.screen import screen


class Format(StrEnum):
    """What can come out."""

    table = "table"
    json = "json"


class Paper(StrEnum):
    """The papers that have laws."""

    carlson_2007 = "003"
    carlson_lisper_2004 = "000"


def command(
    paper: Annotated[
        Paper | None,
        typer.Option(help="Only those of the algebra of 2007 (003) or of 2004 (000)."),
    ] = None,
    format: Annotated[Format, typer.Option(help="For people or for programs.")] = Format.table,
) -> None:
    """Show the laws: which patterns mean the same.

    A, B and C stand for any patterns, t and u for any durations. Those of 003 hold under the
    semantics `restricted` and `unrestricted`, those of 000 under `restricted-2004`.
    """
    laws = [law for law in LAWS.values() if paper in (None, law.paper)]
    if format is Format.json:
        print_json([_as_data(law) for law in laws])
    else:
        screen().print(_as_table(laws))


def _as_data(law: Law) -> dict[str, str | int | bool | None]:
    return {
        "paper": law.paper,
        "number": law.number,
        "theorem": law.theorem,
        "law": str(law),
        "derived": law.derived,
        "condition": law.condition,
    }


def _as_table(laws: list[Law]) -> Table:
    table = Table("paper", "no.", "law", "theorem", box=box.SIMPLE_HEAD, show_edge=False)
    for law in laws:
        condition = f"  if {law.condition}" if law.condition else ""
        derived = ", derived" if law.derived else ""
        shown = Text.assemble(str(law), (condition, "italic"))
        table.add_row(law.paper, str(law.number), shown, f"{law.theorem}{derived}")
    return table
