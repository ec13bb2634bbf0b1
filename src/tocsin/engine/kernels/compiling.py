"""How kernels are compiled, and where the machine code is kept between processes.

Numba's own cache stamps only the file a function stands in: a changed helper in another file would
leave its callers stale. It also goes by where that file is: a package that Spark unpacks elsewhere
for each application, or that is in a zip, would be compiled each time. So each module has a cache
folder named by the version and a hash of its source and of those it imports, with a copy of the
source in it, and kernels say that they stand there. Where no folder can be written, kernels are
compiled anew, never refused.
"""

from __future__ import annotations

import ast
import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from pkgutil import get_data
from typing import Any

import numba

from tocsin import __version__
from tocsin.engine.keeping import roots

PACKAGE = "tocsin.engine.kernels."


@cache
def source(module: str) -> bytes:
    """What a kernel module is written in, also if it is in a zip."""
    found = get_data(PACKAGE.rstrip("."), f"{module}.py")
    if found is None:
        raise OSError(f"{module} has no source")
    return found


@cache
def sources(module: str) -> frozenset[str]:
    """The kernel modules that a kernel module is made of: itself and what it imports from here."""
    found, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            tree = ast.parse(source(name))
            imported = (n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom))
            waiting += [m.removeprefix(PACKAGE) for m in imported if m.startswith(PACKAGE)]
    return frozenset(found)


@cache
def cache_folder(module: str) -> Path | None:
    """The folder for a module's machine code, made if need be; None where none can be written."""
    digest = hashlib.sha256(f"{__version__} {numba.__version__}".encode())
    try:
        for name in sorted(sources(module)):
            digest.update(name.encode() + b"\0" + source(name))
    except OSError:  # shipped without its source
        return None
    for root in roots():
        folder = root / f"{__version__}-{module}-{digest.hexdigest()[:16]}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _copy(source(module), folder / f"{module}.py")
            return folder
        except OSError:
            continue
    return None


def _copy(content: bytes, to: Path) -> None:
    """Write a file that may be there already, or is being written by others; find out if we may."""
    handle, temporary = tempfile.mkstemp(dir=to.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        if not to.exists():
            os.replace(temporary, to)
    finally:
        Path(temporary).unlink(missing_ok=True)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called, and keep the machine code for next time."""
    module = function.__module__.removeprefix(PACKAGE)
    folder = cache_folder(module)
    if folder is None:
        return numba.njit(nogil=True)(function)
    function.__code__ = function.__code__.replace(co_filename=str(folder / f"{module}.py"))
    others = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = ""  # type: ignore[attr-defined]  # so beside the file
    try:
        return numba.njit(cache=True, nogil=True)(function)
    finally:
        numba.config.CACHE_DIR = others  # type: ignore[attr-defined]
