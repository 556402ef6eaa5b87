"""The list that contains a link, and how many items of the same shape it has."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.kernel import twin
from honeyguide.page.parse import Page


@dataclass(frozen=True, slots=True)
class LinkLists:
    """For each link, the list it belongs to."""

    container: list[int]
    """The row of the element whose children are the items of the list."""
    siblings: list[int]
    """How many children of that element have the shape of this link's item: its tag, and at least one link. A hub's
    list has many; for a link in running text they are the link itself and its neighbours in the paragraph."""


def link_lists(page: Page) -> LinkLists:
    """The list of each link. An item is the largest element with no other link in it; its parent is the list."""
    nodes = page.nodes
    return LinkLists(*_list_of_each(page.links.node, nodes.parent, nodes.last_node, nodes.tag_bytes, page.links_before))


@twin("places")
def _list_of_each(
    rows: list[int], parent: list[int], last_node: list[int], tag: bytes, links_before: list[int]
) -> tuple[list[int], list[int]]:
    """The columns of `LinkLists`, from those of the nodes and links."""
    containers, siblings = [], []
    shapes: dict[int, dict[int, int]] = {}
    for row in rows:
        item = row
        while (above := parent[item]) >= 0 and links_before[last_node[above]] - links_before[above] == 1:
            item = above
        container = max(above, 0)
        own = shapes.get(container)
        if own is None:
            own = shapes[container] = _shapes(container, tag, last_node, links_before)
        containers.append(container)
        siblings.append(own.get(tag[item], 1))
    return containers, siblings


def _shapes(container: int, tag: bytes, last_node: list[int], links_before: list[int]) -> dict[int, int]:
    """For each tag, how many children contain a link."""
    counts: dict[int, int] = {}
    child = container + 1
    while child < last_node[container]:
        if links_before[last_node[child]] > links_before[child]:
            counts[tag[child]] = counts.get(tag[child], 0) + 1
        child = last_node[child]
    return counts
