"""Rows by number, saved in pieces, of which only the changed ones are written again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PIECE_BITS = 7
_PIECE = 1 << _PIECE_BITS


class RowStore:
    """Rows of one type by number, all zeros where none is set.

    They can be accessed as an array of many rows, or individually as Python values, which takes a tenth of the time of
    an array with a single row. The type may have fields; then rows are stored as bytes without fields, which numpy
    copies ten times as fast.
    """

    def __init__(self, name: str, kind: np.dtype[Any]) -> None:
        self.name = name
        self._kind = kind
        self._struct = None if kind.fields is None else Struct(_format(kind))
        self._bytes = kind if kind.fields is None else np.dtype((np.void, kind.itemsize))
        self._size = kind.itemsize
        self._dirty: set[int] = set()
        self._make_room(_PIECE)

    # ---- many rows ----

    def __getitem__(self, numbers: NDArray[np.integer]) -> NDArray[Any]:
        """The rows of some numbers, as a copy."""
        rows = self.raw(numbers)
        return rows if self._struct is None else rows.view(self._kind)

    def raw(self, numbers: NDArray[np.integer], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The rows of some numbers, without fields, which numpy copies much faster; written to `out`, if given."""
        return self._all.take(numbers, out=out, mode="clip")

    @property
    def table(self) -> NDArray[Any]:
        """All rows without fields, followed by a row of zeros. Valid until the next row is set."""
        return self._all

    def __setitem__(self, numbers: NDArray[np.intp], rows: NDArray[Any]) -> None:
        rows = rows.view(self._bytes)
        try:
            self._rows[numbers] = rows
        except IndexError:
            self._grow(int(numbers.max()) + 1)
            self._rows[numbers] = rows
        self._dirty.update((numbers >> _PIECE_BITS).tolist())

    # ---- one row ----

    def one(self, number: int) -> Any:
        """The row of a number: a tuple of all values in its fields, or the value itself if the type has no fields."""
        row = min(number, len(self._rows))  # the row of zeros for larger numbers
        return self._all.item(row) if self._struct is None else self._struct.unpack_from(self._memory, row * self._size)

    def set_one(self, number: int, row: Any) -> None:
        """Set the row of a number to what `one` would return."""
        if number >= len(self._rows):
            self._grow(number + 1)
        if self._struct is None:
            self._all[number] = row
        else:
            self._struct.pack_into(self._memory, number * self._size, *row)
        self._dirty.add(number >> _PIECE_BITS)

    def add(self, number: int, value: Any) -> None:
        """Add to the row of a number, if the type has no fields."""
        if number >= len(self._rows):
            self._grow(number + 1)
        self._all[number] += value
        self._dirty.add(number >> _PIECE_BITS)

    def _grow(self, least: int) -> None:
        """Allocate at least `least` rows."""
        before = self._rows
        self._make_room(max(least, len(before) * 3 // 2))
        self._rows[: len(before)] = before

    def _make_room(self, count: int) -> None:
        # One extra row, which stays zero and stands for all larger numbers.
        self._all: NDArray[Any] = np.zeros(count + 1, self._bytes)
        self._rows = self._all[:-1]
        self._memory = self._all.data

    # ---- state ----

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        for piece in sorted(self._dirty):
            yield f"{self.name}/{piece}", self._rows[piece * _PIECE : (piece + 1) * _PIECE].tobytes()
        self._dirty.clear()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore the pieces that `dirty_state` returned; pieces with other names are ignored."""
        prefix = f"{self.name}/"
        for name, value in state.items():
            if name.startswith(prefix):
                rows = np.frombuffer(value, self._kind)
                first = int(name.removeprefix(prefix)) * _PIECE
                self[np.arange(first, first + len(rows))] = rows
        self._dirty.clear()


def _format(kind: np.dtype[Any]) -> str:
    """The format of a type for `struct`, which uses the same letters for simple types."""
    parts = []
    for name in kind.names or ():
        field = kind[name]
        parts.append(f"{field.itemsize // field.base.itemsize}{field.base.char}")
    return "<" + "".join(parts)
