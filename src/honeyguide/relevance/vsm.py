"""The vector space model: the cosine between a text's words and the topic's."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans
from honeyguide.relevance.text import NOTHING, Tokens, counted


class Vsm:
    """Cosine of word frequencies, w_i = f_i / max f · idf_i with idf_i = 1 (spec, section 1).

    A common factor of all weights leaves a cosine unchanged, so frequencies need not be divided by their maximum.
    """

    def __init__(self, topic: Tokens, threshold: float) -> None:
        """`topic` holds the tokens of the topic's words, repeated ones repeated; `NOTHING` is passed over."""
        terms, counts = counted(topic)
        self.threshold = threshold
        self._terms = terms
        self._weights = counts / np.sqrt(np.sum(counts.astype(np.float64) ** 2)) if len(terms) else counts.astype(float)

    def score(self, tokens: Tokens, spans: Spans) -> NDArray[np.float64]:
        """A cosine a span."""
        if len(spans) == 1:  # a whole page, above all
            first, last = spans[0].tolist()
            return np.array([self._cosine(tokens[first:last])])
        return self._cosines(tokens, spans)

    def _cosine(self, tokens: Tokens) -> float:
        terms, counts = counted(tokens)
        if not len(terms) or not len(self._terms):
            return 0.0
        places = np.minimum(np.searchsorted(terms, self._terms), len(terms) - 1)
        dot = np.dot(counts[places] * (terms[places] == self._terms), self._weights)
        return min(float(dot) / sqrt(np.dot(counts, counts)), 1.0)

    def _cosines(self, tokens: Tokens, spans: Spans) -> NDArray[np.float64]:
        """The same for many spans in one sort: each occurrence is a pair (span, token), equal pairs are counted."""
        lengths = np.maximum(spans[:, 1] - spans[:, 0], 0)
        total = int(lengths.sum())
        if not total or not len(self._terms):
            return np.zeros(len(spans))
        owner = np.repeat(np.arange(len(spans)), lengths)
        starts = np.cumsum(lengths) - lengths
        occurring = tokens[np.arange(total) - starts[owner] + spans[owner, 0]]
        pairs = (owner << 32 | occurring)[occurring != NOTHING]
        pairs, counts = np.unique(pairs, return_counts=True)
        owner, terms = pairs >> 32, pairs & 0xFFFFFFFF
        norms = np.sqrt(np.bincount(owner, counts.astype(np.float64) ** 2, len(spans)))
        place = np.minimum(np.searchsorted(self._terms, terms), len(self._terms) - 1)
        shared = self._terms[place] == terms
        dots = np.bincount(owner[shared], counts[shared] * self._weights[place[shared]], len(spans))
        return np.minimum(np.divide(dots, norms, out=np.zeros(len(spans)), where=norms > 0), 1.0)
