"""Rules: from the scores of page, block, anchor and context to one score a link. NaN: the link is not followed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from zlib import crc32

import numpy as np

from honeyguide.page.blocks.base import whole_page
from honeyguide.relevance.base import Scores
from honeyguide.strategy.parts import Context, Segmenter
from honeyguide.strategy.view import FIRST, JOINED, View

Rule = Callable[[View], Scores]
"""A score a link, in the order of the view's links. Pure."""

BY_BLOCK, BY_ANCHOR, BY_CONTEXT = "block", "anchor", "context"
"""Why CBP-SLC followed a link (000, Fig. 14)."""


def equal(view: View) -> Scores:
    """All links are worth the same: they are taken in the order of discovery."""
    return np.zeros(len(view.links))


def inherited(view: View) -> Scores:
    """Naive best-first: every link is worth what its page is (spec, section 6)."""
    return np.full(len(view.links), view.relevance)


def at_random(seed: int) -> Rule:
    """A number that has nothing to do with anything but the URL, and is always the same for it."""
    return lambda view: np.array([crc32(url.encode(), seed) / 0xFFFFFFFF for url in view.urls()])


def mixed(segment: Segmenter, context: Context, beta: float, repeated: str = FIRST) -> Rule:
    """β · relevance of the page + (1 - β) · relevance of the context (001; 003, section 3.3)."""

    def rule(view: View) -> Scores:
        scores = view.scores(context(view.page, segment(view.page)), repeated)
        return beta * view.relevance + (1 - beta) * scores

    return rule


class Selective:
    """Relevant parts decide (000, section 3): a block for all its links, else an anchor, else a context, for its own.

    The first that is relevant gives its relevance; a link of which nothing is relevant is dropped. What is not asked is
    left out: with all three it is CBP-SLC, with anchor and context SLC.
    """

    def __init__(
        self, segment: Segmenter | None = None, anchor: Context | None = None, context: Context | None = None
    ) -> None:
        self._segment = segment
        self._anchor = anchor
        self._context = context

    def __call__(self, view: View) -> Scores:
        """A score a link. Which of the three gave how many is noted in the view."""
        scores, reasons = self.judged(view)
        view.accepted.update(reason for reason in reasons if reason)
        return scores

    def judged(self, view: View) -> tuple[Scores, list[str]]:
        """A score a link, and why it has it; "" for a link that is dropped."""
        scores = np.full(len(view.links), np.nan)
        reasons = [""] * len(view.links)
        if not len(view.links):
            return scores, reasons
        for reason, found in self._asked(view):
            takes = np.isnan(scores) & (found >= view.model.threshold)
            scores[takes] = found[takes]
            for place in np.flatnonzero(takes).tolist():
                reasons[place] = reason
            if not np.isnan(scores).any():
                break
        return scores, reasons

    def _asked(self, view: View) -> Iterator[tuple[str, Scores]]:
        blocks = (self._segment or whole_page)(view.page)
        if self._segment is not None:
            yield BY_BLOCK, view.of_blocks(blocks)
        if self._anchor is not None:
            yield BY_ANCHOR, view.scores(self._anchor(view.page, blocks), JOINED)
        if self._context is not None:
            yield BY_CONTEXT, view.scores(self._context(view.page, blocks), JOINED)
