"""A histogram of the promises of waiting URLs, kept up to date at the cost of a few additions per URL."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin

Floats = NDArray[np.float64]
Points = tuple[tuple[float, int], ...]
"""Promises with counts, the highest first."""

_MANTISSA: Final = 8  # bits of the mantissa that select the bin
_SHIFT: Final = 52 - _MANTISSA
_BINS: Final = 1 << (64 - _SHIFT)
_ROW_BITS: Final = 10
_ROW: Final = 1 << _ROW_BITS  # bins per row: four powers of two
_LOWEST: Final = -(1 << 63)
_TO_BYTES = Struct("<d").pack
_TO_INTEGER = Struct("<q").unpack


class PromiseHistogram:
    """Counts promises in bins whose width is 1/256 of a power of two, whatever their scale and sign.

    The bins are in rows. Queries look only at non-empty rows, of which there are few: most promises of a crawl are
    within a factor of 1,000 of each other.
    """

    def __init__(self) -> None:
        self._bins = np.zeros(_BINS, np.int32)  # only pages that are written to take memory
        self._single_bins = self._bins.data  # a memoryview, which is much faster for single bins
        self._rows: dict[int, int] = {}  # promises in each row
        self._values: dict[int, Floats] = {}  # by row, the promise that each bin stands for
        self.count = 0
        """Number of promises."""

    def add(self, promise: float, times: int = 1) -> None:
        """Count a promise; with -1 `times`, remove it."""
        index = _index(promise)
        row = index >> _ROW_BITS
        self._single_bins[index] += times
        self._rows[row] = self._rows.get(row, 0) + times
        self.count += times

    def add_all(self, promises: Sequence[float] | Floats, times: int = 1) -> None:
        """Count several promises; with -1 `times`, remove them."""
        values = np.asarray(promises, np.float64)
        self._add(values, np.full(len(values), times))

    def add_points(self, points: Points, times: int = 1) -> None:
        """Count what `points` returned; with -1 `times`, remove it."""
        if points:
            promises, counts = zip(*points, strict=True)
            self._add(np.array(promises, np.float64), times * np.array(counts, np.int64))

    def _add(self, promises: Floats, counts: NDArray[np.int64]) -> None:
        bits = promises.view(np.int64)
        indexes = (np.where(bits < 0, _LOWEST - bits, bits) >> _SHIFT) + _BINS // 2
        np.add.at(self._bins, indexes, counts)
        rows = self._rows
        for row, count in zip((indexes >> _ROW_BITS).tolist(), counts.tolist(), strict=True):
            rows[row] = rows.get(row, 0) + count
        self.count += int(counts.sum())

    def excess(self, promise: float, most: float) -> float:
        """The sum of the differences between a promise and the higher ones: the `most` highest, in higher bins only."""
        index = _index(promise)
        own, excess = index >> _ROW_BITS, 0.0
        for row in sorted((row for row, count in self._rows.items() if count and row >= own), reverse=True):
            first = index + 1 - (row << _ROW_BITS) if row == own else 0
            counts = self._bins[(row << _ROW_BITS) + first : (row + 1) << _ROW_BITS]
            count, total = _highest(counts, self._row_values(row)[first:], most)
            excess += total - count * promise
            most -= count
            if most < 1:
                break
        return max(excess, 0.0)

    def points(self, most: int) -> Points:
        """All promises with counts, the highest first; neighbours are merged so that there are at most `most`."""
        values, counts = [], []
        for row in sorted((row for row, count in self._rows.items() if count), reverse=True):
            own = self._bins[row << _ROW_BITS : (row + 1) << _ROW_BITS][::-1]
            used = np.flatnonzero(own)
            values.append(self._row_values(row)[::-1][used])
            counts.append(own[used])
        if not values:
            return ()
        promise, count = np.concatenate(values), np.concatenate(counts).astype(np.int64)
        if len(promise) > most:
            # Points have about equal counts, but smaller for the highest promises, which decide what is next.
            place = np.cumsum(count) / count.sum()
            group = np.minimum((np.sqrt(place) * most).astype(np.intp), most - 1)
            totals = np.bincount(group, count, most)
            promise = np.bincount(group, count * promise, most)[totals > 0] / totals[totals > 0]
            count = totals[totals > 0].astype(np.int64)
        return tuple(zip(promise.tolist(), count.tolist(), strict=True))

    def _row_values(self, row: int) -> Floats:
        """The promise in the middle of each bin of a row."""
        if row not in self._values:
            ordered = ((np.arange(_ROW) + ((row << _ROW_BITS) - _BINS // 2)) << _SHIFT) + (1 << (_SHIFT - 1))
            bits = np.where(ordered < 0, _LOWEST - ordered, ordered)
            self._values[row] = np.nan_to_num(bits.view(np.float64))
        return self._values[row]


@twin("keys")
def _index(promise: float) -> int:
    """The bin of a promise; higher promises have higher bins. For the method see `keys.sort_key`."""
    bits: int = _TO_INTEGER(_TO_BYTES(promise))[0]
    if bits < 0:
        bits = _LOWEST - bits
    return (bits >> _SHIFT) + _BINS // 2


@twin("keys")
def _highest(counts: NDArray[np.int32], values: Floats, most: float) -> tuple[float, float]:
    """The number of promises in the bins of a row, at most `most`, and the sum of that many highest promises."""
    found = np.minimum(np.cumsum(counts[::-1]), most)
    return float(found[-1:].sum()), float(np.diff(found, prepend=0.0) @ values[::-1])  # found may be empty
