"""One number per URL, saved in pieces, of which only the changed ones are written again."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping

_PIECE = 1024


class FloatColumn:
    """Floats by URL number; `empty` where none is set."""

    def __init__(self, name: str, empty: float = 0.0) -> None:
        self.name = name
        self._empty = empty
        self._values = array("d")
        self._dirty: set[int] = set()

    def __getitem__(self, number: int) -> float:
        return self._values[number] if number < len(self._values) else self._empty

    def __setitem__(self, number: int, value: float) -> None:
        missing = number + 1 - len(self._values)
        if missing > 0:
            self._values.extend([self._empty] * missing)
        self._values[number] = value
        self._dirty.add(number // _PIECE)

    def total(self) -> float:
        """The sum of all values."""
        return math.fsum(self._values)

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        for piece in sorted(self._dirty):
            yield f"{self.name}/{piece}", self._values[piece * _PIECE : (piece + 1) * _PIECE].tobytes()
        self._dirty.clear()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore the pieces that `dirty_state` returned; pieces with other names are ignored."""
        prefix = f"{self.name}/"
        for name, value in state.items():
            if name.startswith(prefix):
                piece = array("d")
                piece.frombytes(value)
                first = int(name.removeprefix(prefix)) * _PIECE
                for place, entry in enumerate(piece, start=first):
                    self[place] = entry
        self._dirty.clear()
