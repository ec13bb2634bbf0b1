"""The README and docs as something to run: their commands, code and worked examples.

    .venv/bin/python tests/pages.py     # write what the commands print now into the pages

Fenced blocks by their first word:

- `console`: commands after `$ `, each followed by what it prints, stdout and then stderr (without
  the lines that say how long it took). They run in a folder with the examples in it.
- `csv NAME`: a file of that name in that folder.
- `python`: code, with or without `>>>`.
- `tocsin`: a worked example, `events:`, `pattern:` and what is found under which semantics.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from tocsin.cli import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TOOK = re.compile(r"^tocsin: (\d.* s|Spark took .*)$\n?", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    kind: str
    name: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path, *kinds: str) -> list[Block]:
    """The blocks of a page of these kinds."""
    text = page.read_text(encoding="utf-8")
    found = (
        Block(page, text.count("\n", 0, m.start()) + 1, m[1], m[2], m[3])
        for m in _BLOCK.finditer(text)
    )
    return [block for block in found if block.kind in kinds]


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a console block, which `\\` continues on the next line, and its output."""
    for text in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command = re.match(r"(?:.*\\\n)*.*\n", text)
        assert command
        yield command[0], text[command.end() :]


def needs_spark(block: Block) -> bool:
    """Whether code or a command of a block starts Spark, or finds it started."""
    word = "pyspark" if block.kind == "python" else "tocsin detect"
    return word in block.text and "--engine local" not in block.text


def run(command: str) -> str:
    """What a command prints, at 80 columns, without the lines that say how long it took."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    program, *arguments = shlex.split(command.replace("\\\n", " "))
    assert program == "tocsin", f"a page runs {program}"
    with redirect_stdout(out), redirect_stderr(err), patch.dict(os.environ, {"COLUMNS": "80"}):
        main(arguments)
    out.seek(0)
    printed = out.read() + _TOOK.sub("", err.getvalue())
    return "".join(line.rstrip() + "\n" for line in printed.splitlines())


def prepare(folder: Path, page: Path) -> None:
    """Put the files there that the page's commands and code need."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    for block in blocks(page, "csv"):
        assert block.name
        (folder / block.name).write_text(block.text, encoding="utf-8")


def rewritten(page: Path) -> str:
    """The page with what its commands print now."""

    def block(match: re.Match[str]) -> str:
        if match[1] != "console":
            return match[0]
        body = Block(page, 0, match[1], match[2], match[3])
        shown = "".join(f"$ {command}{run(command)}" for command, _ in commands(body))
        return f"```console\n{shown}```"

    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        prepare(Path(folder), page)
        return _BLOCK.sub(block, page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    for each in PAGES:
        each.write_text(rewritten(each), encoding="utf-8")
        print(each.relative_to(ROOT), file=sys.stderr)
