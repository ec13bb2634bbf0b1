"""Where what is made once and used by many processes may be kept."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


def roots(*, to_write: bool = True) -> Iterator[Path]:
    """The folders for what will be run, the best first; whoever writes to one makes it.

    Who only looks leaves nothing behind.
    """
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
        if to_write:
            shared.mkdir(mode=0o700, exist_ok=True)
        about = shared.lstat()
    except OSError:
        return
    if about.st_uid == os.getuid() and not about.st_mode & 0o022:
        yield shared
