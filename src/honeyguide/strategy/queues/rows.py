"""A record of any kind for whatever has numbers, kept in pieces: only those that changed are written again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PIECE = 128


class Rows:
    """Rows of one kind by number, all zeros where none was put.

    They are stored as bytes without fields, which numpy moves ten times as fast.
    """

    def __init__(self, name: str, kind: np.dtype[Any]) -> None:
        self.name = name
        self._kind = kind
        self._bytes = np.dtype((np.void, kind.itemsize))
        self._rows: NDArray[Any] = np.zeros(_PIECE, self._bytes)
        self._changed: set[int] = set()

    def __getitem__(self, numbers: NDArray[np.intp]) -> NDArray[Any]:
        """The rows of some URLs, as a copy."""
        self._reach(numbers)
        return self._rows[numbers].view(self._kind)

    def seen(self, numbers: NDArray[np.integer]) -> NDArray[Any]:
        """The same, without making room for numbers beyond those that were ever put."""
        if int(numbers.max(initial=0)) < len(self._rows):
            rows: NDArray[Any] = self._rows[numbers].view(self._kind)
            return rows
        found: NDArray[Any] = self._rows[np.minimum(numbers, len(self._rows) - 1)].view(self._kind)
        found[numbers >= len(self._rows)] = np.zeros((), self._kind)
        return found

    def __setitem__(self, numbers: NDArray[np.intp], rows: NDArray[Any]) -> None:
        self._reach(numbers)
        self._rows[numbers] = rows.view(self._bytes)
        self._changed.update((numbers // _PIECE).tolist())

    def _reach(self, numbers: NDArray[np.intp]) -> None:
        most = int(numbers.max(initial=0))
        if most >= len(self._rows):
            grown = np.zeros(max(most + 1, len(self._rows) * 3 // 2), self._bytes)
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
                rows = np.frombuffer(value, self._kind)
                first = int(name.removeprefix(prefix)) * _PIECE
                self[np.arange(first, first + len(rows))] = rows
        self._changed.clear()


def joined(*rows: NDArray[Any]) -> NDArray[Any]:
    """Rows of one kind, one after the other."""
    kind = rows[0].dtype
    as_bytes = np.dtype((np.void, kind.itemsize))
    return np.concatenate([part.view(as_bytes) for part in rows]).view(kind)
