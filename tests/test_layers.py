"""Imports go one way (DESIGN, layout): whoever stands lower knows nothing of those above."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import tocsin

SOURCE = Path(tocsin.__file__).parent

MAY_IMPORT = {
    "errors": set(),
    "language": {"errors"},
    "semantics": {"errors", "language"},
    "laws": {"errors", "language"},
    "analysis": {"errors", "language"},
    "engine": {"errors", "language"},
    "tables": {"errors", "language", "analysis", "semantics", "engine"},
    "spark": {"errors", "language", "analysis", "engine", "tables"},
    "detection": {"errors", "language", "analysis", "tables", "spark"},
    "show": {"errors", "language", "analysis", "engine", "tables", "detection"},
    "explaining": {"errors", "language", "tables", "spark", "show"},
    "cli": {
        *("errors", "language", "laws", "analysis", "engine", "tables", "spark", "detection"),
        "show",
    },
    "__init__": {"errors", "language", "detection", "explaining"},
}
"""What each folder, or module beside the folders, may import of the others."""


def imported(path: Path) -> Iterator[str]:
    """The folders of the package that a module imports from, wherever the import stands."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            names = [node.module or ""]
            if node.module == "tocsin":
                names = [f"tocsin.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("tocsin.") and name != "tocsin.__version__":
                yield name.split(".")[1]


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_what_stands_below_it(path: Path) -> None:
    place = path.relative_to(SOURCE)
    own = place.parts[0].removesuffix(".py")
    others = set(imported(path)) - {own}
    assert others <= MAY_IMPORT[own], f"{place} imports {sorted(others - MAY_IMPORT[own])}"


def test_the_layers_have_no_cycle() -> None:
    """The table itself: each layer can be named after all that it may import."""
    named: set[str] = set()
    while len(named) < len(MAY_IMPORT):
        free = {layer for layer, below in MAY_IMPORT.items() if below <= named} - named
        assert free, f"a cycle among {sorted(MAY_IMPORT.keys() - named)}"
        named |= free


def test_oracle_and_engine_know_nothing_of_each_other() -> None:
    """Whatever the table says: the one judges the other (DESIGN, style 5)."""
    for layer, other in (("semantics", "engine"), ("engine", "semantics")):
        for path in (SOURCE / layer).rglob("*.py"):
            assert other not in set(imported(path)), path


def test_kernels_know_neither_spark_nor_the_clock_on_the_wall() -> None:
    """DESIGN, style 7."""
    forbidden = {"time", "datetime", "pyspark", "random", "threading"}
    for path in (SOURCE / "engine" / "kernels").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                assert not forbidden & {alias.name.split(".")[0] for alias in node.names}, path
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] not in forbidden, path
