"""`tocsin state DIR`: what a stream's checkpoint keeps, key by key."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tocsin.cli.terminal import complain, print_json
from tocsin.errors import DefinitionError
from tocsin.show import state as show
from tocsin.show.screen import screen
from tocsin.tables.output import plain


class Format(StrEnum):
    """What can come out."""

    text = "text"
    json = "json"


def command(
    checkpoint: Annotated[Path, typer.Argument(metavar="DIR", help="The stream's checkpoint.")],
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="COL=VALUE", help="Only keys with this value, and all of them."),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="What is kept of each key; with --key always.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="Show no more keys than this.")] = 20,
    format: Annotated[Format, typer.Option(help="For people or for programs.")] = Format.text,
) -> int:
    """Say what a stream keeps in its checkpoint: how much, and what of each key.

    Partial occurrences with their events, guards, timers, and rows that wait for the watermark, as
    of the last micro-batch that was committed. Reading changes nothing.
    """
    from tocsin.spark.session import local_session, require

    require()
    from tocsin.spark.stream.checkpoint import check_folder, look_into

    wanted = dict(_pair(text) for text in key or ())
    check_folder(checkpoint)  # Spark takes some seconds to say so
    with local_session("tocsin state", memory="1g") as session:
        found = look_into(session, checkpoint, wanted, limit=limit, details=details or bool(wanted))
    if format is Format.json:
        print_json(plain(found))
    else:
        show.show(found, screen())
    if wanted and not found["shown"]:
        values = ", ".join(f"{name} {value}" for name, value in wanted.items())
        return complain(f"nothing is kept of {values}", 0)
    return 0


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise DefinitionError(f"--key {text!r} is not COL=VALUE", hint="write --key user=7")
    return name, value
