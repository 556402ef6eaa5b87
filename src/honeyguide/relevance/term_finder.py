"""Finds the words of a text that are among a topic's terms: usually few, and on most pages none."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.relevance.text import Tokens

_LAST_BITS: Final = 0xFFFF


class TermFinder:
    """Finds given terms among tokens. Most other words are excluded by the last bits of their tokens, in one lookup."""

    def __init__(self, terms: Tokens) -> None:
        """`terms` are in ascending order."""
        self._terms = terms
        self._is_ending = np.zeros(_LAST_BITS + 1, np.uint8)  # for all last bits, whether a term has them
        self._is_ending[terms & _LAST_BITS] = True

    def find(self, tokens: Tokens) -> NDArray[np.intp]:
        """The positions of the words that are among the terms."""
        return _term_places(tokens, self._is_ending, self._terms)


@twin("sums")
def _term_places(tokens: Tokens, is_ending: NDArray[np.uint8], terms: Tokens) -> NDArray[np.intp]:
    perhaps: NDArray[np.intp] = is_ending.take(tokens & _LAST_BITS, mode="clip").nonzero()[0]
    if not len(perhaps):
        return perhaps
    found = tokens.take(perhaps)
    place = np.minimum(terms.searchsorted(found), len(terms) - 1)
    return perhaps.compress(terms.take(place) == found)
