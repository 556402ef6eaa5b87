"""The words of a text that are among a topic's terms: mostly few, and on most pages none."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.relevance.text import Tokens

_LAST_BITS: Final = 0xFFFF


class TermFinder:
    """Finds given terms among tokens. Most other words are told by the last bits of their tokens, in one look-up."""

    def __init__(self, terms: Tokens) -> None:
        """`terms` are in ascending order."""
        self._terms = terms
        self._is_ending = np.zeros(_LAST_BITS + 1, np.bool_)  # for all last bits, whether a term has them
        self._is_ending[terms & _LAST_BITS] = True

    def find(self, tokens: Tokens) -> NDArray[np.intp]:
        """The positions of the words that are among the terms."""
        perhaps: NDArray[np.intp] = self._is_ending.take(tokens & _LAST_BITS, mode="clip").nonzero()[0]
        if not len(perhaps):
            return perhaps
        found = tokens.take(perhaps)
        place = np.minimum(self._terms.searchsorted(found), len(self._terms) - 1)
        return perhaps.compress(self._terms.take(place) == found)
