"""HTML to a page: one walk over the tree, which fills flat arrays of words, nodes and links."""

from __future__ import annotations

import re
import threading
from bisect import bisect_left
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import accumulate, compress
from typing import Final

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborCSSSelector, LexborDocumentOptions, LexborHTMLParser, LexborNode

from honeyguide.kernel import compiled, twin
from honeyguide.lazy import lazy
from honeyguide.page import tags
from honeyguide.page.head import read_head, read_sheets
from honeyguide.page.limits import MAX_LINKS, limited
from honeyguide.page.spans import Spans
from honeyguide.page.url import UrlRules
from honeyguide.page.words import SEAM, Words, find_words

NOFOLLOW: Final = 1
"""Flag of a link whose author does not vouch for it (rel=nofollow, ugc or sponsored)."""

_Attributes = dict[str, str | None]
_Marked = list[tuple[int, _Attributes]]
"""Rows of links and images, with their attributes."""

# Events only copy a selected option into its button.
_WITHOUT_EVENTS = LexborDocumentOptions.WO_EVENTS.value

# How the walk over a page treats a tag: the special cases among the elements.
_SKIPPED, _UNSEEN, _MARKED = 1, 2, 3
_PARTS = [_UNSEEN if tag in tags.UNSEEN else 0 for tag in range(tags.LAST + 1)]
_PARTS[tags.COMMENT] = _SKIPPED
for _tag in (tags.A, tags.AREA, tags.FRAME, tags.IMG):
    _PARTS[_tag] = _MARKED
_PART_BYTES = bytes(_PARTS)
_IS_BREAKING = bytes(tag in tags.BREAKING for tag in range(256))  # a table for `bytes.translate`

_kernel = compiled("walk")

_UNVOUCHED = re.compile(r"\b(?:nofollow|ugc|sponsored)\b", re.IGNORECASE)
_UNSHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE | re.ASCII)
# Bounds that no real page needs to exceed, which limit the work per link: levels between a link and an image in it,
# characters of the texts of its images, and pieces of a hidden anchor.
_NEAR, _ENOUGH_SAID, _ENOUGH_PIECES = 8, 500, 50
_HIDING = '[hidden],[style*="none" i],[style*="hidden" i]'  # all that may hide an element, and a little more


@dataclass
class Nodes:
    """The elements of the body in document order: parallel lists, one row per element; row 0 is the body.

    Row `i` contains the words ``[first_word[i], last_word[i])`` and, as its sub-tree, the rows ``[i, last_node[i])``. A
    parent comes before its children; the body's parent is -1.
    """

    tag: list[int]
    """A number of `honeyguide.page.tags`."""
    parent: list[int]
    first_piece: list[int]
    """The first piece of the page's source in an element; `last_piece` is the one after its end."""
    last_piece: list[int]
    words_before: NDArray[np.int32] = field(default_factory=lambda: np.zeros(2, np.int32))
    """How many words begin before each piece, and before the end."""
    attributes: dict[int, _Attributes] = field(default_factory=dict)
    """Attributes of the rows that have any, if the page was parsed with ``styled=True``; otherwise empty."""
    html: _Attributes = field(default_factory=dict)
    """Attributes of the element around the body, likewise."""
    sheets: tuple[tuple[str, str], ...] = ()
    """Media and text of the document's style sheets, likewise."""

    def __len__(self) -> int:
        return len(self.tag)

    # Computed on demand: a strategy that reads only anchors does not need them.

    @lazy
    def last_node(self) -> list[int]:
        """The row after the last one in each row's sub-tree."""
        return _subtree_ends(self.parent)

    @lazy
    def spans(self) -> Spans:
        """The words that begin in each row."""
        return _node_spans(self.first_piece, self.last_piece, self.words_before)

    @lazy
    def tag_bytes(self) -> bytes:
        """The tags as bytes, for look-ups with `bytes.translate`."""
        return bytes(self.tag)

    @lazy
    def first_word(self) -> NDArray[np.int32]:
        """The position of the first word that begins in each row."""
        return self.spans[:, 0]

    @lazy
    def last_word(self) -> NDArray[np.int32]:
        """The position after the last word that begins in each row."""
        return self.spans[:, 1]


