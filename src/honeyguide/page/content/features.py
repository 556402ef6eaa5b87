"""The text blocks of a page, and their features: one row of numbers per block."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.page import tags
from honeyguide.page.content.hints import HINTS, OF_TAG, bits_of
from honeyguide.page.nodes import Attributes
from honeyguide.page.parse import Page
from honeyguide.page.words import SEAM

_KINDS: Final = (
    "p", "li", "h1", "h2 h3 h4 h5 h6", "td th", "div section", "pre", "button label option input legend",
    "article main", "figcaption caption", "blockquote", "span", "body",
)  # fmt: skip
_KIND_OF: Final = {tags.tag_id(name): number for number, names in enumerate(_KINDS) for name in names.split()}
_H1: Final = tags.tag_id("h1")
_ENDS: Final = frozenset(".!?:\u2026\"\u201d\u201c\u00bb'\u2019)\u3002\uff01\uff1f\u300d\u061f\u0964")

_GOOD_WORDS: Final = 12  # and few of them in links: a paragraph
_GOOD_DENSITY: Final = 0.3
_MOST_OF_PAGE: Final = 0.6  # of the paragraphs
_FAVOURABLE: Final = sum(1 << HINTS.index(name) for name in ("body", "close", "article", "main"))

_NUMBERS: Final = (
    "words", "links", "words before", "links before", "words after", "links after", "ends", "position", "after h1",
    "in root", "good share 1", "links 1", "paragraphs 1", "good share 2", "links 2", "paragraphs 2", "good share 3",
    "links 3", "paragraphs 3",
)  # fmt: skip
NAMES: Final = (
    *_NUMBERS,
    *(f"is {names.split()[0]}" for names in _KINDS),
    *(f"near {name}" for name in HINTS),
    *(f"under {name}" for name in HINTS),
)
"""The features of a block. 1, 2 and 3 are the containers around it, from the innermost."""

Features = NDArray[np.float32]


@dataclass(frozen=True)
class TextBlocks:
    """The runs of text of a page between the edges of its block elements, without empty ones; parallel lists."""

    first: list[int]
    """The first piece of the page's source in a block."""
    last: list[int]
    """The piece after its last one."""
    source: list[str]
    """As in the document, with its white space."""
    row: list[int]
    """The innermost element that a block begins in."""
    words: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.source)

    def text(self, number: int) -> str:
        """The text of a block, with white space folded."""
        return " ".join(self.source[number].split())


def blocks_of(page: Page) -> TextBlocks:
    """The blocks of a page."""
    pieces, nodes = page.source.split(SEAM), page.nodes
    edges = sorted({*page.apart, len(pieces)})
    first, last, source, row = _shown_blocks(pieces, edges, nodes.first_piece, nodes.last_piece, nodes.parent)
    before = nodes.words_before
    counts = before[np.array(last, np.intp)] - before[np.array(first, np.intp)] if source else np.zeros(0, np.int32)
    return TextBlocks(first, last, source, row, counts)


@twin("content")
def _shown_blocks(
    pieces: list[str], edges: list[int], first_piece: list[int], last_piece: list[int], parent: list[int]
) -> tuple[list[int], list[int], list[str], list[int]]:
    """The columns of `TextBlocks` but the last, of the pieces between the ascending edges that have any text."""
    firsts: list[int] = []
    lasts: list[int] = []
    texts: list[str] = []
    rows: list[int] = []
    after = 0  # rows that begin before the last block
    for first, last in pairwise([0, *edges]):
        if last > len(pieces):
            break
        text = pieces[first] if last == first + 1 else "".join(pieces[first:last])
        if not text or text.isspace():
            continue
        at = first
        if last != first + 1:
            while not pieces[at].strip():
                at += 1
        after = bisect_right(first_piece, at, after)
        row = after - 1
        while row > 0 and last_piece[row] <= at:
            row = parent[row]
        firsts.append(first)
        lasts.append(last)
        texts.append(text)
        rows.append(max(row, 0))
    return firsts, lasts, texts, rows


