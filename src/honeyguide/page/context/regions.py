"""The kind of region that a link is in."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.context.lists import LinkLists
from honeyguide.page.parse import Page
from honeyguide.page.tags import tag_id


class Region(IntEnum):
    """What a part of a page is for."""

    MAIN = 0
    """What the page is about: running text and what stands in it."""
    LIST = 1
    """A list of links in the main part: a hub's own content."""
    NAVIGATION = 2
    ASIDE = 3
    FOOTER = 4


_BY_TAG = {
    tag_id("nav"): Region.NAVIGATION,
    tag_id("menu"): Region.NAVIGATION,
    tag_id("header"): Region.NAVIGATION,
    tag_id("aside"): Region.ASIDE,
    tag_id("footer"): Region.FOOTER,
    tag_id("main"): Region.MAIN,
    tag_id("article"): Region.MAIN,
}
_BY_ROLE = {
    "navigation": Region.NAVIGATION,
    "menu": Region.NAVIGATION,
    "menubar": Region.NAVIGATION,
    "banner": Region.NAVIGATION,
    "complementary": Region.ASIDE,
    "contentinfo": Region.FOOTER,
    "main": Region.MAIN,
    "article": Region.MAIN,
}

_HEADINGS = frozenset(tag_id(f"h{level}") for level in range(1, 7))
_MANY = 4  # links of one shape that make a list
_DENSE = 0.7  # share of a list's words inside links, from which it is nothing but links
_SHORT = 4.0  # words of an anchor, on average, up to which a dense list is navigation rather than content
_FOOT = 0.9  # share of the page's words before a dense short list that makes it the page's foot


def regions(page: Page, lists: LinkLists) -> NDArray[np.int8]:
    """The region of each link: as the page declares it by tags and roles, else by what its list looks like.

    Roles are known for pages parsed with ``styled=True``.

    A list of at least four links of one shape, with hardly a word outside them, is a `LIST` where the page says that it
    is content. Where it says nothing, short anchors before the first heading are navigation, and short anchors at the
    end of the page its foot.
    """
    rows = page.links.node
    declared = _declared(page)
    first, last = page.nodes.first_word, page.nodes.last_word
    anchors = np.concatenate(([0], np.cumsum(last[rows] - first[rows])))
    links_before = np.searchsorted(rows, np.arange(len(page.nodes) + 1))
    heading = next((row for row, tag in enumerate(page.nodes.tag) if tag in _HEADINGS), 0)
    total = max(len(page.words), 1)
    found = np.empty(len(rows), np.int8)
    for link, row in enumerate(rows):
        said = declared[row]
        if said is not None and said is not Region.MAIN:
            found[link] = said
            continue
        container = int(lists.container[link])
        words = int(last[container] - first[container])
        start, end = links_before[container], links_before[page.nodes.last_node[container]]
        inside = int(anchors[end] - anchors[start])
        if lists.siblings[link] < _MANY or inside < _DENSE * words:
            found[link] = Region.MAIN
        elif said is Region.MAIN or inside > _SHORT * (end - start):
            found[link] = Region.LIST
        elif container < heading:
            found[link] = Region.NAVIGATION
        elif first[container] >= _FOOT * total:
            found[link] = Region.FOOTER
        else:
            found[link] = Region.LIST
    return found


def _declared(page: Page) -> list[Region | None]:
    """For each node the region that it, or the nearest node above it, declares."""
    nodes = page.nodes
    declared: list[Region | None] = []
    for row, (tag, parent) in enumerate(zip(nodes.tag, nodes.parent, strict=True)):
        role = nodes.attributes[row].get("role") if row in nodes.attributes else None
        own = _BY_ROLE.get((role or "").lower(), _BY_TAG.get(tag))
        declared.append(own if own is not None or parent < 0 else declared[parent])
    return declared
