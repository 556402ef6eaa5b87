"""Content Block Partition (000, section 3.1, Algorithm 1): sub-trees of the document, split from the top."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.page.blocks.base import NO_BLOCK, Blocks
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans
from honeyguide.page.tags import tag_ids

PAPER: Final = tag_ids("h1 h2 h3 h4 h5 h6 p address center ul dt table th tr td")
"""The content block tags of the paper."""

MODERN: Final = PAPER | tag_ids("div section article aside nav header footer main ol li dl dd form blockquote pre")
"""The paper's tags and those of modern pages (our addition)."""


def cbp(page: Page, alpha: float = 0.5, k: int = 1, block_tags: frozenset[int] = PAPER) -> Blocks:
    """Split a page where its tree of content block tags is high enough and there are links below.

    A node is split while its block height is at least ``s = alpha · height of the page`` and one of its children has at
    least `k` links in its sub-tree; otherwise it is a block. Our resolutions of what the paper leaves open: `s` is at
    least 1, because a page without block tags would otherwise be split into its smallest parts; a run of text directly
    under a split node is a block of its own, without links; a link is never split. Blocks with neither words nor links
    are left out. The target of a meta refresh is a link of the body, so it is in no block once the body is split.
    """
    nodes = page.nodes
    is_block_tag = nodes.tag_bytes.translate(_table(block_tags))
    return Blocks(
        *_split_blocks(
            is_block_tag, nodes.parent, nodes.last_node, page.links_before, page.links.node, nodes.spans, alpha, k
        )
    )


@twin("places")
def _split_blocks(
    is_block_tag: bytes,
    parent: list[int],
    last_node: list[int],
    links_before: list[int],
    rows: list[int],
    spans: Spans,
    alpha: float,
    k: int,
) -> tuple[Spans, NDArray[np.int32]]:
    """The spans of the blocks and the block of each link, from the columns of a page."""
    heights = block_heights(parent, is_block_tag)
    least = max(1.0, alpha * heights[0])
    first, last = spans[:, 0].tolist(), spans[:, 1].tolist()
    unsplit = set(rows) - {0}
    found: list[tuple[int, int, int, int]] = []  # first and last word, first and last link
    queue = [0]
    while queue:
        node = queue.pop()
        end = last_node[node]
        if heights[node] >= least and node not in unsplit:
            children = []
            has_links = False
            child = node + 1
            while child < end:
                children.append(child)
                after = last_node[child]
                has_links = has_links or links_before[after] - links_before[child] >= k
                child = after
            if has_links:
                queue += children
                found += _loose(node, children, first, last)
                continue
        start, stop = links_before[node], links_before[end]
        if first[node] < last[node] or start < stop:
            found.append((first[node], last[node], start, stop))
    found.sort()
    of_link = np.full(len(rows), NO_BLOCK, np.int32)
    for number, (_, _, start, stop) in enumerate(found):
        of_link[start:stop] = number
    return np.array(found, np.int32).reshape(-1, 4)[:, :2], of_link


def _loose(node: int, children: list[int], first: list[int], last: list[int]) -> Iterator[tuple[int, int, int, int]]:
    """The runs of words directly under a node, outside its children."""
    reached = first[node]
    for child in children:
        if reached < first[child]:
            yield reached, first[child], 0, 0
        reached = last[child]
    if reached < last[node]:
        yield reached, last[node], 0, 0


def block_heights(parent: list[int], is_block_tag: bytes) -> list[int]:
    """For each node, the most content block tags on any path strictly below it (blockHeight in Algorithm 1)."""
    heights = [0] * len(parent)
    for node in range(len(parent) - 1, 0, -1):
        above = parent[node]
        height = heights[node] + is_block_tag[node]
        if height > heights[above]:  # noqa: PLR1730 (max takes three times as long)
            heights[above] = height
    return heights


@cache
def _table(block_tags: frozenset[int]) -> bytes:
    """Which tags are block tags, as a table for `bytes.translate`."""
    return bytes(tag in block_tags for tag in range(256))
