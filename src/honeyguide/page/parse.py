"""Parses HTML into a page, in one walk over the tree, which fills flat arrays of words, nodes and links."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import accumulate, compress
from typing import Final

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from honeyguide.kernel import twin
from honeyguide.lazy import lazy
from honeyguide.page import tags
from honeyguide.page.head import read_head, read_sheets
from honeyguide.page.limits import MAX_LINKS, limited
from honeyguide.page.nodes import Marked, Nodes
from honeyguide.page.spans import Spans
from honeyguide.page.url import UrlRules
from honeyguide.page.walk import walk
from honeyguide.page.words import SEAM, Words, find_words

NOFOLLOW: Final = 1
"""Flag of a link whose author does not vouch for it (rel=nofollow, ugc or sponsored)."""

# Events only copy a selected option into its button.
_WITHOUT_EVENTS = LexborDocumentOptions.WO_EVENTS.value

_IS_BREAKING = bytes(tag in tags.BREAKING for tag in range(256))  # a table for `bytes.translate`

_UNVOUCHED = re.compile(r"\b(?:nofollow|ugc|sponsored)\b", re.IGNORECASE)
# Bounds that no real page needs to exceed, which limit the work per link: levels between a link and an image in it,
# characters of the texts of its images, and pieces of a hidden anchor.
_NEAR, _ENOUGH_SAID, _ENOUGH_PIECES = 8, 500, 50


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


@dataclass(slots=True)
class MarkedRows:
    """The elements of a body that make its links."""

    rows: Marked
    rules: UrlRules
    base: str
    """The base URL of addresses."""
    refresh: str
    """The target of a meta refresh; "" without one."""
    unseen: dict[int, str]
    """The anchors of hidden links, by row: the links of hidden menus are followed, too."""


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
    marks: MarkedRows
    """The elements that links are read from."""
    listings: list[str] = field(default_factory=list)
    """Canonical URLs of the sitemaps and feeds in its head."""

    @lazy
    def links(self) -> Links:
        """The links, in canonical form. Main content does without them, unless it is to be Markdown."""
        return _read_links(self.marks, self.nodes)

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
def _links_before_each(rows: list[int], nodes: int) -> list[int]:
    """How many of the ascending `rows` come before each node, and before the end."""
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
    base = (rules.join(url, head.base) if head.base else None) or url
    sheets = read_sheets(tree) if styled else ()  # before the walk, which removes those in the body
    top = tree.body or tree.root
    nodes, marked, concealed = walk(top, styled)
    if sheets and tree.root is not None:
        nodes.sheets, nodes.html = sheets, tree.root.attributes
    # After the walk, which removes from the tree what is not to be read.
    source = top.text(separator=SEAM) if top is not None else ""
    marks = MarkedRows(marked, rules, base, head.refresh, {})
    if concealed:
        source = _conceal(concealed, source, nodes, marks)
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
        marks,
        [named for listing in head.listings if (named := rules.join(base, listing)) is not None],
    )


def _read_links(marks: MarkedRows, nodes: Nodes) -> Links:
    """The links of a page; the texts of images are added to the link that contains them."""
    join = marks.rules.joiner(marks.base)
    # A meta refresh is outside the text: the whole page is its anchor.
    onward = join(marks.refresh) if marks.refresh else None
    links = Links([onward], [0], [""], [""], [0]) if onward else Links()
    tag, image, frame = nodes.tag, tags.IMG, tags.FRAME
    urls, rows, alts, titles, flags = links.url, links.node, links.alt, links.title, links.flags
    last = -1  # the row of the last link
    for row, attributes in marks.rows:
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
    for row, anchor in marks.unseen.items():
        link = bisect_left(rows, row)
        if link < len(rows) and rows[link] == row:
            alts[link] = " ".join(f"{anchor} {alts[link]}".split())
    return links


def _apart(nodes: Nodes, marked: Marked) -> set[int]:
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


def _conceal(concealed: list[int], source: str, nodes: Nodes, marks: MarkedRows) -> str:
    """The source without the pieces of the concealed rows; the pieces of the nodes are renumbered.

    A hidden link keeps its anchor as its invisible text (`Links.alt`).
    """
    pieces = source.split(SEAM)
    shown = [True] * len(pieces)
    end = 0
    for row in concealed:
        if row >= end:  # otherwise it is inside another concealed row
            end = nodes.last_node[row]
            first, last = nodes.first_piece[row], nodes.last_piece[row]
            shown[first:last] = [False] * (last - first)
            for place in range(bisect_left(marks.rows, (row,)), bisect_left(marks.rows, (end,))):
                _keep_anchor(marks.rows[place][0], pieces, nodes, marks.unseen)
    nodes.first_piece = _renumbered(nodes.first_piece, shown)
    nodes.last_piece = _renumbered(nodes.last_piece, shown)
    return SEAM.join(compress(pieces, shown))


@twin("walk")
def _renumbered(pieces: list[int], shown: list[bool]) -> list[int]:
    """How many pieces are shown before each of some."""
    before = list(accumulate(shown, initial=0))
    return [before[piece] for piece in pieces]


def _keep_anchor(row: int, pieces: list[str], nodes: Nodes, unseen: dict[int, str]) -> None:
    first, last = nodes.first_piece[row], nodes.last_piece[row]
    unseen[row] = "".join(pieces[first : min(last, first + _ENOUGH_PIECES)])
