"""Structured rows by number, saved in pieces: only those that changed are written again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PIECE = 128


class RowStore:
    """Rows of one structured type by number, all zeros where none was set.

    They are stored as bytes without fields, which numpy copies ten times as fast.
    """

    def __init__(self, name: str, kind: np.dtype[Any]) -> None:
        self.name = name
        self._kind = kind
        self._bytes = np.dtype((np.void, kind.itemsize))
        self._rows: NDArray[Any] = np.zeros(_PIECE, self._bytes)
        self._dirty: set[int] = set()

    def __getitem__(self, numbers: NDArray[np.intp]) -> NDArray[Any]:
        """The rows of some numbers, as a copy."""
        self._reach(numbers)
        return self._rows[numbers].view(self._kind)

    def seen(self, numbers: NDArray[np.integer]) -> NDArray[Any]:
        """The same, without growing for numbers beyond those that were ever set."""
        if int(numbers.max(initial=0)) < len(self._rows):
            rows: NDArray[Any] = self._rows[numbers].view(self._kind)
            return rows
        found: NDArray[Any] = self._rows[np.minimum(numbers, len(self._rows) - 1)].view(self._kind)
        found[numbers >= len(self._rows)] = np.zeros((), self._kind)
        return found

    def __setitem__(self, numbers: NDArray[np.intp], rows: NDArray[Any]) -> None:
        self._reach(numbers)
        self._rows[numbers] = rows.view(self._bytes)
        self._dirty.update((numbers // _PIECE).tolist())

    def _reach(self, numbers: NDArray[np.intp]) -> None:
        most = int(numbers.max(initial=0))
        if most >= len(self._rows):
            grown = np.zeros(max(most + 1, len(self._rows) * 3 // 2), self._bytes)
            grown[: len(self._rows)] = self._rows
            self._rows = grown

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        for piece in sorted(self._dirty):
            yield f"{self.name}/{piece}", self._rows[piece * _PIECE : (piece + 1) * _PIECE].tobytes()
        self._dirty.clear()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Take back the pieces that `dirty_state` gave; pieces of other names are ignored."""
        prefix = f"{self.name}/"
        for name, value in state.items():
            if name.startswith(prefix):
                rows = np.frombuffer(value, self._kind)
                first = int(name.removeprefix(prefix)) * _PIECE
                self[np.arange(first, first + len(rows))] = rows
        self._dirty.clear()


def joined(*rows: NDArray[Any]) -> NDArray[Any]:
    """Concatenate rows of one type."""
    kind = rows[0].dtype
    as_bytes = np.dtype((np.void, kind.itemsize))
    return np.concatenate([part.view(as_bytes) for part in rows]).view(kind)
