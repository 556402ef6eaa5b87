"""The relevance of directories, pages that are nearly all links: anchors count less than the page's own words."""

from __future__ import annotations

from itertools import compress

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.context.directories import OWN_WORDS
from honeyguide.relevance.checked import CheckedModel
from honeyguide.relevance.text import Text

_FULL_WEIGHT_WORDS = 50  # own words from which their relevance has its full weight: two or three can be about anything


def directory_relevance(model: CheckedModel, text: Text, own: NDArray[np.bool_]) -> float:
    """The relevance of a directory: no more than its own words justify.

    Anchors are cheap: thousands of them make a page about anything. They describe other pages, and each is scored for
    its own link anyway. So a directory has the relevance of its own words; the closer it is to an ordinary page, the
    more the relevance of all its words counts.

    Args:
        model: The relevance model.
        text: All words of the page.
        own: A mask of the words outside links.
    """
    relevance = model.relevance(text)
    words = list(compress(text.words, own))
    if not words:
        return 0.0
    limit = min(len(words) / _FULL_WEIGHT_WORDS, 1.0) * model.relevance(Text(words))
    nearness = len(words) / len(own) / OWN_WORDS
    return min(relevance, limit + nearness * (relevance - limit))
