"""What a relevance model is: spans of a page's tokens in, scores in [0, 1] out."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans, spans
from honeyguide.relevance.text import Tokens


class Relevance(Protocol):
    """A fitted model for one topic. Pure: the same tokens give the same scores."""

    threshold: float
    """Score from which a text counts as relevant."""

    def score(self, tokens: Tokens, spans: Spans) -> NDArray[np.float64]:
        """A score a span. A span without a word that counts scores 0."""
        ...


def whole(tokens: Tokens) -> Spans:
    """The one span that is the whole page."""
    return spans([(0, len(tokens))])
