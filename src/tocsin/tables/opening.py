"""The bytes of a file, as often as somebody wants to read them."""

from __future__ import annotations

import gzip
import io
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import BinaryIO, cast

from tocsin.errors import DataError
from tocsin.tables.progress import tell

BLOCK = 1 << 22
"""How many bytes are read at once; Arrow reads some dozens of such blocks ahead."""


class Bytes:
    """A file's bytes, unpacked if its name ends in .gz; those of a pipe are kept in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept: BinaryIO | None = None
        if not path.is_file():
            self._kept = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - for long
            with path.open("rb") as pipe:
                shutil.copyfileobj(pipe, self._kept)

    def open(self) -> Reading:
        """A new reading from the first byte on."""
        if self._kept is None:
            return Reading(self.path, self.path.open("rb"))
        self._kept.seek(0)
        return Reading(self.path, open(self._kept.fileno(), "rb", closefd=False))


class Reading(io.RawIOBase):
    """Reads a file from its first byte to its last, and counts double quotes on the way."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path, self._file = path, file
        packed = path.suffix.lower() == ".gz"
        self._unpacked = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
        self._size = file.seek(0, io.SEEK_END)
        file.seek(0)
        self.quotes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._unpacked.read(len(buffer))
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataError(
                f"the file cannot be unpacked: {error}",
                where=str(self._path),
                hint="pack it anew with gzip",
            ) from None
        buffer[: len(data)] = data
        self.quotes += data.count(b'"')
        return len(data)

    def report(self) -> None:
        """Say how far the reading has come; not while reading, which Arrow does in its threads."""
        tell("reading", self._file.tell(), self._size)

    def close(self) -> None:
        self._file.close()
        super().close()


def decoded(line: bytes, where: str) -> str:
    """A line as text; what marks a file as UTF-8 is no part of it."""
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"the byte {line[error.start]:#04x} is not UTF-8",
            where=where,
            hint="save the file as UTF-8",
        ) from None
