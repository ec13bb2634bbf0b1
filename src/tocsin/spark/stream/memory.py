"""Where a bucket keeps its bytes between visits: sealed with a checksum, compressed, in pieces."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple, Protocol

import pyarrow as pa

from tocsin.errors import DataError

FORMAT = 1
"""The version of everything that is kept; a state of another one is refused."""

PIECE = 1 << 20
"""Spark is slow with values of more bytes."""

_SEAL = struct.Struct("<BIQ")


class Name(NamedTuple):
    """What something kept is called."""

    kind: str
    """`head`, `rows` (a slice of waiting ones) or `chunk` (the state of some keys)."""
    pattern: str = ""
    number: int = 0


class Memory(Protocol):
    """A map of bytes, as Spark keeps one for each bucket."""

    def get(self, name: Name, piece: int) -> bytes | None:
        """What was put there last."""

    def put(self, name: Name, piece: int, value: bytes) -> None:
        """Keep something."""

    def delete(self, name: Name, piece: int) -> None:
        """Keep it no longer."""


class Store:
    """Whole values in a memory.

    >>> store = Store(Plain())
    >>> store.put(Name("head"), b"tocsin" * 9)
    (1, 34)
    >>> store.get(Name("head")).to_pybytes()[:6]
    b'tocsin'
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def put(self, name: Name, value: bytes | pa.Buffer, before: int = 0) -> tuple[int, int]:
        """Keep a value, in place of one of `before` pieces; how many it makes, and bytes."""
        sealed = seal(value)
        pieces = 1 + len(sealed) // PIECE  # the last is shorter than a full one, if need be empty
        for piece in range(pieces):
            self.memory.put(name, piece, sealed[piece * PIECE : (piece + 1) * PIECE])
        for piece in range(pieces, before):
            self.memory.delete(name, piece)
        return pieces, len(sealed)

    def get(self, name: Name) -> pa.Buffer:
        """A value that is there."""
        found = [self.memory.get(name, 0) or b""]
        while len(found[-1]) == PIECE:
            found.append(self.memory.get(name, len(found)) or b"")
        return unseal(found[0] if len(found) == 1 else b"".join(found), name)

    def has(self, name: Name) -> bool:
        """Whether a value is there."""
        return self.memory.get(name, 0) is not None

    def delete(self, name: Name, pieces: int) -> None:
        """Keep a value no longer."""
        for piece in range(pieces):
            self.memory.delete(name, piece)


def seal(value: bytes | pa.Buffer) -> bytes:
    """A value with its version and checksum, compressed."""
    packed: bytes = pa.compress(value, codec="zstd", asbytes=True)
    return _SEAL.pack(FORMAT, zlib.crc32(packed), len(value)) + packed


def unseal(sealed: bytes, name: Name) -> pa.Buffer:
    """The value, if it is whole.

    >>> unseal(seal(b"value")[:-1], Name("head"))
    Traceback (most recent call last):
    tocsin.errors.DataError: the kept state is damaged (head): its checksum is wrong; \
restore the checkpoint from a copy, or start with an empty one
    """
    if len(sealed) < _SEAL.size:
        raise _damaged(name, "a part of it is missing")
    version, total, size = _SEAL.unpack_from(sealed)
    packed = sealed[_SEAL.size :]
    if version != FORMAT:
        raise DataError(
            f"the checkpoint's state has format {version}, this Tocsin reads format {FORMAT}",
            hint="continue with the Tocsin that wrote it, or start with an empty checkpoint",
        )
    if zlib.crc32(packed) != total:
        raise _damaged(name, "its checksum is wrong")
    return pa.decompress(packed, decompressed_size=size, codec="zstd")


def _damaged(name: Name, why: str) -> DataError:
    what = " ".join(filter(None, (name.kind, repr(name.pattern) if name.pattern else "")))
    return DataError(
        f"the kept state is damaged ({what}): {why}",
        hint="restore the checkpoint from a copy, or start with an empty one",
    )


class Plain:
    """A memory that lasts as long as the process."""

    def __init__(self) -> None:
        self.values: dict[tuple[Name, int], bytes] = {}

    def get(self, name: Name, piece: int) -> bytes | None:
        """What was put there last."""
        return self.values.get((name, piece))

    def put(self, name: Name, piece: int, value: bytes) -> None:
        """Keep something."""
        self.values[name, piece] = value

    def delete(self, name: Name, piece: int) -> None:
        """Keep it no longer."""
        self.values.pop((name, piece), None)

    def __iter__(self) -> Iterator[tuple[Name, int]]:
        return iter(self.values)
