"""`tocsin explain`, `tocsin laws`, and the program itself."""

from __future__ import annotations

import json

import pytest

import tocsin
from tocsin.cli import main


def test_explain_says_what_starts_and_ends(capsys) -> None:
    assert main(["explain", "(A | B) ; C", "--define", "C=size > 3"]) == 0
    out = capsys.readouterr().out
    assert "An occurrence starts with A or B." in out
    assert "C  rows where size > 3" in out


def test_explain_as_data(capsys) -> None:
    assert main(["explain", "(A ; B) within 2s - C", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [step["operator"] for step in data["steps"]] == ["without", "within", "then"]
    assert data["starts"] == ["A"]
    assert data["ends"] == ["B"]


def test_explain_shows_where_a_pattern_is_wrong(capsys) -> None:
    assert main(["explain", "A && B"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("tocsin: line 1, column 3:")
    assert said[1:] == ["  A && B", "    ^"]


@pytest.mark.parametrize(("paper", "count"), [("003", 38), ("000", 12), (None, 50)])
def test_laws(capsys, paper: str | None, count: int) -> None:
    chosen = ["--paper", paper] if paper else []
    assert main(["laws", *chosen, "--format", "json"]) == 0
    laws = json.loads(capsys.readouterr().out)
    assert len(laws) == count
    assert {law["paper"] for law in laws} == ({paper} if paper else {"003", "000"})
    assert main(["laws", *chosen]) == 0
    table = capsys.readouterr().out
    assert "A | B ≡ B | A" in table or paper == "000"
    assert "A | B ≅ B | A" in table or paper == "003"


def test_version(capsys) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tocsin {tocsin.__version__}\n"


@pytest.mark.parametrize("command", [[], ["detect"], ["explain"], ["laws"]])
def test_help(capsys, command: list[str]) -> None:
    assert main([*command, "--help"]) == 0
    assert "Usage: tocsin" in capsys.readouterr().out


def test_no_command_shows_help(capsys) -> None:
    assert main([]) == 2
    assert "Usage: tocsin" in capsys.readouterr().out


def test_an_unknown_command(capsys) -> None:
    assert main(["detcet"]) == 2
    assert capsys.readouterr().err.startswith("tocsin: No such command 'detcet'")
