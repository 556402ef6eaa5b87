"""The relevance of pages that are nearly all links: anchors count for less than the page's own words."""

from __future__ import annotations

from itertools import compress

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.context.directories import OWN_WORDS, is_directory
from honeyguide.page.parse import Page
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.text import Text

_FEW = 50  # own words below which their relevance counts in part only: two or three can be about anything


def page_relevance(model: Relevance, page: Page, text: Text, outside: NDArray[np.bool_]) -> float:
    """The relevance of a page; of a directory, no more than its own words justify.

    Anchors are cheap: thousands of them make a page about anything. They say what other pages are about, and each is
    read for its own link anyway. So a directory counts as what its own words are about; the nearer it is to an
    ordinary page, the more it counts as what all its words are about.

    Args:
        model: The relevance model.
        page: The page.
        text: Its words.
        outside: Which of them are its own.
    """
    relevance = model.relevance(text)
    if not is_directory(page, outside):
        return relevance
    own = list(compress(text.words, outside))
    limit = min(len(own) / _FEW, 1.0) * model.relevance(Text(own)) if own else 0.0
    nearness = len(own) / len(outside) / OWN_WORDS if own else 0.0
    return min(relevance, limit + nearness * (relevance - limit))
