"""The contexts defined by the methods, computed for all links of a page together: one span per link, in link order."""

from __future__ import annotations

import numpy as np

from honeyguide.kernel import twin
from honeyguide.page.blocks.base import Blocks
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans


def anchors(page: Page) -> Spans:
    """The words of the links themselves. A link around an image has none: see `page.links.alt` and `title`."""
    return page.anchors.copy()


def windows(page: Page, size: int, *, anchor_counts: bool = False, within: Spans | None = None) -> Spans:
    """Text windows: half of `size` words before the link, its anchor, and half after.

    In 003 the anchor is added to `size`; in 001 it is included (`anchor_counts`): the words around it share the rest,
    and an anchor longer than `size` is kept whole. A window is cut at the edges of the page, or of the link's span in
    `within`; the other side is not extended to compensate.
    """
    if within is None and not anchor_counts:
        return _windows_around(page.anchors, size // 2, size - size // 2, len(page.words))
    found = anchors(page)
    first, last = found[:, 0], found[:, 1]
    around = np.maximum(size - (last - first), 0) if anchor_counts else size
    before = around // 2
    starts, ends = first - before, last + (around - before)
    if within is None:
        np.maximum(starts, 0, out=first)
        np.minimum(ends, len(page.words), out=last)
    else:
        np.minimum(first, np.maximum(starts, within[:, 0]), out=first)
        np.maximum(last, np.minimum(ends, within[:, 1]), out=last)
    return found


@twin("places")
def _windows_around(anchors: Spans, before: int, after: int, words: int) -> Spans:
    """The anchors, extended by a number of words on both sides, within the words of the page."""
    found = np.empty_like(anchors)
    np.maximum(anchors[:, 0] - before, 0, out=found[:, 0])
    np.minimum(anchors[:, 1] + after, words, out=found[:, 1])
    return found


def parents(page: Page, blocks: Blocks | None = None) -> Spans:
    """All text under the parent of the link (the aggregation node of SLC, 000 section 3.2), inside the link's block.

    If the link's element is the block itself, or is in no block, all text of its parent counts.
    """
    wide = _parent_spans(page.links.node, page.nodes.parent, page.nodes.spans)
    if blocks is None:
        return wide
    around, own = blocks.around_links(page), page.anchors
    is_inside = (around[:, 0] != own[:, 0]) | (around[:, 1] != own[:, 1])
    np.maximum(wide[:, 0], around[:, 0], out=wide[:, 0], where=is_inside)
    np.minimum(wide[:, 1], around[:, 1], out=wide[:, 1], where=is_inside)
    return wide


@twin("places")
def _parent_spans(rows: list[int], parent: list[int], spans: Spans) -> Spans:
    """The spans of the parents of some rows; the body is its own parent."""
    return spans.take(np.array([parent[row] for row in rows], np.intp), axis=0, mode="clip")


def block_texts(page: Page, blocks: Blocks) -> Spans:
    """The whole block that contains the link."""
    return blocks.around_links(page)


def block_windows(page: Page, blocks: Blocks, size: int) -> Spans:
    """Block text windows (BTW, 003 section 3.2): the text window inside the link's block, cut at its edges.

    A link in no block has the plain window on the page.
    """
    return windows(page, size, within=blocks.around_links(page))
