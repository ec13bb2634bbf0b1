"""How much memory a partition may take, as the session says it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tocsin.errors import DefinitionError
from tocsin.spark.partition import MEMORY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SETTING = "spark.tocsin.memory"
_UNITS = {unit: 1 << (10 * power) for power, unit in enumerate(("b", "k", "m", "g", "t"))}


def memory_of(frame: DataFrame) -> int:
    """The memory for a partition, in bytes."""
    return bytes_of(str(frame.sparkSession.conf.get(SETTING, str(MEMORY))))


def bytes_of(text: str) -> int:
    """A size as Spark's own settings are written.

    >>> bytes_of("512m"), bytes_of("1 GB")
    (536870912, 1073741824)
    >>> bytes_of("much")
    Traceback (most recent call last):
    tocsin.errors.DefinitionError: spark.tocsin.memory is 'much'; write a size, as 512m or 2g
    """
    size = re.fullmatch(r"\s*(\d+)\s*(?:([kmgt]?)i?b?)\s*", text.lower())
    if size is None or not int(size[1]):
        raise DefinitionError(f"{SETTING} is {text!r}", hint="write a size, as 512m or 2g")
    return int(size[1]) * _UNITS[size[2] or "b"]