@dataclass(slots=True)
class Links:
    """The links of the body in document order, including repeated ones: parallel lists."""

    url: list[str] = field(default_factory=list)
    """Canonical and absolute."""
    node: list[int] = field(default_factory=list)
    """The row of the link's element, whose words are the anchor; the body for the target of a meta refresh. Ascending:
    the links of a sub-tree are found by bisection."""
    alt: list[str] = field(default_factory=list)
    """Text of the link that is not visible words: the texts of its images, or its anchor if that is hidden."""
    title: list[str] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.url)


@dataclass
class Page:
    """A document in the form that every method uses: words, and spans over them."""

    url: str
    title: str
    language: str
    """The declared language, without a region ("en"); "" if none is declared."""
    robots: str
    """The content of the page's meta robots tags, comma-separated."""
    source: str
    """The visible text as in the document, in pieces: each tag in it is replaced with `SEAM`."""
    apart: AbstractSet[int]
    """The pieces in which a word of the piece before cannot continue: a block begins or ends between them."""
    words: Words
    nodes: Nodes
    links: Links
    listings: list[str] = field(default_factory=list)
    """Canonical URLs of the sitemaps and feeds that its head names."""

    @lazy
    def link_rows(self) -> NDArray[np.intp]:
        """The row of each link's element."""
        return np.array(self.links.node, np.intp)

    @lazy
    def anchors(self) -> Spans:
        """The words of each link. Not to be changed."""
        return self.nodes.spans.take(self.link_rows, axis=0)

    @lazy
    def links_before(self) -> list[int]:
        """How many links have their elements before each row, and before the end."""
        return _links_before_each(self.links.node, len(self.nodes))

    @lazy
    def text(self) -> str:
        """The visible text for people: one line per block, with white space folded."""
        apart = self.apart
        pieces = self.source.replace("\n", " ").split(SEAM)
        blocks = "".join(f"\n{piece}" if number in apart else piece for number, piece in enumerate(pieces)).split("\n")
        return "\n".join(line for block in blocks if (line := " ".join(block.split())))


@twin("places")
def _subtree_ends(parent: list[int]) -> list[int]:
    """The row after the last one in the sub-tree of each row."""
    ends = list(range(1, len(parent) + 1))
    for row in range(len(ends) - 1, 0, -1):  # a child passes its end on before its parent does
        end, above = ends[row], parent[row]
        if end > ends[above]:  # noqa: PLR1730 (max takes three times as long)
            ends[above] = end
    return ends


@twin("places")
def _node_spans(first_piece: list[int], last_piece: list[int], words_before: NDArray[np.int32]) -> Spans:
    """The words from one piece up to another, for each pair of them."""
    pieces = np.empty((len(first_piece), 2), np.intp)
    pieces[:, 0] = np.fromiter(first_piece, np.intp, len(first_piece))
    pieces[:, 1] = np.fromiter(last_piece, np.intp, len(last_piece))
    return words_before.take(pieces)


@twin("places")
def _links_before_each(rows: list[int], nodes: int) -> list[int]:
    """How many of the ascending `rows` come before each of so many nodes, and before the end."""
    return [0, *np.bincount(np.array(rows, np.intp), minlength=nodes).cumsum().tolist()]


