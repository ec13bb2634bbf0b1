"""Possible start times: what bounds the state of `A ; B` under `restricted` (003, figure 5.5).

A later B starts after now, or at one of the starts that B's own state still holds. So of the A
that wait, one is kept for each of those starts, and the last.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import END, KEY


@kernel
def keep_for_starts(state, keys, starts):
    """Of each key's waiting rows, both times rising, those that a possible start would choose.

    `keys` and `starts` are sorted together. Per key one pass from the back, as in the figure.
    """
    keep = np.zeros(state.shape[1], np.bool_)
    s = state.shape[1] - 1
    t = keys.size - 1
    while s >= 0:
        key = state[KEY, s]
        keep[s] = True
        while t >= 0 and keys[t] > key:
            t -= 1
        while s >= 0 and state[KEY, s] == key:
            while t >= 0 and keys[t] == key and state[END, s] < starts[t]:
                keep[s] = True
                t -= 1
            s -= 1
    return state[:, keep]
