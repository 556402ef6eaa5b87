"""Which blocks of a page are its main content."""

from __future__ import annotations

from typing import Final

import numpy as np

from honeyguide.page.content.features import NAMES, Blocks, features_of
from honeyguide.page.content.weights import BIAS, WEIGHTS
from honeyguide.page.parse import Page

_WEIGHTS: Final = np.array([WEIGHTS.get(name, 0.0) for name in NAMES], np.float32)
_LINKS, _IN_ROOT = NAMES.index("links"), NAMES.index("in root")
_MOSTLY_LINKS: Final = 0.5


def main_blocks(page: Page, blocks: Blocks) -> list[int]:
    """The numbers of the blocks that are main content, ascending.

    A page of which no block looks like it (a list of links, a few words) yields what is not linked in its main part, or
    else all its blocks: a page with words has a text.
    """
    if not len(blocks):
        return []
    features = features_of(page, blocks)
    chosen = features @ _WEIGHTS + BIAS > 0
    if not chosen.any():
        chosen = (features[:, _IN_ROOT] > 0) & (features[:, _LINKS] < _MOSTLY_LINKS)
    if not chosen.any():
        chosen[:] = True
    return [int(number) for number in chosen.nonzero()[0]]
