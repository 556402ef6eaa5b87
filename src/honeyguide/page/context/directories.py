"""Directories, pages that are nearly all links, and a page's own words, which are outside its links."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans

MANY_LINKS: Final = 100
"""Minimum number of links of a directory."""
OWN_WORDS: Final = 0.2
"""A page with many links is a directory if a smaller share of its words is outside links."""


def outside_links(page: Page) -> NDArray[np.bool_]:
    """A mask of the words of a page outside its links."""
    return _outside_of(page.anchors, len(page.words))


@twin("places")
def _outside_of(anchors: Spans, words: int) -> NDArray[np.bool_]:
    # At each word, how many links are open: links can be nested, however rarely.
    opened = np.bincount(anchors[:, 0], minlength=words + 1)
    closed = np.bincount(anchors[:, 1], minlength=words + 1)
    outside: NDArray[np.bool_] = (opened - closed).cumsum()[:-1] == 0
    return outside


def is_directory(page: Page, outside: NDArray[np.bool_]) -> bool:
    """Whether a page is a directory; `outside` is the mask of its own words."""
    return len(page.links) >= MANY_LINKS and int(np.count_nonzero(outside)) < OWN_WORDS * len(outside)