def features_of(page: Page, blocks: TextBlocks) -> Features:
    """The features of each block, with columns as in `NAMES`."""
    nodes, spans = page.nodes, page.nodes.spans
    rows = np.array(blocks.row, np.intp)
    words = blocks.words.astype(np.float32)
    linked = _linked(page)
    starts, ends = (nodes.words_before[np.array(places, np.intp)] for places in (blocks.first, blocks.last))
    links = (linked[ends] - linked[starts]) / np.maximum(words, 1)
    is_good = (words >= _GOOD_WORDS) & (links < _GOOD_DENSITY)
    good = np.bincount(ends, words * is_good, len(page.words) + 1).cumsum()
    all_good = max(float(good[-1]), 1.0)
    good_in = good[spans[:, 1]] - good[spans[:, 0]]  # of every element
    size = np.maximum(spans[:, 1] - spans[:, 0], 1)
    has_most = good_in > _MOST_OF_PAGE * all_good
    kinds = np.frombuffer(nodes.tag_bytes, np.uint8)
    is_container = _IS_CONTAINER[kinds]
    root = _root(has_most & is_container, size)
    tops = np.flatnonzero(kinds[rows] == _H1)
    out = np.zeros((len(blocks), len(NAMES)), np.float32)
    out[:, 0] = logs = np.log1p(words)
    out[:, 1] = links
    out[1:, 2], out[1:, 3] = logs[:-1], links[:-1]
    out[:-1, 4], out[:-1, 5] = logs[1:], links[1:]
    out[:, 6] = [text.rstrip()[-1] in _ENDS for text in blocks.source]
    out[:, 7] = starts / max(len(page.words), 1)
    out[:, 8] = np.arange(len(blocks)) > tops[0] if len(tops) else 0.5
    out[:, 9] = (rows >= root) & (np.array(blocks.first) < nodes.last_piece[root])
    column = 10
    for around in _containers_around(blocks.row, nodes.parent, is_container.view(np.uint8)):
        good_around, size_around, span = good_in[around], size[around], spans[around]
        out[:, column] = good_around / all_good
        out[:, column + 1] = (linked[span[:, 1]] - linked[span[:, 0]]) / size_around
        out[:, column + 2] = good_around / size_around
        column += 3
    out[:, column : column + len(_KINDS)] = _KIND_OF_TAG[kinds[rows]]
    column += len(_KINDS)
    hints = _hints_around(
        blocks.row, nodes.tag, nodes.parent, nodes.attributes, has_most.view(np.uint8), OF_TAG, _FAVOURABLE, bits_of
    )
    bits = np.unpackbits(hints.view(np.uint8).reshape(len(blocks), 2, -1), axis=2, count=len(HINTS), bitorder="little")
    out[:, column:] = bits.reshape(len(blocks), -1)
    return out


def _linked(page: Page) -> NDArray[np.int32]:
    """How many words before each place are in links."""
    rows = np.flatnonzero(np.frombuffer(page.nodes.tag_bytes, np.uint8) == tags.A)
    spans, length = page.nodes.spans[rows], len(page.words) + 1
    change = np.bincount(spans[:, 0], minlength=length) - np.bincount(spans[:, 1], minlength=length)
    before = np.zeros(length, np.int32)
    np.cumsum(change.cumsum()[:-1] > 0, out=before[1:])
    return before


_CONTAINERS: Final = tags.tag_ids(
    "article aside blockquote body center div dl fieldset footer form header main nav ol section table td ul"
)
_IS_CONTAINER: Final = np.array([number in _CONTAINERS for number in range(256)])
_KIND_OF_TAG: Final = np.array(
    [[_KIND_OF.get(number) == kind for kind in range(len(_KINDS))] for number in range(256)], np.float32
)


@twin("content")
def _containers_around(rows: list[int], parent: list[int], is_container: NDArray[np.uint8]) -> NDArray[np.intp]:
    """The three nearest containers around each row, from the innermost; the body where there are fewer."""
    parents, inside = np.array(parent, np.intp), is_container.astype(np.bool_)
    parents[0], inside[0] = 0, True
    found = np.empty((3, len(rows)), np.intp)
    at = np.array(rows, np.intp)
    for level in range(3):
        while not (arrived := inside[at]).all():
            at = np.where(arrived, at, parents[at])
        found[level] = at
        at = parents[at]
    return found


def _root(has_most: NDArray[np.bool_], size: NDArray[np.int32]) -> int:
    """The smallest container that has most of the paragraphs, and of several the innermost; else the body."""
    rows = np.flatnonzero(has_most)[::-1]
    return int(rows[size[rows].argmin()]) if len(rows) else 0


@twin("content")
def _hints_around(
    rows: list[int],
    tag: list[int],
    parent: list[int],
    attributes: dict[int, Attributes],
    has_most: NDArray[np.uint8],
    of_tag: list[int],
    favourable: int,
    bits_of: Callable[[str | None, str | None, str | None], int],
) -> NDArray[np.int64]:
    """The hints in the four innermost elements around each row, and in all around it, but the body.

    An element with most of the paragraphs is not boilerplate, whatever it is called: only what is favourable counts.
    """
    # Of each element: hints in itself, in it and its parent, in three and in four of them, and in all
    known = {0: (0, 0, 0, 0, 0)}
    found = []
    for innermost in rows:
        path = []
        row = innermost
        while row not in known:
            path.append(row)
            row = parent[row]
        one, two, three, four, every = known[row]
        for row in reversed(path):
            bits = of_tag[tag[row]]
            if row in attributes:
                said = attributes[row]
                if "class" in said or "id" in said or "role" in said:
                    bits |= bits_of(said.get("class"), said.get("id"), said.get("role"))
            if has_most[row]:
                bits &= favourable
            one, two, three, four, every = bits, bits | one, bits | two, bits | three, bits | every
            known[row] = one, two, three, four, every
        found.append((four, every))
    return np.array(found, np.int64).reshape(-1, 2)
