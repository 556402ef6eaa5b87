"""What a relevance model is: spans of a page's tokens in, scores in [0, 1] out."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from honeyguide.relevance.text import Tokens

Spans = NDArray[np.int32]
"""Rows of (first, last) positions over a page's words; `last` is the first position behind the span."""


class Relevance(Protocol):
    """A fitted model for one topic. Pure: the same tokens give the same scores."""

    threshold: float
    """Score from which a text counts as relevant."""

    def score(self, tokens: Tokens, spans: Spans) -> NDArray[np.float64]:
        """A score a span. A span without a word that counts scores 0."""
        ...


def whole(tokens: Tokens) -> Spans:
    """The one span that is the whole page."""
    return np.array([[0, len(tokens)]], np.int32)
