"""HTML to a page: one walk over the tree, into flat arrays of words, nodes and links."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser, LexborNode

from honeyguide.page import tags
from honeyguide.page.url import UrlRules
from honeyguide.page.words import split_words

BREAK = "\x1f"
"""Stands in a page's source text where a block begins or ends; never part of a word."""

NOFOLLOW = 1
"""Flag of a link whose author does not vouch for it (rel=nofollow, ugc or sponsored)."""

_UNVOUCHED = re.compile(r"\b(?:nofollow|ugc|sponsored)\b", re.IGNORECASE)
_REFRESH = re.compile(r"^\s*[\d.]*\s*[;,]\s*url\s*=\s*['\"]?([^'\">]+)", re.IGNORECASE)
_HIDING = {
    " hidden": "[hidden]",
    "display:none": '[style*="display:none"]',
    "display: none": '[style*="display: none"]',
    "visibility:hidden": '[style*="visibility:hidden"]',
    "visibility: hidden": '[style*="visibility: hidden"]',
}
"""How markup hides an element: words that stand in its source, and the selector that finds it."""


@dataclass(slots=True)
class Nodes:
    """The elements of the body in document order: parallel arrays, a row an element; row 0 is the body.

    Row `i` holds the words ``[first_word[i], last_word[i])`` and, as its sub-tree, the rows ``[i, last_node[i])``.
    The body's parent is -1.
    """

    tag: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    last_node: list[int] = field(default_factory=list)
    first_word: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    last_word: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))


_Link = tuple[str, int, str, str, int]


@dataclass(slots=True)
class Links:
    """The links of the body in document order, repeated ones included: parallel arrays."""

    url: list[str] = field(default_factory=list)
    """Canonical and absolute."""
    node: list[int] = field(default_factory=list)
    """The row of the link's element; its words are the anchor."""
    alt: list[str] = field(default_factory=list)
    """What the link says without visible words: the texts of its images, or its anchor when that is hidden."""
    title: list[str] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.url)

    @classmethod
    def of(cls, rows: list[_Link]) -> Links:
        """Columns from rows."""
        return cls(*map(list, zip(*rows, strict=True))) if rows else cls()


@dataclass
class Page:
    """A document as every method sees it: words, and spans over them."""

    url: str
    title: str
    language: str
    """As the page declares it, without a region ("en"); "" when it does not."""
    description: str
    canonical: str
    """The address the page says is its own; "" when it does not."""
    robots: str
    """Content of its meta robots tags, comma-separated."""
    source: str
    """The visible text as it stood in the document, blocks set apart by `BREAK`."""
    words: list[str]
    nodes: Nodes
    links: Links

    @cached_property
    def text(self) -> str:
        """The visible text for people: one line a block, white space folded."""
        lines = (" ".join(block.split()) for block in self.source.split(BREAK))
        return "\n".join(line for line in lines if line)


def parse(html: str, url: str, rules: UrlRules) -> Page:
    """Read a document that was fetched from `url`. Never raises on any HTML, however broken or deep."""
    tree = LexborHTMLParser(html)
    head = _read_head(tree)
    join = rules.joiner((rules.join(url, head.base) if head.base else None) or url)
    nodes, links, source, starts, ends = _walk(tree, join, _hidden(tree, html))
    if head.refresh and (target := join(head.refresh)):
        # A page that sends its reader on says so outside its text: the last link of the body, without words.
        links.append((target, 0, "", "", 0))
    words, count = split_words(source)
    nodes.first_word = count.take(starts)
    nodes.last_word = count.take(ends)
    canonical = join(head.canonical) if head.canonical else None
    return Page(
        url,
        head.title,
        head.language,
        head.description,
        canonical or "",
        head.robots,
        source,
        words,
        nodes,
        Links.of(links),
    )