def parse(html: str, url: str, rules: UrlRules, *, styled: bool = False) -> Page:
    """Parse a document that was fetched from `url`. Never raises on any HTML, however broken or deep.

    Documents beyond the limits of `honeyguide.page.limits` are simplified or cut off.

    With `styled`, the nodes keep their attributes, and the document's style sheets, from which VIPS estimates what a
    reader sees.
    """
    # As in a browser with scripts: the content of <noscript> is not shown, and must not end the document's head.
    tree = LexborHTMLParser(limited(html.encode(errors="replace")), options=_WITHOUT_EVENTS, scripting=True)
    head = read_head(tree)
    join = rules.joiner((rules.join(url, head.base) if head.base else None) or url)
    sheets = read_sheets(tree) if styled else ()  # before the walk, which removes those in the body
    nodes, marked, concealed = _walk(tree, styled)
    if sheets and tree.root is not None:
        nodes.sheets, nodes.html = sheets, tree.root.attributes
    # After the walk, which removes from the tree what is not to be read.
    top = tree.body or tree.root
    source = top.text(separator=SEAM) if top is not None else ""
    # A meta refresh is outside the text: the whole page is its anchor.
    onward = join(head.refresh) if head.refresh else None
    links = Links([onward], [0], [""], [""], [0]) if onward else Links()
    _read_links(marked, nodes, join, links)
    if concealed:
        source = _conceal(concealed, source, nodes, links)
    apart = _apart(nodes, marked)
    words, nodes.words_before = find_words(source, apart)
    return Page(
        url,
        head.title,
        head.language,
        head.robots,
        source,
        apart,
        words,
        nodes,
        links,
        [named for listing in head.listings if (named := join(listing)) is not None],
    )


def _walk(tree: LexborHTMLParser, styled: bool) -> tuple[Nodes, _Marked, list[int]]:
    """All nodes; the rows of links and images with their attributes; the rows hidden by their own markup.

    What is not to be read is removed from the tree. A hidden body is read, because a script will show it. This is one
    loop with local names and without a function call per node: it is the hottest code of parsing, and recursion would
    hit Python's limit on deep pages.
    """
    top = tree.body or tree.root
    if top is None:
        return Nodes([], [], [], []), [], []
    if _kernel and not styled:
        *columns, marked, concealed = _kernel.walk(top, _hidden(top), _PART_BYTES, tags.TEXT, tags.LAST, tags.UNKNOWN)
        return Nodes(*columns), marked, concealed
    return _plain_walk(top, styled)


def _plain_walk(top: LexborNode, styled: bool) -> tuple[Nodes, _Marked, list[int]]:
    """`_walk` without the compiled kernel."""
    tag, parent, first_piece, last_piece = [top.tag_id], [-1], [0], [0]
    marked: _Marked = []
    concealed: list[int] = []
    attributes = {0: own} if styled and (own := top.attributes) else {}
    hidden = frozenset() if styled else _hidden(top)
    text, last, unknown, parts = tags.TEXT, tags.LAST, tags.UNKNOWN, _PARTS
    pieces = 0
    above: list[LexborNode] = []  # the elements around `node`, without the top
    row = 0  # the row of the last of them
    node = top.first_child
    while True:
        if node is None:
            last_piece[row] = pieces
            row = parent[row]
            if row < 0:
                break
            node = above.pop().next
            continue
        kind = node.tag_id
        if kind == text:
            pieces += 1
            node = node.next
            continue
        if kind > last:
            kind = unknown
        if part := parts[kind]:
            if part == _SKIPPED:
                node = node.next
                continue
            if part == _UNSEEN:
                unseen = node
                node = node.next
                unseen.decompose(recursive=False)
                continue
            marked.append((len(tag), node.attributes))
        if styled and (own := marked[-1][1] if part else node.attributes):
            attributes[len(tag)] = own
            if "hidden" in own or ("style" in own and _UNSHOWN.search(own["style"] or "")):
                concealed.append(len(tag))
        elif hidden and node.mem_id in hidden:
            concealed.append(len(tag))
        tag.append(kind)
        parent.append(row)
        first_piece.append(pieces)
        child = node.first_child
        if child is not None and child.tag_id == text:  # most have no other child
            pieces += 1
            child = child.next
        last_piece.append(pieces)
        if child is None:
            node = node.next
        else:
            above.append(node)
            row = len(tag) - 1
            node = child
    return Nodes(tag, parent, first_piece, last_piece, attributes=attributes), marked, concealed


