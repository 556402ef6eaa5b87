"""The contexts that the methods define, for all links of a page at once: one span a link, in the order of the links."""

from __future__ import annotations

import numpy as np

from honeyguide.page.blocks.base import Blocks
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans, spans_of


def anchors(page: Page) -> Spans:
    """The words of the links themselves. A link around an image has none: see `page.links.alt` and `title`."""
    rows = np.array(page.links.node, np.intp)
    return spans_of(page.nodes.first_word.take(rows), page.nodes.last_word.take(rows))


def windows(page: Page, size: int, *, anchor_counts: bool = False, within: Spans | None = None) -> Spans:
    """Text windows: half of `size` words before the link, its anchor, and half after.

    In 003 the anchor comes on top of `size`; in 001 it counts (`anchor_counts`): the words around it share what is
    left, and an anchor that is longer stays whole. At the edges of the page, or of the span in `within` that belongs to
    the link, a window is cut; nothing is borrowed from the other side.
    """
    spans = anchors(page)
    first, last = spans[:, 0], spans[:, 1]
    around = np.maximum(size - (last - first), 0) if anchor_counts else np.full(len(spans), size, np.int32)
    before, after = around // 2, around - around // 2
    if within is None:
        least, most = 0, len(page.words)
        return spans_of(np.maximum(first - before, least), np.minimum(last + after, most)).astype(np.int32)
    return spans_of(
        np.minimum(np.maximum(first - before, within[:, 0]), first),
        np.maximum(np.minimum(last + after, within[:, 1]), last),
    ).astype(np.int32)


def parents(page: Page, blocks: Blocks | None = None) -> Spans:
    """All text under the parent of the link (the aggregation node of SLC, 000 section 3.2), inside the link's block.

    Where the link's element is the block itself, or outside of all, its parent's text counts whole.
    """
    parent = page.nodes.parent
    above = np.array([max(parent[row], 0) for row in page.links.node], np.intp)
    wide = spans_of(page.nodes.first_word.take(above), page.nodes.last_word.take(above))
    if blocks is None:
        return wide
    around = blocks.around_links(page)
    outside = (around == anchors(page)).all(axis=1)
    around[outside] = wide[outside]
    return spans_of(np.maximum(wide[:, 0], around[:, 0]), np.minimum(wide[:, 1], around[:, 1]))


def block_texts(page: Page, blocks: Blocks) -> Spans:
    """The whole block that the link is in."""
    return blocks.around_links(page)


def block_windows(page: Page, blocks: Blocks, size: int) -> Spans:
    """Block text windows (BTW, 003 section 3.2): the text window inside the link's block, cut at its edges.

    A link in no block has the plain window on the page.
    """
    return windows(page, size, within=blocks.around_links(page))
