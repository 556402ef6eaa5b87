"""Pages that are nearly all links, and the words of a page that are its own."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans

MANY_LINKS: Final = 100
"""Links from which a page can be a directory."""
OWN_WORDS: Final = 0.2
"""Share of its words outside of links below which a page with many links is a directory."""


def outside_links(page: Page) -> NDArray[np.bool_]:
    """Which words of a page are outside of its links: its own."""
    return _outside_of(page.anchors, len(page.words))


@twin("places")
def _outside_of(anchors: Spans, words: int) -> NDArray[np.bool_]:
    # At each word, how many links are open: links can be nested, however rarely.
    opened = np.bincount(anchors[:, 0], minlength=words + 1)
    closed = np.bincount(anchors[:, 1], minlength=words + 1)
    outside: NDArray[np.bool_] = (opened - closed).cumsum()[:-1] == 0
    return outside


def is_directory(page: Page, outside: NDArray[np.bool_]) -> bool:
    """Whether a page is nearly all links, where `outside` says which of its words are its own."""
    return len(page.links) >= MANY_LINKS and int(np.count_nonzero(outside)) < OWN_WORDS * len(outside)