def _read_links(marked: _Marked, nodes: Nodes, join: Callable[[str], str | None], links: Links) -> None:
    """Add the links among the `marked` rows; the texts of images are added to the link that contains them."""
    tag, image, frame = nodes.tag, tags.IMG, tags.FRAME
    urls, rows, alts, titles, flags = links.url, links.node, links.alt, links.title, links.flags
    last = -1  # the row of the last link
    for row, attributes in marked:
        kind = tag[row]
        if kind == image:
            if last >= 0 and len(alts[-1]) < _ENOUGH_SAID and _is_inside(row, last, nodes.parent):
                said = attributes.get("alt") or attributes.get("title") or ""
                alts[-1] = f"{alts[-1]} {said}".strip()
            continue
        href = attributes.get("href") or (attributes.get("src") if kind == frame else None)
        if not href or href[0] == "#":
            continue
        url = join(href)
        if url is None:
            continue
        if len(urls) == MAX_LINKS:
            break
        last = row
        urls.append(url)
        rows.append(row)
        alts.append(attributes.get("alt") or "")
        titles.append(attributes.get("title") or "")
        flags.append(NOFOLLOW if "rel" in attributes and _UNVOUCHED.search(attributes["rel"] or "") else 0)


def _apart(nodes: Nodes, marked: _Marked) -> set[int]:
    """The pieces before which a word ends: at the edges of blocks, and between adjacent links.

    Links are inline, but menus are often written without a space between their links.
    """
    tag, first_piece, last_piece = nodes.tag, nodes.first_piece, nodes.last_piece
    is_breaking = bytes(tag).translate(_IS_BREAKING)
    apart = set(compress(first_piece, is_breaking))
    apart.update(compress(last_piece, is_breaking))
    link = tags.A
    link_end = -1
    for row, _ in marked:
        if tag[row] == link and (first := first_piece[row]) < (last := last_piece[row]):
            if first == link_end:
                apart.add(link_end)
            link_end = last
    return apart


def _is_inside(row: int, outer: int, parent: list[int]) -> bool:
    """Whether `outer`, an earlier row, is among the nearest ancestors; the search is bounded, as pages can be deep."""
    for _ in range(_NEAR):
        if row <= outer:
            break
        row = parent[row]
    return row == outer


class _Finder(threading.local):
    """Finds nodes by CSS selectors in any tree: to make a finder takes as long as to find something."""

    def __init__(self) -> None:
        self.selector = LexborCSSSelector()  # type: ignore[no-untyped-call]


_finder = _Finder()


def _hidden(top: LexborNode) -> AbstractSet[int]:
    """The addresses of the nodes hidden by their own markup, found without reading the attributes of all others."""
    return {
        node.mem_id
        for node in _finder.selector.find(_HIDING, top)
        if "hidden" in (attributes := node.attributes) or _UNSHOWN.search(attributes.get("style") or "")
    }


def _conceal(concealed: list[int], source: str, nodes: Nodes, links: Links) -> str:
    """The source without the pieces of the concealed rows; the pieces of the nodes are renumbered.

    A hidden link keeps its anchor as its invisible text (`Links.alt`): hidden menus lead somewhere.
    """
    pieces = source.split(SEAM)
    shown = [True] * len(pieces)
    end = 0
    for row in concealed:
        if row >= end:  # otherwise it is inside another concealed row
            end = nodes.last_node[row]
            first, last = nodes.first_piece[row], nodes.last_piece[row]
            shown[first:last] = [False] * (last - first)
            for link in range(bisect_left(links.node, row), bisect_left(links.node, end)):
                links.alt[link] = _said(links, link, pieces, nodes)
    before = list(accumulate(shown, initial=0))
    nodes.first_piece = [before[piece] for piece in nodes.first_piece]
    nodes.last_piece = [before[piece] for piece in nodes.last_piece]
    return SEAM.join(compress(pieces, shown))


def _said(links: Links, link: int, pieces: list[str], nodes: Nodes) -> str:
    row = links.node[link]
    first, last = nodes.first_piece[row], nodes.last_piece[row]
    anchor = "".join(pieces[first : min(last, first + _ENOUGH_PIECES)])
    return " ".join(f"{anchor} {links.alt[link]}".split())