def _walk(
    tree: LexborHTMLParser, join: Callable[[str], str | None], hidden: set[int]
) -> tuple[Nodes, list[_Link], str, list[int], list[int]]:
    """Nodes and links, the source text, and the positions in it at which each node starts and ends.

    `hidden` names the nodes whose text is not shown. One loop with local names and no call a node: this is the
    hottest code of reading, and recursion would end at Python's limit on deep pages.
    """
    nodes = Nodes()
    tag, parent, last_node = nodes.tag, nodes.parent, nodes.last_node
    links: list[_Link] = []
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    hidden_in = -1  # the row whose hidden content is being walked, or -1
    text_kind, comment, unseen, breaking, special = tags.TEXT, tags.COMMENT, tags.UNSEEN, tags.BREAKING, _SPECIAL
    above: list[LexborNode] = []
    row = -1  # of the element that `node` is a child of
    node: LexborNode | None = tree.body or tree.root
    while node is not None:
        kind = node.tag_id
        if kind == text_kind:
            if hidden_in < 0:
                text = node.text_content or ""
                parts.append(text)
                position += len(text)
        elif kind != comment and kind not in unseen:
            if kind in breaking:
                parts.append(BREAK)
                position += 1
            here = len(tag)
            tag.append(kind)
            parent.append(row)
            starts.append(position)
            ends.append(-1)
            last_node.append(here + 1)
            if kind in special:
                if kind != tags.IMG:
                    link = _read_link(node, here, join, hidden=hidden_in >= 0)
                    if link is not None:
                        links.append(link)
                elif links and ends[links[-1][1]] < 0:
                    links[-1] = _with_image(links[-1], node)
            if hidden and hidden_in < 0 and node.mem_id in hidden:
                hidden_in = here
            child = node.first_child
            if child is not None:
                above.append(node)
                row = here
                node = child
                continue
            ends[here] = position
            if hidden_in == here:
                hidden_in = -1
        if not above:
            break
        following = node.next
        while following is None:
            ends[row] = position
            last_node[row] = len(tag)
            if hidden_in == row:
                hidden_in = -1
            if tag[row] in breaking:
                parts.append(BREAK)
                position += 1
            row = parent[row]
            node = above.pop()
            if not above:
                break
            following = node.next
        node = following
    return nodes, links, "".join(parts), starts, ends


def _hidden(tree: LexborHTMLParser, html: str) -> set[int]:
    """The nodes whose own markup hides them. Searching for the words first is far cheaper than the selectors."""
    selectors = [selector for word, selector in _HIDING.items() if word in html]
    return {node.mem_id for node in tree.css(",".join(selectors))} if selectors else set()


_SPECIAL = frozenset({tags.A, tags.AREA, tags.FRAME, tags.IMG})


def _read_link(node: LexborNode, row: int, join: Callable[[str], str | None], *, hidden: bool) -> _Link | None:
    attributes = node.attributes
    href = attributes.get("href") or (attributes.get("src") if node.tag_id == tags.FRAME else None)
    if not href or href[0] == "#" or (url := join(href)) is None:
        return None
    alt = attributes.get("alt") or (" ".join(node.text().split()) if hidden else "")
    rel = attributes.get("rel")
    return url, row, alt, attributes.get("title") or "", NOFOLLOW if rel and _UNVOUCHED.search(rel) else 0


def _with_image(link: _Link, image: LexborNode) -> _Link:
    """The link with the text of an image inside it."""
    url, row, alt, title, flags = link
    attributes = image.attributes
    said = attributes.get("alt") or attributes.get("title") or ""
    return url, row, f"{alt} {said}".strip(), title, flags


@dataclass(slots=True)
class _Head:
    title: str = ""
    language: str = ""
    description: str = ""
    canonical: str = ""
    robots: str = ""
    base: str = ""
    refresh: str = ""


def _read_head(tree: LexborHTMLParser) -> _Head:
    head = _Head()
    if tree.root is not None:
        declared = tree.root.attributes
        head.language = (declared.get("lang") or declared.get("xml:lang") or "").strip().lower().split("-")[0]
    node = tree.head.first_child if tree.head is not None else None
    while node is not None:
        kind = node.tag_id
        if kind == tags.META:
            _read_meta(node, head)
        elif kind == tags.TITLE:
            head.title = head.title or " ".join(node.text().split())
        elif kind == tags.BASE:
            head.base = head.base or node.attributes.get("href") or ""
        elif kind == tags.LINK:
            attributes = node.attributes
            if (attributes.get("rel") or "").lower() == "canonical":
                head.canonical = head.canonical or attributes.get("href") or ""
        node = node.next
    return head


def _read_meta(node: LexborNode, head: _Head) -> None:
    attributes = node.attributes
    content = attributes.get("content")
    if not content:
        return
    name = (attributes.get("name") or attributes.get("property") or attributes.get("http-equiv") or "").lower()
    if name == "description":
        head.description = " ".join(content.split())
    elif name == "og:description":
        head.description = head.description or " ".join(content.split())
    elif name == "robots":
        head.robots = f"{head.robots}, {content}" if head.robots else content
    elif name == "content-language":
        head.language = head.language or content.strip().lower().split("-")[0].split(",")[0]
    elif name == "refresh" and (found := _REFRESH.match(content)):
        head.refresh = found[1].strip()
