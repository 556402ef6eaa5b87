"""A record of any kind for every URL, kept in pieces: only those that changed are written down again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PIECE = 128


class Rows:
    """Rows of one kind by URL number, all zeros where none was put."""

    def __init__(self, name: str, kind: np.dtype[Any]) -> None:
        self.name = name
        self._rows: NDArray[Any] = np.zeros(_PIECE, kind)
        self._changed: set[int] = set()

    def __getitem__(self, numbers: NDArray[np.intp]) -> NDArray[Any]:
        """The rows of some URLs, as a copy."""
        self._reach(numbers)
        return self._rows[numbers]

    def __setitem__(self, numbers: NDArray[np.intp], rows: NDArray[Any]) -> None:
        self._reach(numbers)
        self._rows[numbers] = rows
        self._changed.update((numbers // _PIECE).tolist())

    def _reach(self, numbers: NDArray[np.intp]) -> None:
        most = int(numbers.max(initial=0))
        if most >= len(self._rows):
            grown = np.zeros(max(most + 1, len(self._rows) * 3 // 2), self._rows.dtype)
            grown[: len(self._rows)] = self._rows
            self._rows = grown

    def changed(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        for piece in sorted(self._changed):
            yield f"{self.name}/{piece}", self._rows[piece * _PIECE : (piece + 1) * _PIECE].tobytes()
        self._changed.clear()

    def restore(self, kept: Mapping[str, bytes]) -> None:
        """The pieces that were kept, among others of other names."""
        prefix = f"{self.name}/"
        for name, value in kept.items():
            if name.startswith(prefix):
                rows = np.frombuffer(value, self._rows.dtype)
                first = int(name.removeprefix(prefix)) * _PIECE
                self[np.arange(first, first + len(rows))] = rows
        self._changed.clear()
