"""`A within τ` where it is not part of a pairing (SPEC §3). Keeps no state."""

from __future__ import annotations

import numpy as np

from tocsin.engine.kernels.compiling import kernel
from tocsin.engine.kernels.streams import write
from tocsin.engine.kernels.waiting import window_start


@kernel
def limit(window, call, state, cells, filled, a):
    """Let through what lasts at most the window."""
    out, used = np.empty((5, a.key.size + 1), np.int64), 0
    for i in range(a.key.size):
        if a.start[i] >= window_start(a.end[i], window):
            used = write(out, used, a.key[i], a.start[i], a.end[i], a.detected[i], a.ref[i])
    return out, used, state, cells, filled
