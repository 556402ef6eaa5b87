"""A row of numbers for every URL, kept in pieces: only those that changed are written down again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_PIECE = 128


class Table:
    """Rows by URL number, zeros where none was put. Kept and computed with as 32-bit floats are rounded."""

    def __init__(self, name: str, width: int) -> None:
        self.name = name
        self._rows = np.zeros((_PIECE, width), np.float32)
        self._changed: set[int] = set()

    def __getitem__(self, number: int) -> Floats:
        if number >= len(self._rows):
            return np.zeros(self._rows.shape[1])
        row: Floats = self._rows[number].astype(np.float64)
        return row

    def __setitem__(self, number: int, row: Floats) -> None:
        self.put(np.array([number], np.intp), row.reshape(1, -1))

    def rows(self, numbers: NDArray[np.intp]) -> Floats:
        """The rows of some URLs, as a copy."""
        self._reach(numbers)
        return self._rows[numbers].astype(np.float64)

    def put(self, numbers: NDArray[np.intp], rows: Floats) -> None:
        """Set the rows of some URLs."""
        self._reach(numbers)
        self._rows[numbers] = rows
        self._changed.update((numbers // _PIECE).tolist())

    def _reach(self, numbers: NDArray[np.intp]) -> None:
        if len(numbers) and (most := int(numbers.max())) >= len(self._rows):
            size = max(most + 1, len(self._rows) * 3 // 2)
            grown = np.zeros((size, self._rows.shape[1]), np.float32)
            grown[: len(self._rows)] = self._rows
            self._rows = grown

    def changed(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        for piece in sorted(self._changed):
            yield f"{self.name}/{piece}", self._rows[piece * _PIECE : (piece + 1) * _PIECE].tobytes()
        self._changed.clear()

    def restore(self, kept: Mapping[str, bytes]) -> None:
        """The pieces that were kept, among others of other names."""
        prefix, width = f"{self.name}/", self._rows.shape[1]
        for name, value in kept.items():
            if name.startswith(prefix):
                rows = np.frombuffer(value, np.float32).reshape(-1, width)
                first = int(name.removeprefix(prefix)) * _PIECE
                self.put(np.arange(first, first + len(rows)), rows.astype(np.float64))
        self._changed.clear()
