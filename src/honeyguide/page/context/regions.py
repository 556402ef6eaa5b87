"""The kind of region that contains a link."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.context.directories import MANY_LINKS, is_directory, outside_links
from honeyguide.page.context.lists import LinkLists
from honeyguide.page.parse import Page
from honeyguide.page.tags import tag_id


class Region(IntEnum):
    """The purpose of a part of a page."""

    MAIN = 0
    """The main content: running text and everything in it."""
    LIST = 1
    """A list of links in the main part: a hub's own content."""
    NAVIGATION = 2
    ASIDE = 3
    FOOTER = 4
    DIRECTORY = 5
    """Anywhere on a page that is nearly all links."""


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

_NOTHING = -1
_TAGS = list(_BY_TAG)
_HEADINGS = [tag_id(f"h{level}") for level in range(1, 7)]
_MANY = 4  # minimum number of links of one shape in a list
_DENSE = 0.7  # minimum share of a list's words inside links for it to count as nothing but links
_SHORT = 4.0  # maximum mean number of words per anchor for a dense list to be navigation rather than content
_FOOT = 0.9  # minimum share of the page's words before a dense short list for it to be the page's footer


def regions(page: Page, lists: LinkLists) -> NDArray[np.int8]:
    """The region of each link: as declared by tags and roles, otherwise inferred from the look of its list.

    Roles are known only for pages parsed with ``styled=True``.

    A list of at least four links of one shape, with hardly a word outside them, is a `LIST` if the page declares it as
    content. If the page declares nothing, short anchors before the first heading are navigation, and short anchors at
    the end of the page are its footer. On a page that is nearly all links, all of them are in one region.
    """
    if len(page.links) >= MANY_LINKS and is_directory(page, outside_links(page)):
        return np.full(len(page.links), Region.DIRECTORY, np.int8)
    rows, nodes = page.links.node, page.nodes
    declared = _declared(page)[rows]
    lengths = nodes.last_word - nodes.first_word
    anchors = np.concatenate(([0], np.cumsum(lengths[rows])))
    links_before = np.searchsorted(rows, np.arange(len(nodes) + 1))
    headings = np.flatnonzero(np.isin(np.array(nodes.tag), _HEADINGS))
    heading = headings[0] if len(headings) else 0
    container = lists.container
    start, end = links_before[container], links_before[np.array(nodes.last_node, np.intp)[container]]
    inside = anchors[end] - anchors[start]
    found = np.select(
        [
            (declared != _NOTHING) & (declared != Region.MAIN),
            (lists.siblings < _MANY) | (inside < _DENSE * lengths[container]),
            (declared == Region.MAIN) | (inside > _SHORT * (end - start)),
            container < heading,
            nodes.first_word[container] >= _FOOT * max(len(page.words), 1),
        ],
        [declared, Region.MAIN, Region.LIST, Region.NAVIGATION, Region.FOOTER],
        Region.LIST,
    )
    return found.astype(np.int8)


def _declared(page: Page) -> NDArray[np.int8]:
    """For each node, the region declared by it or by its nearest ancestor that declares one; otherwise `_NOTHING`."""
    nodes = page.nodes
    own = {row: _BY_TAG[nodes.tag[row]] for row in np.flatnonzero(np.isin(np.array(nodes.tag), _TAGS)).tolist()}
    for row, attributes in nodes.attributes.items():
        role = _BY_ROLE.get((attributes.get("role") or "").lower())
        if role is not None:
            own[row] = role
    declared = np.full(len(nodes), _NOTHING, np.int8)
    for row in sorted(own):  # descendants come later
        declared[row : nodes.last_node[row]] = own[row]
    return declared
