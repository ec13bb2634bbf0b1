"""The machine code kept between processes: never stale, never in the way (DESIGN on Numba).

Each test runs a process or two on a copy of the package with two small kernels of its own.
"""

from __future__ import annotations

import ast
import compileall
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numba
import pytest

import tocsin
from tocsin.engine.keeping import roots
from tocsin.engine.kernels import compiling

SOURCE = Path(tocsin.__file__).parent
KERNELS = sorted(p for p in Path(compiling.__file__).parent.glob("*.py") if p.name != "__init__.py")

HELPER = """
from tocsin.engine.kernels.compiling import kernel

@kernel
def helped(x):
    return x + {more}
"""
CALLER = """
from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.helper import helped

@kernel
def called(x):
    return 10 * helped(x)
"""
ASK = """
from tocsin.engine.kernels.caller import called
print(called(1), sum(called.stats.cache_hits.values()), sum(called.stats.cache_misses.values()))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, with two kernels in two modules."""
    copy = tmp_path / "lib" / "tocsin"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    kernels = copy / "engine" / "kernels"
    (kernels / "caller.py").write_text(CALLER)
    (kernels / "helper.py").write_text(HELPER.format(more=1))
    return tmp_path


def ask(package: Path, library: str = "lib", **environment: str) -> list[int]:
    """What the kernel answers, and how often it was found in the cache and how often not."""
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        env={"PYTHONPATH": str(package / library), "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()]


def test_a_changed_helper_is_seen_by_its_callers(package: Path) -> None:
    cache = {"TOCSIN_CACHE_DIR": str(package / "cache")}
    assert ask(package, **cache) == [20, 0, 1]
    assert ask(package, **cache) == [20, 1, 0]
    (package / "lib/tocsin/engine/kernels/helper.py").write_text(HELPER.format(more=5))
    assert ask(package, **cache) == [60, 0, 1]


def test_without_a_home_and_with_a_package_that_cannot_be_written(package: Path) -> None:
    """No environment but where to write other files; a home that is a file; nowhere at all."""
    blocked = package / "file"
    blocked.write_text("")
    assert ask(package, TMPDIR=str(package)) == [20, 0, 1]
    assert list(package.glob("tocsin-*/*caller*/**/*.nbi"))
    assert ask(package, TMPDIR=str(package), HOME=str(blocked)) == [20, 1, 0]
    assert ask(package, TOCSIN_CACHE_DIR=str(blocked / "cache")) == [20, 0, 1]
    assert not list((package / "lib").rglob("*.nbi"))


def test_in_a_zip(package: Path) -> None:
    with zipfile.ZipFile(package / "lib.zip", "w") as archive:
        for path in (package / "lib").rglob("*.py"):
            archive.write(path, path.relative_to(package / "lib"))
    assert ask(package, "lib.zip", HOME=str(package)) == [20, 0, 1]
    assert ask(package, "lib.zip", HOME=str(package)) == [20, 1, 0]


def test_unpacked_elsewhere_each_time(package: Path) -> None:
    """As Spark does with an archive for each application and executor."""
    cache = {"TOCSIN_CACHE_DIR": str(package / "cache")}
    assert ask(package, **cache) == [20, 0, 1]
    shutil.copytree(package / "lib", package / "elsewhere")
    assert ask(package, "elsewhere", **cache) == [20, 1, 0]


def test_a_cache_that_was_moved(package: Path) -> None:
    """As when it is shipped with the package."""
    assert ask(package, TOCSIN_CACHE_DIR=str(package / "cache")) == [20, 0, 1]
    (package / "cache").rename(package / "moved")
    assert ask(package, TOCSIN_CACHE_DIR=str(package / "moved")) == [20, 1, 0]


def test_shipped_without_its_source(package: Path) -> None:
    compileall.compile_dir(package / "lib", legacy=True, quiet=1)
    for path in (package / "lib" / "tocsin" / "engine" / "kernels").glob("*.py"):
        path.unlink()
    assert ask(package, HOME=str(package)) == [20, 0, 1]
    assert not list(package.rglob("*.nbi"))


def test_nowhere_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> str:
        raise FileNotFoundError("no usable temporary directory")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    for name in ("TOCSIN_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    assert list(roots()) == []
    monkeypatch.setenv("HOME", os.devnull)
    assert compiling.cache_folder.__wrapped__("streams") is None


def test_the_shared_folder_must_be_our_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Numba's cache is run when it is read: what others could have written is not."""
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    for name in ("TOCSIN_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    (own,) = roots()
    assert own.stat().st_mode & 0o777 == 0o700
    own.chmod(0o777)
    assert list(roots()) == []
    own.rmdir()
    own.symlink_to(tmp_path)
    if os.getuid() == 0:
        os.lchown(own, 12345, 12345)
        assert list(roots()) == []


def test_other_users_of_numba_keep_their_own_cache() -> None:
    before = numba.config.CACHE_DIR

    def doubled(x: int) -> int:
        return 2 * x

    doubled.__module__ = "tocsin.engine.kernels.streams"
    assert compiling.kernel(doubled)(4) == 8
    assert before == numba.config.CACHE_DIR
    assert "tocsin" not in before


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernels_import_so_that_a_change_is_noticed(path: Path) -> None:
    """`sources` looks for `from tocsin.engine.kernels.x import y`; kernels know no other way."""
    allowed = {"__future__", "typing", "numpy", "numpy.typing", "numba", "numba.extending"}
    for node in ast.walk(ast.parse(path.read_bytes())):
        if path.stem == "compiling":
            continue
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= allowed
        if isinstance(node, ast.ImportFrom):
            assert node.module in allowed or (node.module or "").startswith(compiling.PACKAGE)
