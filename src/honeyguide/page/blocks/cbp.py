"""Content Block Partition (000, section 3.1, Algorithm 1): sub-trees of the document, split from the top."""

from __future__ import annotations

from typing import Final

import numpy as np

from honeyguide.page.blocks.base import NO_BLOCK, Blocks
from honeyguide.page.parse import Nodes, Page
from honeyguide.page.spans import spans
from honeyguide.page.tags import tag_ids

PAPER: Final = tag_ids("h1 h2 h3 h4 h5 h6 p address center ul dt table th tr td")
"""The content block tags of the paper."""

MODERN: Final = PAPER | tag_ids("div section article aside nav header footer main ol li dl dd form blockquote pre")
"""Ours: with the tags that pages are built of today."""


def cbp(page: Page, alpha: float = 0.5, k: int = 1, block_tags: frozenset[int] = PAPER) -> Blocks:
    """Split a page where its tree of content block tags is high enough and links lie below.

    A node is split while its block height is at least ``s = alpha · height of the page`` and one of its children has
    at least `k` links in its sub-tree; else it is a block. Resolutions: `s` is at least 1, or a page without block
    tags would fall to shreds; a run of text directly under a split node is a block of its own, without links; a link
    is never split. Blocks with neither words nor links are left out; a page's refresh, a link of the body, is in none
    once the body is split.
    """
    nodes = page.nodes
    heights = block_heights(nodes, block_tags)
    least = max(1.0, alpha * heights[0])
    rows = np.arange(len(nodes) + 1)
    links_before = np.searchsorted(page.links.node, rows).tolist()
    first, last, last_node = nodes.first_word.tolist(), nodes.last_word.tolist(), nodes.last_node
    link_rows = set(page.links.node)
    found: list[tuple[int, int, int, int]] = []  # first and last word, first and last link
    queue = [0]
    while queue:
        node = queue.pop()
        children = _children(node, last_node)
        if (
            heights[node] >= least
            and (node not in link_rows or node == 0)
            and any(links_before[last_node[child]] - links_before[child] >= k for child in children)
        ):
            queue.extend(children)
            edges = [first[node], *(edge for child in children for edge in (first[child], last[child])), last[node]]
            found += [(start, end, 0, 0) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]
        else:
            links = links_before[node], links_before[last_node[node]]
            if first[node] < last[node] or links[0] < links[1]:
                found.append((first[node], last[node], *links))
    found.sort()
    of_link = np.full(len(page.links), NO_BLOCK, np.int32)
    for number, (_, _, start, end) in enumerate(found):
        of_link[start:end] = number
    return Blocks(spans((start, end) for start, end, _, _ in found), of_link)


def block_heights(nodes: Nodes, block_tags: frozenset[int]) -> list[int]:
    """For each node the most content block tags on any path strictly below it (blockHeight in Algorithm 1)."""
    heights = [0] * len(nodes)
    tag, parent = nodes.tag, nodes.parent
    for node in range(len(nodes) - 1, 0, -1):
        above = parent[node]
        heights[above] = max(heights[above], heights[node] + (tag[node] in block_tags))
    return heights


def _children(node: int, last_node: list[int]) -> list[int]:
    children = []
    child = node + 1
    while child < last_node[node]:
        children.append(child)
        child = last_node[child]
    return children
