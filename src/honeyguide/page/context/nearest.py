"""Contexts of bounded total length: where they are long and many, each keeps the words nearest to its link."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans, distinct, words_in

MANY_WORDS: Final = 1_000_000
"""Maximum total number of words in the distinct contexts of a page. Ordinary pages have far less, but where
links are nested in each other's contexts, their total grows as links × words."""
ENOUGH_WORDS: Final = 100
"""Minimum number of words that a context keeps, however many links there are: more than a usual window."""


def is_short(contexts: NDArray[np.int32]) -> bool:
    """Whether contexts have no more than `MANY_WORDS` in total, even if equal ones count each."""
    return words_in(contexts.reshape(-1, 2)) <= MANY_WORDS


def nearest(contexts: Spans, anchors: Spans, *, each: bool = False) -> Spans:
    """The contexts, shortened to the words around their anchors if all different ones together have `MANY_WORDS`.

    Args:
        contexts: One span per link.
        anchors: The span of each link itself.
        each: Whether equal contexts count each, because they will be read once for each link.

    Returns:
        The contexts themselves, if they are short enough. Otherwise each has at most the same number of words, half of
        them before the middle of its anchor as far as its edges allow: ``MANY_WORDS / links``, but no fewer than
        `ENOUGH_WORDS`.
    """
    if is_short(contexts):
        return contexts
    if not each:
        different, _ = distinct(contexts)
        if (different[:, 1] - different[:, 0]).sum(dtype=np.int64) <= MANY_WORDS:
            return contexts
    most = max(MANY_WORDS // len(contexts), ENOUGH_WORDS)
    middle = (anchors[:, 0] + anchors[:, 1]) // 2
    first = np.clip(middle - most // 2, contexts[:, 0], np.maximum(contexts[:, 1] - most, contexts[:, 0]))
    return np.stack((first, np.minimum(first + most, contexts[:, 1])), axis=1).astype(np.int32)
