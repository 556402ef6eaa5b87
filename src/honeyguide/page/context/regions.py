"""The kind of region that contains a link."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.page.context.directories import MANY_LINKS, is_directory, outside_links
from honeyguide.page.context.lists import LinkLists
from honeyguide.page.nodes import Nodes
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans
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

_NOTHING, _MAIN = -1, int(Region.MAIN)  # Python takes longer to compare with a region than with its number
_OF_TAG = bytes(_BY_TAG.get(tag, _NOTHING & 0xFF) for tag in range(256))  # tables for `bytes.translate`
_IS_HEADING = bytes(tag in {tag_id(f"h{level}") for level in range(1, 7)} for tag in range(256))
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
    nodes = page.nodes
    heading = max(nodes.tag_bytes.translate(_IS_HEADING).find(1), 0)
    return _region_of_each(
        _declaring(nodes), lists.container, lists.siblings, nodes.last_node, page.links_before, nodes.spans,
        page.anchors, heading, len(page.words), _MANY, _DENSE, _SHORT, _FOOT,
    )  # fmt: skip


def _declaring(nodes: Nodes) -> NDArray[np.int8]:
    """For each element, the region that its tag or role declares; else `_NOTHING`."""
    declaring = np.frombuffer(bytearray(nodes.tag_bytes.translate(_OF_TAG)), np.int8)
    for row, attributes in nodes.attributes.items():
        role = _BY_ROLE.get((attributes.get("role") or "").lower())
        if role is not None:
            declaring[row] = role
    return declaring


@twin("places")
def _region_of_each(
    declaring: NDArray[np.int8],
    containers: list[int],
    siblings: list[int],
    last_node: list[int],
    links_before: list[int],
    spans: Spans,
    anchors: Spans,
    heading: int,
    words: int,
    many: int,
    dense: float,
    short: float,
    foot: float,
) -> NDArray[np.int8]:
    """The region of each link, from what elements declare and from the lists of the links."""
    declared = np.full(len(anchors), _NOTHING, np.int8)
    for row in (declaring != _NOTHING).nonzero()[0].tolist():  # descendants come later
        declared[links_before[row] : links_before[last_node[row]]] = declaring[row]
    anchors_before = [0, *(anchors[:, 1] - anchors[:, 0]).cumsum().tolist()]  # words of the links before each link

    def region_of(container: int, *, is_main: bool) -> Region:
        first, last = spans[container].tolist()
        start, end = links_before[container], links_before[last_node[container]]
        inside = anchors_before[end] - anchors_before[start]
        if inside < dense * (last - first):
            return Region.MAIN
        if is_main or inside > short * (end - start):
            return Region.LIST
        if container < heading:
            return Region.NAVIGATION
        return Region.FOOTER if first >= foot * max(words, 1) else Region.LIST

    known: dict[tuple[int, int], int] = {}  # of lists, by their element and what is declared
    found = bytearray()
    for own, container, similar in zip(declared.tolist(), containers, siblings, strict=True):
        if own > _MAIN:
            region = own
        elif similar < many:
            region = _MAIN
        else:
            key = container, own
            region = known.get(key, _NOTHING)
            if region == _NOTHING:
                region = known[key] = region_of(container, is_main=own == _MAIN)
        found.append(region)
    return np.frombuffer(found, np.int8)
