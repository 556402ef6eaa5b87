"""The tokens of the words met last, found by the keys of the words, for a whole page at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.words import Keys, Places

_BITS = 20  # of a place: 16 MiB
_SHIFT = np.uint64(64 - _BITS)
_ROW = "V16"  # a row as one item


class TokenCache:
    """Key of a word → its token. Each key has one place; of the words that share it, the last one is known.

    So nothing is searched for, and the memory is bounded. Not for several threads: numpy lets others run while it
    copies.
    """

    def __init__(self) -> None:
        self._rows = np.zeros((1 << _BITS, 2), np.uint64)  # a key, which is never 0, and a token

    def find(self, keys: Keys) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
        """A token for each key, and which of the keys are known; the tokens of others mean nothing."""
        rows = self._rows.take(_places(keys), axis=0, mode="clip")
        return rows[:, 1].astype(np.uint32), rows[:, 0] == keys

    def add(self, keys: Keys, tokens: NDArray[np.uint32]) -> None:
        """Remember the tokens of some keys, of which some may be equal."""
        rows = np.stack((keys, tokens), axis=1)
        # Assigned as single items: where keys share a place, a row must not be made of two.
        self._rows.view(_ROW)[_places(keys), 0] = rows.view(_ROW)[:, 0]


def _places(keys: Keys) -> Places:
    return (keys >> _SHIFT).view(np.int64)
