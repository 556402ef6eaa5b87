"""The relevance of pages that are nearly all links: what others say of them counts for less than their own words."""

from __future__ import annotations

from itertools import compress
from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.relevance.base import Relevance
from honeyguide.relevance.text import Text

MANY_LINKS: Final = 100
"""Links from which a page can be one that is nearly all links."""
ENOUGH: Final = 0.2
"""Share of its words that such a page needs outside of links for its relevance to count in full."""
FEW_WORDS: Final = 50
"""Own words below which their relevance counts in part only: three of them would be about anything."""


def limited_by_own_words(model: Relevance, text: Text, outside: NDArray[np.bool_], links: int) -> float:
    """The relevance of a page; of one that is nearly all links, no more than its own words justify.

    Anchors are cheap: thousands of them make a page about anything. They say what other pages are about, and each is
    read for its own link anyway. So if less than `ENOUGH` of the words of a page with many links are its own, the page
    counts as what these are about, and as what all its words are about in proportion to how near it comes to that.

    Args:
        model: The relevance model.
        text: The words of the page.
        outside: Which of them are outside of links.
        links: How many links it has.
    """
    relevance = model.relevance(text)
    if links < MANY_LINKS:
        return relevance
    own = int(np.count_nonzero(outside))
    share = own / len(outside) / ENOUGH
    if share >= 1.0:
        return relevance
    words = model.relevance(Text(list(compress(text.words, outside)))) if own else 0.0
    limit = min(own / FEW_WORDS, 1.0) * words
    return min(relevance, limit + share * (relevance - limit))
