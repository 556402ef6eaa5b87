"""The text blocks of a page, and what each of them looks like: one row of numbers per block."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.page import tags
from honeyguide.page.content.hints import HINTS, OF_TAG, bits_of
from honeyguide.page.parse import Page
from honeyguide.page.words import SEAM

_KINDS: Final = (
    "p", "li", "h1", "h2 h3 h4 h5 h6", "td th", "div section", "pre", "button label option input legend",
    "article main", "figcaption caption", "blockquote", "span", "body",
)  # fmt: skip
_KIND_OF: Final = {tags.tag_id(name): number for number, names in enumerate(_KINDS) for name in names.split()}
_H1: Final = tags.tag_id("h1")
_ENDS: Final = tuple(".!?:\u2026\"\u201d\u201c\u00bb'\u2019)\u3002\uff01\uff1f\u300d\u061f\u0964")

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


@dataclass(frozen=True, slots=True)
class TextBlocks:
    """The runs of text of a page between the edges of its block elements, without empty ones; parallel lists."""

    first: list[int]
    """The first piece of the page's source in a block."""
    last: list[int]
    """The piece after its last one."""
    text: list[str]
    """White space is folded."""
    row: list[int]
    """The innermost element that a block begins in."""
    words: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.text)


def blocks_of(page: Page) -> TextBlocks:
    """The blocks of a page."""
    pieces = page.source.split(SEAM)
    first_piece, last_piece, parent = page.nodes.first_piece, page.nodes.last_piece, page.nodes.parent
    firsts: list[int] = []
    lasts: list[int] = []
    texts: list[str] = []
    rows: list[int] = []
    after = 0  # rows that begin before the last block
    for first, last in pairwise(sorted({0, *page.apart, len(pieces)})):
        if last > len(pieces):
            break
        said = (pieces[first] if last == first + 1 else "".join(pieces[first:last])).split()
        if not said:
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
        texts.append(" ".join(said))
        rows.append(max(row, 0))
    before = page.nodes.words_before
    counts = before[np.array(lasts, np.intp)] - before[np.array(firsts, np.intp)] if texts else np.zeros(0, np.int32)
    return TextBlocks(firsts, lasts, texts, rows, counts)


def features_of(page: Page, blocks: TextBlocks) -> Features:
    """What each block looks like: columns as in `NAMES`."""
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
    out[:, 6] = [text.endswith(_ENDS) for text in blocks.text]
    out[:, 7] = starts / max(len(page.words), 1)
    out[:, 8] = np.arange(len(blocks)) > tops[0] if len(tops) else 0.5
    out[:, 9] = (rows >= root) & (np.array(blocks.first) < nodes.last_piece[root])
    column = 10
    for around in _containers(page, rows, is_container):
        good_around, size_around, span = good_in[around], size[around], spans[around]
        out[:, column] = good_around / all_good
        out[:, column + 1] = (linked[span[:, 1]] - linked[span[:, 0]]) / size_around
        out[:, column + 2] = good_around / size_around
        column += 3
    out[:, column : column + len(_KINDS)] = _KIND_OF_TAG[kinds[rows]]
    column += len(_KINDS)
    hints = np.array(_hints(page, blocks.row, set(np.flatnonzero(has_most).tolist())), np.int64)
    out[:, column:] = ((hints[:, :, None] >> _BITS) & 1).reshape(len(blocks), -1)
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
_BITS: Final = np.arange(len(HINTS))


def _containers(page: Page, rows: NDArray[np.intp], is_container: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """The three nearest containers around each row; the body where there are fewer."""
    is_container[0] = True
    parents = np.array(page.nodes.parent, np.intp)
    parents[0] = 0
    found = []
    for _ in range(3):
        while not (inside := is_container[rows]).all():
            rows = np.where(inside, rows, parents[rows])
        found.append(rows)
        rows = parents[rows]
    return found


def _root(has_most: NDArray[np.bool_], size: NDArray[np.int32]) -> int:
    """The smallest container that has most of the paragraphs, and of several the innermost; else the body."""
    rows = np.flatnonzero(has_most)[::-1]
    return int(rows[size[rows].argmin()]) if len(rows) else 0


def _hints(page: Page, rows: list[int], has_most: AbstractSet[int]) -> list[tuple[int, int]]:
    """The hints in the four innermost elements around each row, and in all around it.

    An element with most of the paragraphs is not boilerplate, whatever it is called.
    """
    tag, parent, attributes = page.nodes.tag, page.nodes.parent, page.nodes.attributes
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
            bits = OF_TAG[tag[row]]
            if row in attributes:
                said = attributes[row]
                if "class" in said or "id" in said or "role" in said:
                    bits |= bits_of(said.get("class"), said.get("id"), said.get("role"))
            if row in has_most:
                bits &= _FAVOURABLE
            one, two, three, four, every = bits, bits | one, bits | two, bits | three, bits | every
            known[row] = one, two, three, four, every
        found.append((four, every))
    return found
