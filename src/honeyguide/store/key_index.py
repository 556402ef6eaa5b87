"""An index of rows of keys, in a few bytes per key instead of a hundred."""

from __future__ import annotations

from array import array
from struct import Struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

_HASHED: Final = 8  # bytes of a key that are used: keys are hashes, so the first bytes distinguish most of them
_FACTOR: Final = 0x9E3779B97F4A7C15
_COLUMN_STEP: Final = 0xC2B2AE3D27D4EB4F  # makes equal keys in different columns have different places
_MASK: Final = 0xFFFFFFFFFFFFFFFF
_SMALLEST: Final = 6  # bits: 64 entries


class KeyIndex:
    """Finds rows by their keys. A row has one or several of them, each in its column, and all are of one size.

    The rows are in a buffer that the owner appends to. The index contains only positions in it, in a hash table with
    open addressing that is at most half full. Of several rows with the same key in a column, the first one is found.
    """

    __slots__ = ("_bits", "_columns", "_count", "_heads", "_rows", "_table", "_width")

    def __init__(self, rows: bytearray, width: int, columns: int = 1) -> None:
        """Index the rows added from `rows`, with `columns` keys per row, each of `width` bytes (at least 8)."""
        self._rows = rows
        self._width = width
        self._columns = columns
        self._heads = Struct("<" + f"Q{width - _HASHED}x" * columns).unpack_from  # the hashed part of each key
        self._bits = _SMALLEST
        self._table = _empty(self._bits)
        self._count = 0

    def find(self, row: bytes) -> list[int]:
        """The numbers of the first rows that have a key of this row in the same column, in the order of the columns."""
        table, rows, width, columns = self._table, self._rows, self._width, self._columns
        last, shift = len(table) - 1, 64 - self._bits
        found = []
        for column, head in enumerate(self._heads(row)):
            place = ((head + column * _COLUMN_STEP) * _FACTOR & _MASK) >> shift
            while (position := table[place]) >= 0:
                if position % columns == column:
                    where = position * width
                    if rows[where : where + width] == row[column * width : (column + 1) * width]:
                        found.append(position // columns)
                        break
                place = (place + 1) & last
        return found

    def add(self, number: int) -> None:
        """Add the row with this number."""
        table, rows, width, columns = self._table, self._rows, self._width, self._columns
        last, shift = len(table) - 1, 64 - self._bits
        position = number * columns
        for column, head in enumerate(self._heads(rows, position * width)):
            place = ((head + column * _COLUMN_STEP) * _FACTOR & _MASK) >> shift
            where = (position + column) * width
            while (other := table[place]) >= 0:
                if (
                    other % columns == column
                    and rows[other * width : (other + 1) * width] == rows[where : where + width]
                ):
                    break
                place = (place + 1) & last
            else:
                table[place] = position + column
                self._count += 1
        if 2 * (self._count + columns) > len(table):
            self._grow()

    def _grow(self) -> None:
        """Double the table. All entries are placed in one batch, which takes no longer than growing a dictionary."""
        positions = np.frombuffer(self._table, np.int32)
        positions = positions[positions >= 0]
        self._bits += 1
        self._table = _empty(self._bits)
        table, last = np.frombuffer(self._table, np.int32), len(self._table) - 1
        places = self._first_places(positions)
        while len(positions):
            free = table[places] < 0
            table[places[free]] = positions[free]  # of several positions for one place, the last one gets it
            left = table[places] != positions
            positions, places = positions[left], (places[left] + 1) & last

    def _first_places(self, positions: NDArray[np.int32]) -> NDArray[np.intp]:
        keys = np.frombuffer(self._rows, np.uint8).reshape(-1, self._width)
        heads = keys[positions, :_HASHED].view("<u8")[:, 0]
        columns = (positions % self._columns).astype(np.uint64)
        hashes = (heads + columns * np.uint64(_COLUMN_STEP)) * np.uint64(_FACTOR)
        places: NDArray[np.intp] = (hashes >> np.uint64(64 - self._bits)).astype(np.intp)
        return places


def _empty(bits: int) -> array[int]:
    return array("i", b"\xff" * (4 << bits))
