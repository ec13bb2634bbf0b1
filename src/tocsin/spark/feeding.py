"""A partition's pieces to the engine, stretch by stretch, and what it finds, with its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo

import numpy as np
import pyarrow as pa

from tocsin.engine.blocks import Batch
from tocsin.engine.detector import Detector
from tocsin.engine.found import Found
from tocsin.engine.plan import Plan
from tocsin.language.nodes import Expression, Primitive
from tocsin.spark.packing import plain
from tocsin.spark.pieces import Piece, Stretch, stretches
from tocsin.tables.packed import Packed, bit_order, pack
from tocsin.tables.ranks import Integers


class Feed:
    """Feeds plans, in which patterns go by their numbers.

    Keys that a piece has whole get detectors of their own for a while. A key that is cut keeps
    its detectors, and of its rows those that these still refer to. `began` and `until` say how
    long was watched; None where nothing in the patterns depends on it.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        patterns: Sequence[Expression],
        carry: Sequence[str],
        *,
        zone: tzinfo,
        began: int | None,
        until: int | None,
    ) -> None:
        self._plans, self._zone, self._began, self._until = plans, zone, began, until
        self._every, self._carry = bit_order(patterns), list(carry)
        self._own = [_primitives(plan, patterns) for plan in plans]
        self._detectors: list[Detector] = []
        self._before = 0
        """How many rows earlier pieces had: rows are numbered on."""
        self._numbers: Integers = np.empty(0, np.int64)
        self._kept: pa.Table | None = None
        """Rows of earlier pieces, and their numbers, in order."""

    def take(self, piece: Piece) -> Iterator[tuple[Plan, str, Found]]:
        """What a piece's rows complete, for each pattern in turn; parts name rows of `carried`."""
        for stretch in stretches(piece):
            if stretch.opens:
                self._detectors = [self._detector(plan) for plan in self._plans]
            for plan, own, detector in zip(self._plans, self._own, self._detectors, strict=True):
                batch = self._batch(piece, stretch, own)
                for name, found in detector.advance(batch, self._upto(batch, stretch)).items():
                    found.key = found.key + piece.rows.sorted.groups[stretch.low]
                    found.part_row = self._places(found.part_row, piece)
                    yield plan, name, found
        self._keep(piece)

    def carried(self, piece: Piece) -> pa.Table:
        """The carried columns of a piece's rows, then those of earlier rows."""
        own = plain(piece.rows.table.select(self._carry))
        return own if self._kept is None else pa.concat_tables([own, self._kept]).combine_chunks()

    def _detector(self, plan: Plan) -> Detector:
        detector = Detector(plan, zone=self._zone, until=self._until)
        detector.began = self._began
        return detector

    def _batch(self, piece: Piece, stretch: Stretch, own: list[Primitive]) -> Batch:
        rows = piece.rows.sorted.some(slice(stretch.low, stretch.high))
        bits = np.take(piece.rows.words, rows.order, axis=1).astype(np.int64, copy=False)
        if own != self._every:
            bits = pack(Packed(self._every, bits), own, np.arange(rows.order.size))
        # A key that is cut has another number in every piece; to its detectors it is the first.
        keys = rows.groups - rows.groups[0]
        return Batch(keys, rows.starts, rows.ends, bits, rows.order + self._before)

    def _upto(self, batch: Batch, stretch: Stretch) -> int:
        """Up to when rows decide: a key that goes on, only to where it was cut."""
        last, until = int(batch.end.max()), self._until
        return max(last, until) if stretch.closes and until is not None else last

    def _places(self, numbers: Integers, piece: Piece) -> Integers:
        """Where the carried columns of rows stand."""
        if not self._numbers.size:
            return numbers - self._before
        earlier = piece.rows.table.num_rows + np.searchsorted(self._numbers, numbers)
        return np.where(numbers < self._before, earlier, numbers - self._before)

    def _keep(self, piece: Piece) -> None:
        """Number on; keep what an unfinished key still needs of its rows."""
        numbers = np.empty(0, np.int64)
        if piece.open and self._carry:
            several = [detector.referenced() for detector in self._detectors]
            numbers = np.unique(np.concatenate(several))
            places = pa.array(self._places(numbers, piece))
            self._kept = self.carried(piece).take(places).combine_chunks()
        else:
            self._kept = None
        self._numbers = numbers
        self._before += piece.rows.table.num_rows


def _primitives(plan: Plan, patterns: Sequence[Expression]) -> list[Primitive]:
    """The primitives of a plan, in the order of its bits."""
    named = {p.name: p for name in plan.results for p in patterns[int(name)].primitives()}
    return [named[name] for name in plan.primitives]
