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
    looks = _Looks(page)
    known: dict[tuple[int, int], int] = {}  # of lists, by their element and what is declared
    found = bytearray()
    for declared, container, siblings in zip(_declared(page), lists.container, lists.siblings, strict=True):
        if declared > _MAIN:
            region = declared
        elif siblings < _MANY:
            region = _MAIN
        else:
            key = container, declared
            region = known.get(key, _NOTHING)
            if region == _NOTHING:
                region = known[key] = looks.region(container, is_main=declared == _MAIN)
        found.append(region)
    return np.frombuffer(found, np.int8)


class _Looks:
    """How the lists of a page look."""

    def __init__(self, page: Page) -> None:
        self._page = page
        lengths = page.anchors[:, 1] - page.anchors[:, 0]
        self._anchors_before = [0, *lengths.cumsum().tolist()]  # words of the links before each link
        self._heading = max(page.nodes.tag_bytes.translate(_IS_HEADING).find(1), 0)

    def region(self, container: int, *, is_main: bool) -> Region:
        """The region of a list, where `is_main` says whether the page declares it as content."""
        page = self._page
        first, last = page.nodes.spans[container].tolist()
        start, end = page.links_before[container], page.links_before[page.nodes.last_node[container]]
        inside = self._anchors_before[end] - self._anchors_before[start]
        if inside < _DENSE * (last - first):
            return Region.MAIN
        if is_main or inside > _SHORT * (end - start):
            return Region.LIST
        if container < self._heading:
            return Region.NAVIGATION
        return Region.FOOTER if first >= _FOOT * max(len(page.words), 1) else Region.LIST


def _declared(page: Page) -> list[int]:
    """For each link, the region declared by its element or its nearest ancestor that declares one; else `_NOTHING`."""
    nodes = page.nodes
    of_tag = np.frombuffer(nodes.tag_bytes.translate(_OF_TAG), np.int8)
    rows = (of_tag != _NOTHING).nonzero()[0]
    own = dict(zip(rows.tolist(), of_tag.take(rows).tolist(), strict=True))
    for row, attributes in nodes.attributes.items():
        role = _BY_ROLE.get((attributes.get("role") or "").lower())
        if role is not None:
            own[row] = role
    declared = [_NOTHING] * len(page.links)
    for row in sorted(own):  # descendants come later
        first, last = page.links_before[row], page.links_before[nodes.last_node[row]]
        declared[first:last] = [own[row]] * (last - first)
    return declared
