"""What a followed folder was like when its stream began, what is looked for in it, and what has
been told since.

All is kept in the checkpoint, beside what Spark keeps there, for the next start: files may have
gone by then, and another machine has other cores.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from tocsin.errors import DataError

PLACE = "tocsin"
"""A folder in the checkpoint."""

_KINDS = {str(kind): kind for kind in (pa.int64(), pa.timestamp("us"), pa.timestamp("us", "UTC"))}
_FACTS = b"tocsin"


@dataclass(frozen=True)
class Beginning:
    """What a folder was like, and what is looked for in it."""

    folder: Path
    suffixes: Sequence[str]
    schema: pa.Schema
    written: pa.DataType | None
    """The type of times that have to be read."""
    buckets: int
    pattern: str
    events: Mapping[str, str | None]
    """What rows the pattern's names stand for, where that is defined."""

    @classmethod
    def load(cls, checkpoint: Path) -> Beginning | None:
        """What was saved; None in a checkpoint that is yet to be made.

        >>> Beginning.load(Path("nowhere"))
        """
        if not has_begun(checkpoint):
            if checkpoint.is_dir() and any(checkpoint.iterdir()):
                raise DataError(
                    "the folder holds something else than a checkpoint of `tocsin detect`",
                    where=str(checkpoint),
                    hint="name an empty one, or one that there is not yet",
                )
            return None
        file = checkpoint / PLACE / "began"
        schema = pa.ipc.read_schema(pa.py_buffer(file.read_bytes()))
        facts = json.loads(schema.metadata[_FACTS])
        return cls(
            Path(facts["folder"]),
            facts["suffixes"],
            schema.remove_metadata(),
            _KINDS.get(facts["written"]),
            facts["buckets"],
            facts["pattern"],
            facts["events"],
        )

    def save(self, checkpoint: Path) -> None:
        """Keep it for the next start."""
        facts = {
            "folder": str(self.folder),
            "suffixes": list(self.suffixes),
            "written": str(self.written),
            "buckets": self.buckets,
            "pattern": self.pattern,
            "events": dict(self.events),
        }
        schema = self.schema.with_metadata({_FACTS: json.dumps(facts)})
        _put(checkpoint / PLACE / "began", schema.serialize().to_pybytes())


def has_begun(checkpoint: Path) -> bool:
    """Whether a checkpoint is of a stream that has been started before."""
    return (checkpoint / PLACE / "began").exists()


def has_state(checkpoint: Path) -> bool:
    """Whether a micro-batch has been committed, and with it state.

    >>> has_state(Path("nowhere"))
    False
    """
    return any((checkpoint / "commits").glob("[0-9]*"))


def told(checkpoint: Path) -> int:
    """The last micro-batch whose findings have been told; -1 if none has been.

    >>> told(Path("nowhere"))
    -1
    """
    file = checkpoint / PLACE / "told"
    return int(file.read_text()) if file.exists() else -1


def tell(checkpoint: Path, batch: int) -> None:
    """Note that the findings of a micro-batch have been told."""
    _put(checkpoint / PLACE / "told", str(batch).encode())


def _put(file: Path, value: bytes) -> None:
    """Write a file whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}")
    part.write_bytes(value)
    os.replace(part, file)
