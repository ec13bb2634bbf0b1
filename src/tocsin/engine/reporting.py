"""Reporting `repeated` and `single`: a key starts afresh after each report (SPEC §5).

Nothing in a plan knows when the whole pattern is complete until it is. So each key goes forward by
pieces: where a piece completes the pattern, the first completion is reported, the key's state is
cleared and it goes on after it; where not, the next piece is twice as long. All keys go at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tocsin.engine.found import Found, concatenate, find
from tocsin.engine.kernels.pieces import first_moments, next_pieces, rows_of, skip_past
from tocsin.engine.kernels.streams import Call, Integers, Stream
from tocsin.engine.running import Events

if TYPE_CHECKING:
    from tocsin.engine.detector import Batch, Detector

PIECE = 8


def advance(
    detector: Detector, batch: Batch, wanted: Integers, local: Integers, upto: int
) -> Found:
    """What one pattern reports of a call's rows; `local` is each row's place among the keys."""
    (result,) = detector.plan.results.values()
    slots = detector.keys.slots(wanted)
    begin = np.searchsorted(local, np.arange(wanted.size))
    stop = np.searchsorted(local, np.arange(wanted.size), side="right")
    going = ~detector.keys.finished[slots]
    piece = np.full(wanted.size, PIECE, np.int64)
    reported: list[Found] = []
    while going.any():
        keys = np.flatnonzero(going)
        high, limit = next_pieces(begin[keys], stop[keys], piece[keys], batch.end, upto)
        rows, place = rows_of(begin[keys], high)
        began, opens = detector.keys.observed_since(slots[keys], detector.began or 0)
        call = Call(began, opens, limit, np.minimum(limit, detector.until))
        stream = detector.run(call, _events(batch, rows, place, detector.rows.first), slots[keys])[
            result
        ]
        hit, moment = first_moments(stream.key, stream.detected, keys.size)
        first = Stream(*(column[stream.detected == moment[stream.key]] for column in stream))
        cells, shift = detector.lineage.cells, detector.plan.shift
        reported.append(find(first, wanted[keys], cells, detector.rows, shift))
        done, missed = keys[hit], keys[~hit]
        detector.clear(slots[done])
        if detector.plan.report == "single":
            detector.keys.finished[slots[done]] = True
            going[done] = False
        else:
            detector.keys.afresh[slots[done]] = moment[hit]
            begin[done] = skip_past(begin[done], stop[done], batch.end, moment[hit])
            piece[done] = PIECE
        begin[missed], piece[missed] = high[~hit], 2 * piece[missed]
        going[missed] = limit[~hit] < upto
    return concatenate(reported)


def _events(batch: Batch, rows: Integers, place: Integers, first: int) -> Events:
    end = batch.end[rows]
    start = end if batch.start is batch.end else batch.start[rows]
    bits = np.ascontiguousarray(batch.bits[:, rows])
    return Events(place, start, end, bits, numbers=rows + first)
