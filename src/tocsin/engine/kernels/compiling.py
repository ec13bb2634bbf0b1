"""How kernels are compiled, and where the machine code is kept between processes.

Numba's own cache stamps only the file a function stands in: a changed helper in another file would
leave its callers stale. So each module has a cache folder named by the version and a hash of its
source and of those it imports, and where no folder can be written, kernels are compiled anew,
never refused.
"""

from __future__ import annotations

import ast
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba

from tocsin import __version__

HERE = Path(__file__).parent
PACKAGE = "tocsin.engine.kernels."


@cache
def sources(module: str) -> frozenset[str]:
    """The kernel modules that a kernel module is made of: itself and what it imports from here."""
    found, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            tree = ast.parse((HERE / f"{name}.py").read_bytes())
            imported = (n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom))
            waiting += [m.removeprefix(PACKAGE) for m in imported if m.startswith(PACKAGE)]
    return frozenset(found)


@cache
def cache_folder(module: str) -> Path | None:
    """The folder for a module's machine code, made if need be; None where none can be written."""
    digest = hashlib.sha256(f"{__version__} {numba.__version__}".encode())
    try:
        for name in sorted(sources(module)):
            digest.update(name.encode() + b"\0" + (HERE / f"{name}.py").read_bytes())
    except OSError:  # in a zip, or shipped without its source
        return None
    for root in _roots():
        folder = root / f"{__version__}-{module}-{digest.hexdigest()[:16]}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


def _roots() -> Iterator[Path]:
    """Where machine code may be kept, the best place first."""
    if named := os.environ.get("TOCSIN_CACHE_DIR"):
        yield Path(named)
        return
    if caches := os.environ.get("XDG_CACHE_HOME"):
        yield Path(caches) / "tocsin"
    if home := os.environ.get("HOME"):
        yield Path(home) / ".cache" / "tocsin"
    try:
        # Among everybody's files: what will be run must be written by nobody else.
        shared = Path(tempfile.gettempdir()) / f"tocsin-{os.getuid()}"
        shared.mkdir(mode=0o700, exist_ok=True)
        about = shared.lstat()
    except OSError:
        return
    if about.st_uid == os.getuid() and not about.st_mode & 0o022:
        yield shared


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called, and keep the machine code for next time."""
    folder = cache_folder(function.__module__.removeprefix(PACKAGE))
    if folder is None:
        return numba.njit(nogil=True)(function)
    others = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    try:
        return numba.njit(cache=True, nogil=True)(function)
    finally:
        numba.config.CACHE_DIR = others  # type: ignore[attr-defined]
