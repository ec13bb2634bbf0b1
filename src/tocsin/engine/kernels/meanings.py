"""The settings a kernel gets, as numbers that machine code can switch on."""

from __future__ import annotations

RESTRICTED, UNRESTRICTED, RECENT, CHRONICLE, CONTINUOUS, CUMULATIVE, RESTRICTED_2004 = range(7)

NUMBERS = {
    "restricted": RESTRICTED,
    "unrestricted": UNRESTRICTED,
    "recent": RECENT,
    "chronicle": CHRONICLE,
    "continuous": CONTINUOUS,
    "cumulative": CUMULATIVE,
    "restricted-2004": RESTRICTED_2004,
}

FOREVER = -1
"""In place of a window: there is none."""
