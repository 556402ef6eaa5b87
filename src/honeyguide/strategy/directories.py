"""The relevance of pages that are nearly all links: anchors count for less than the page's own words."""

from __future__ import annotations

from itertools import compress

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.context.directories import OWN_WORDS
from honeyguide.relevance.checked import CheckedModel
from honeyguide.relevance.text import Text

_FEW = 50  # own words below which their relevance counts in part only: two or three can be about anything


def directory_relevance(model: CheckedModel, text: Text, own: NDArray[np.bool_]) -> float:
    """The relevance of a page that is nearly all links: no more than its own words justify.

    Anchors are cheap: thousands of them make a page about anything. They say what other pages are about, and each is
    read for its own link anyway. So the page counts as what its own words are about; the nearer it is to an ordinary
    page, the more it counts as what all its words are about.

    Args:
        model: The relevance model.
        text: All words of the page.
        own: Which of them are outside of links.
    """
    relevance = model.relevance(text)
    words = list(compress(text.words, own))
    if not words:
        return 0.0
    limit = min(len(words) / _FEW, 1.0) * model.relevance(Text(words))
    nearness = len(words) / len(own) / OWN_WORDS
    return min(relevance, limit + nearness * (relevance - limit))
