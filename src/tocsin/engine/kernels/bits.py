"""Walking the set bits of an integer."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic


@intrinsic
def lowest(_context: Any, word: Any) -> Any:
    """The number of the lowest set bit of a 64-bit integer, 64 if none is: one instruction."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), generate
