"""A cache of tokens by the keys of words, looked up for a whole page at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.page.words import Keys, Places

_BITS = 20  # of a place: 16 MiB
_SHIFT = 64 - _BITS
_ROW = np.dtype((np.void, 16))  # a row as one item
_NO_KEY = np.uint64(1)  # its place is 0, but the key that is looked for there is another


class TokenCache:
    """Key of a word → its token. Each key has one place; of the words that share it, the last one is known.

    So nothing is searched for, and the memory is bounded. The key 0 is never known. Not for several threads: numpy lets
    others run while it copies.
    """

    def __init__(self) -> None:
        self._rows = np.zeros((1 << _BITS, 2), np.uint64)  # a key and a token
        self._rows[0] = _NO_KEY

    def find(self, keys: Keys) -> tuple[NDArray[np.uint32], Places]:
        """A token per key, and the indices of unknown keys, whose tokens are undefined."""
        return _look_up(self._rows, keys, _SHIFT)

    def add(self, keys: Keys, tokens: NDArray[np.uint32]) -> None:
        """Store the tokens of some keys, which may include repeats."""
        rows = np.empty((len(keys), 2), np.uint64)
        rows[:, 0] = keys
        rows[:, 1] = tokens
        # Assigned as single items: where keys share a place, a row must not be made of two.
        self._rows.view(_ROW)[(keys >> np.uint64(_SHIFT)).view(np.int64), 0] = rows.view(_ROW)[:, 0]
        self._rows[0] = _NO_KEY


@twin("words")
def _look_up(rows: Keys, keys: Keys, shift: int) -> tuple[NDArray[np.uint32], Places]:
    found = rows.take((keys >> np.uint64(shift)).view(np.int64), axis=0, mode="clip")
    return found[:, 1].astype(np.uint32), (found[:, 0] != keys).nonzero()[0]
