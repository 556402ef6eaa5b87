"""Which blocks of a page are its main content."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.content.features import NAMES, TextBlocks, features_of
from honeyguide.page.content.weights import BIAS, WEIGHTS
from honeyguide.page.parse import Page

_WEIGHTS: Final = np.array([WEIGHTS.get(name, 0.0) for name in NAMES], np.float32)
_LINKS = NAMES.index("links")
_MOSTLY_LINKS: Final = 0.5
_GAP: Final = 2  # blocks between two of the main content that belong to it, too: a heading, a short paragraph
_UNLIKELY: Final = -2.0  # but not one that looks like this


def main_blocks(page: Page, blocks: TextBlocks) -> list[int]:
    """The numbers of the blocks that are main content, ascending.

    A page of which no block looks like it (a list of links, a few words) yields what is not linked, or else all its
    blocks: a page with words has a text.
    """
    if not len(blocks):
        return []
    features = features_of(page, blocks)
    chosen = without_gaps(features @ _WEIGHTS + BIAS)
    if not chosen.any():
        chosen = features[:, _LINKS] < _MOSTLY_LINKS
    if not chosen.any():
        chosen[:] = True
    return [int(number) for number in chosen.nonzero()[0]]


def without_gaps(scores: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which blocks are chosen by their scores: those above 0, and few between two of them, if not far below."""
    chosen = scores > 0
    places = chosen.nonzero()[0]
    steps = places[1:] - places[:-1]
    for number in ((steps > 1) & (steps <= _GAP + 1)).nonzero()[0].tolist():
        before, after = places[number], places[number + 1]
        chosen[before:after] |= scores[before:after] > _UNLIKELY
    return chosen
