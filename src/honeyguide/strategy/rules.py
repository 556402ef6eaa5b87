"""Rules, which compute one score per link from the scores of page, block, anchor and context."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from zlib import crc32

import numpy as np

from honeyguide.page.blocks.base import whole_page
from honeyguide.relevance.base import Scores
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.page_view import FIRST, JOINED, PageView
from honeyguide.strategy.parts import Context, Segmenter

Rule = Callable[[PageView], LinkTable]
"""Builds the link table of a page (`PageView.table`): one score per link, NaN for a link that should not be followed,
and the columns that the queue of the strategy needs. Pure: the same page gives the same table, in any process."""

ACCEPTED_BY = "accepted_by"
"""The column with the part of the page because of which a link is followed, for rules with several (000, Fig. 14)."""

BY_BLOCK, BY_ANCHOR, BY_CONTEXT = "block", "anchor", "context"
"""The values of that column."""


def equal(view: PageView) -> LinkTable:
    """Give all links the same score: they are fetched in the order of discovery."""
    return view.table(np.zeros(len(view.links)))


def inherited(view: PageView) -> LinkTable:
    """Naive best-first: give every link the score of its page (spec, section 6)."""
    return view.table(np.full(len(view.links), view.relevance))


def at_random(seed: int) -> Rule:
    """A pseudo-random score that depends only on the URL and the seed."""
    return lambda view: view.table(np.array([crc32(url.encode(), seed) / 0xFFFFFFFF for url in view.urls]))


def mixed(segment: Segmenter, context: Context, beta: float, repeated: str = FIRST) -> Rule:
    """β · relevance of the page + (1 - β) · relevance of the context (001; 003, section 3.3)."""

    def rule(view: PageView) -> LinkTable:
        scores = view.scores(context(view.page, segment(view.page)), repeated)
        return view.table(beta * view.relevance + (1 - beta) * scores)

    return rule


class Selective:
    """Follows links with a relevant part (000, section 3): the block, else the anchor, else the context of the link.

    The first relevant part determines the score; a link without a relevant part is dropped. Parts may be omitted: all
    three make CBP-SLC, anchor and context make SLC.
    """

    def __init__(
        self, segment: Segmenter | None = None, anchor: Context | None = None, context: Context | None = None
    ) -> None:
        self._segment = segment
        self._anchor = anchor
        self._context = context

    def __call__(self, view: PageView) -> LinkTable:
        """One score per link; the column `ACCEPTED_BY` has the part that determined it."""
        scores = np.full(len(view.links), np.nan)
        accepted_by = np.full(len(view.links), "", "U7")
        if len(view.links):
            for part, found in self._parts(view):
                takes = np.isnan(scores) & (found >= view.model.threshold)
                scores[takes] = found[takes]
                accepted_by[takes] = part
                if not np.isnan(scores).any():
                    break
        return view.table(scores, **{ACCEPTED_BY: accepted_by})

    def _parts(self, view: PageView) -> Iterator[tuple[str, Scores]]:
        """The scores of each part for all links, in the order of precedence."""
        blocks = (self._segment or whole_page)(view.page)
        if self._segment is not None:
            yield BY_BLOCK, view.of_blocks(blocks)
        if self._anchor is not None:
            yield BY_ANCHOR, view.scores(self._anchor(view.page, blocks), JOINED)
        if self._context is not None:
            yield BY_CONTEXT, view.scores(self._context(view.page, blocks), JOINED)
