"""The list that a link is in: how many others of the same shape stand beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.parse import Page


@dataclass(frozen=True, slots=True)
class LinkLists:
    """For each link, the list it belongs to."""

    container: NDArray[np.int32]
    """The row of the element whose children are the items of the list."""
    siblings: NDArray[np.int32]
    """How many children of that element have the shape of this link's item: its tag, and at least one link. A hub's
    list has many; a link in running text has itself and its neighbours in the paragraph.
    """


def link_lists(page: Page) -> LinkLists:
    """An item is the largest element around a link that holds no other; its parent is the list."""
    nodes, rows = page.nodes, page.links.node
    parent, last_node, tag = nodes.parent, nodes.last_node, nodes.tag
    links_before = np.searchsorted(rows, np.arange(len(nodes) + 1)).tolist()
    containers: list[int] = []
    sizes: list[int] = []
    shapes: dict[int, dict[int, int]] = {}
    for row in rows:
        item = row
        while (above := parent[item]) >= 0 and links_before[last_node[above]] - links_before[above] == 1:
            item = above
        container = max(parent[item], 0)
        if container not in shapes:
            shapes[container] = _shapes(container, tag, last_node, links_before)
        containers.append(container)
        sizes.append(shapes[container].get(tag[item], 1))
    return LinkLists(np.array(containers, np.int32), np.array(sizes, np.int32))


def _shapes(container: int, tag: list[int], last_node: list[int], links_before: list[int]) -> dict[int, int]:
    """How many children of each tag hold a link."""
    counts: dict[int, int] = {}
    child = container + 1
    while child < last_node[container]:
        if links_before[last_node[child]] > links_before[child]:
            counts[tag[child]] = counts.get(tag[child], 0) + 1
        child = last_node[child]
    return counts
