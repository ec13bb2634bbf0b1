"""Reporting `repeated` and `single`: a key starts afresh after each report (SPEC §5).

Nothing in a plan knows when the whole pattern is complete until it is. So each key goes forward by
pieces: where a piece completes the pattern, the first completion is reported, the key's state is
cleared and it goes on after it; where not, the next piece is twice as long. All keys go at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tocsin.engine.blocks import Block
from tocsin.engine.found import Table
from tocsin.engine.kernels.lineage import places
from tocsin.engine.kernels.pieces import first_moments, next_pieces, rows_of, skip_past
from tocsin.engine.kernels.streams import Call, Integers, Stream
from tocsin.engine.running import Events

if TYPE_CHECKING:
    from tocsin.engine.detector import Detector

PIECE = 8


def take(
    detector: Detector, block: Block, wanted: Integers, slots: Integers, tables: dict[str, Table]
) -> None:
    """Enter what one pattern reports of a block's rows; those of one key in order."""
    ((name, result),) = detector.plan.results.items()
    end = block.rows.known
    local = places(block.rows.key, wanted)
    begin = np.searchsorted(local, np.arange(wanted.size))
    stop = np.searchsorted(local, np.arange(wanted.size), side="right")
    going = ~detector.keys.finished[slots]
    piece = np.full(wanted.size, PIECE, np.int64)
    while going.any():
        keys = np.flatnonzero(going)
        high, limit = next_pieces(begin[keys], stop[keys], piece[keys], end, block.upto[keys])
        began, opens = detector.keys.observed_since(slots[keys], detector.began or 0)
        call = Call(began, opens, limit, np.minimum(limit, detector.until))
        rows, place = rows_of(begin[keys], high)
        events = _events(block, rows, place, detector.rows.first)
        streams, after = detector.run(call, events, slots[keys])
        stream = streams[result]
        hit, moment = first_moments(stream.key, stream.detected, keys.size)
        first = Stream(*(column[stream.detected == moment[stream.key]] for column in stream))
        cells, shift = detector.lineage.cells, detector.plan.shift
        tables[name].add(first, wanted[keys], cells, detector.rows, shift, block.share)
        detector.keep(slots[keys], after)
        done, missed = keys[hit], keys[~hit]
        detector.clear(slots[done])
        if detector.plan.report == "single":
            detector.keys.finished[slots[done]] = True
            going[done] = False
        else:
            detector.keys.afresh[slots[done]] = moment[hit]
            begin[done] = skip_past(begin[done], stop[done], end, moment[hit])
            piece[done] = PIECE
            going[done] = moment[hit] < block.upto[done]
        begin[missed], piece[missed] = high[~hit], 2 * piece[missed]
        going[missed] = limit[~hit] < block.upto[missed]


def _events(block: Block, rows: Integers, place: Integers, first: int) -> Events:
    batch = block.rows
    end = batch.end[rows]
    start = end if batch.start is batch.end else batch.start[rows]
    known = end if batch.known is batch.end else batch.known[rows]
    bits = np.ascontiguousarray(batch.bits[:, rows])
    return Events(place, start, end, known, bits, numbers=rows + first + block.low)
