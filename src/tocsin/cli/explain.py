"""`tocsin explain PATTERN`: a pattern in words."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tocsin.cli import options
from tocsin.cli.patterns import pairs, read_pattern
from tocsin.cli.terminal import print_json
from tocsin.show import explain
from tocsin.show import plan as plans
from tocsin.show.screen import screen


class Format(StrEnum):
    """What can come out."""

    text = "text"
    json = "json"


def command(
    pattern: options.PatternText,
    define: options.Define = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Also how it will be detected, and what that keeps.")
    ] = False,
    semantics: options.Semantics = "restricted",
    basis: options.Basis = "interval",
    policy: options.Policy = "synchronous",
    format: Annotated[Format, typer.Option(help="For people or for programs.")] = Format.text,
) -> None:
    """Say in words what a pattern looks for.

    The tree of its operators, what each does, the events, and what starts and ends an occurrence.
    """
    expression = read_pattern(pattern, pairs(define, "--define"))
    if format is Format.json:
        explained = explain.as_json(expression)
        if plan:
            explained["plan"] = plans.as_json(plans.plan_of(expression, semantics, basis, policy))
        print_json(explained)
        return
    explain.show(expression, screen())
    if plan:
        plans.show(plans.plan_of(expression, semantics, basis, policy), screen())
