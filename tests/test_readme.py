"""The pages do not rot: every command, piece of code and worked example in them runs."""

from __future__ import annotations

import doctest
import re

import pages
import pytest

import tocsin as tc
from tocsin.language.settings import SEMANTICS


def all_blocks(*kinds: str) -> list[pages.Block]:
    return [block for page in pages.PAGES for block in pages.blocks(page, *kinds)]


@pytest.fixture
def ready(block, tmp_path, monkeypatch, request) -> None:
    """A folder with what the page needs, and Spark if the block does."""
    if pages.needs_spark(block):
        request.getfixturevalue("spark")
    pages.prepare(tmp_path, block.page)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("block", all_blocks("console"), ids=str)
def test_commands_print_what_the_page_says(block) -> None:
    for command, output in pages.commands(block):
        assert pages.run(command) == output, command


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("block", all_blocks("python"), ids=str)
def test_code_runs(block, tmp_path, capsys) -> None:
    # Spark looks for files where it was started.
    text = block.text.replace('read.csv("', f'read.csv("{tmp_path}/')
    if ">>>" in block.text:
        test = doctest.DocTestParser().get_doctest(block.text, {}, str(block), None, block.line)
        failed, _ = doctest.DocTestRunner().run(test)
        assert not failed, capsys.readouterr().out
    else:
        exec(compile(text, str(block), "exec"), {})


GIVEN = ("events", "pattern", "until", "unit", "basis", "report", "policy")


def worked_examples() -> list:
    """Per `found:` or semantics line: the place, pattern, events, options, and what is found."""
    examples = []
    for block in all_blocks("tocsin"):
        given: dict[str, str] = {}
        for offset, line in enumerate(block.text.splitlines(), start=1):
            word, _, value = (piece.strip() for piece in line.partition(":"))
            if word == "found" or word in SEMANTICS:
                options = {k: v for k, v in given.items() if k not in ("events", "pattern")}
                options["semantics"] = "restricted" if word == "found" else word
                place = f"{block.page.name}:{block.line + offset}"
                examples.append(
                    pytest.param(given["events"], given["pattern"], options, value, id=place)
                )
            else:
                assert word in GIVEN, line
                given[word] = value
    return examples


@pytest.mark.parametrize(("events", "pattern", "options", "found"), worked_examples())
def test_worked_examples(events: str, pattern: str, options: dict, found: str) -> None:
    if "until" in options:
        options = options | {"until": int(options["until"])}
    rows = [
        (name, int(start), int(end or start))
        for name, start, end in re.findall(r"([A-Z]+)(\d+)(?:-(\d+))?", events)
    ]
    occurrences = tc.detect(pattern, rows, **options)
    assert "   ".join(map(_shown, occurrences)) == found


def _shown(occurrence) -> str:
    late = f"!{occurrence.detected}" if occurrence.detected != occurrence.end else ""
    events = " ".join(f"{e.name}@{e.end}" for e in occurrence.events)
    return f"[{occurrence.start}, {occurrence.end}]{late} {events}".strip()


def test_every_operator_of_the_readme_has_a_worked_example() -> None:
    readme, reference = (
        page.read_text(encoding="utf-8")
        for page in (pages.ROOT / "README.md", pages.ROOT / "docs" / "language.md")
    )
    table = readme.split("## The language")[1].split("## ")[0]
    texts = [
        row.split("` |")[0].strip("| `") for row in table.splitlines() if row.startswith("| `")
    ]
    assert len(texts) == 20
    for text in texts:
        tc.parse(text.replace("\\|", "|").split("`, `")[0])
    examples = [line for line in reference.splitlines() if line.startswith("pattern:")]
    for sign in [
        "|",
        "&",
        ";",
        "-",
        "within",
        "not(",
        "any(",
        "aperiodic(",
        "aperiodic*(",
        "periodic(",
        "periodic*(",
        "plus(",
        "delay(",
        "#",
        "absent(",
        "both(",
        "either(",
        "every(",
        "nothing",
        "using",
    ]:
        assert any(sign in line for line in examples), sign


def test_the_table_of_semantics_is_right() -> None:
    readme = (pages.ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.split("## Which occurrences count")[1].split("## ")[0]
    rows = [row.split("|")[1:3] for row in table.splitlines() if row.startswith("| `")]
    (_, title), *rows = rows
    events = [(word[0], int(word[1])) for word in title.split("`")[1].split()]
    assert len(rows) == len(SEMANTICS)
    for semantics, shown in rows:
        found = tc.detect("A ; B", events, semantics=semantics.split("`")[1])
        texts = [" ".join(f"{e.name}{e.end}" for e in o.events) for o in found]
        assert ", ".join(texts) == shown.strip()


def test_links_lead_somewhere() -> None:
    for page in pages.PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
