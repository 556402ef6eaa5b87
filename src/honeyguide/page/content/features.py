"""The text blocks of a page, and what each of them looks like: one row of numbers per block."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
_STOPS: Final = re.compile(r"[.,;:!?\u3001\u3002\uff0c\uff01\uff1f\u061f\u060c\u0964]")
_ENDS: Final = tuple(".!?:\u2026\"\u201d\u201c\u00bb'\u2019)\u3002\uff01\uff1f\u300d\u061f\u0964")

_NEAR: Final = 4  # levels above a block that are near
_GOOD_WORDS: Final = 12  # and few of them in links: a paragraph
_GOOD_DENSITY: Final = 0.3
_MOST_OF_PAGE: Final = 0.6  # of the paragraphs
_SHORT: Final = 8  # characters that say little
_FAVOURABLE: Final = sum(1 << HINTS.index(name) for name in ("body", "close", "article", "main"))

_NUMBERS: Final = (
    "words", "links", "words before", "links before", "words after", "links after", "words 2 before", "words 2 after",
    "ends", "stops", "letters", "position", "after h1", "repeated", "like title", "good around", "links around",
    "good share 1", "good share 2", "good share 3", "links 1", "links 2", "links 3", "paragraphs 1", "paragraphs 2",
    "in root", "root share", "page words", "page good",
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
    edges = sorted({0, *page.apart, len(pieces)})
    before = page.nodes.words_before
    first_piece, last_piece, parent = page.nodes.first_piece, page.nodes.last_piece, page.nodes.parent
    firsts, lasts, texts, rows = [], [], [], []
    for first, last in pairwise(edges):
        if last > len(pieces):
            break
        text = " ".join("".join(pieces[first:last]).split())
        if not text:
            continue
        at = first
        while not pieces[at].strip():
            at += 1
        row = bisect_right(first_piece, at) - 1
        while row > 0 and last_piece[row] <= at:
            row = parent[row]
        firsts.append(first)
        lasts.append(last)
        texts.append(text)
        rows.append(max(row, 0))
    counts = before[np.array(lasts, np.intp)] - before[np.array(firsts, np.intp)] if texts else np.zeros(0, np.int32)
    return TextBlocks(firsts, lasts, texts, rows, counts)


def features_of(page: Page, blocks: TextBlocks) -> Features:
    """What each block looks like: columns as in `NAMES`."""
    nodes, total = page.nodes, max(len(page.words), 1)
    words = blocks.words.astype(np.float32)
    some = np.maximum(words, 1)
    linked = _linked(page)
    starts, ends = (nodes.words_before[np.array(places, np.intp)] for places in (blocks.first, blocks.last))
    links = ((linked[ends] - linked[starts]) / some).astype(np.float32)
    is_good = (words >= _GOOD_WORDS) & (links < _GOOD_DENSITY)
    good = np.zeros(len(page.words) + 1, np.float32)
    np.add.at(good, ends, words * is_good)
    good = good.cumsum(dtype=np.float32)
    all_good = max(float(good[-1]), 1.0)
    spans = nodes.spans
    good_in = good[spans[:, 1]] - good[spans[:, 0]]  # of every element
    size = np.maximum(spans[:, 1] - spans[:, 0], 1)
    links_in = (linked[spans[:, 1]] - linked[spans[:, 0]]) / size
    around = _containers(page, blocks)
    most_good = (good_in > _MOST_OF_PAGE * all_good).tolist()
    root = _root(page, most_good, around[0])
    logs = np.log1p(words)
    title = page.title.lower()
    top = next((number for number, row in enumerate(blocks.row) if nodes.tag[row] == _H1), None)
    numbers: dict[str, ArrayLike] = {
        "words": logs,
        "links": links,
        "words before": _shifted(logs, 1),
        "links before": _shifted(links, 1),
        "words after": _shifted(logs, -1),
        "links after": _shifted(links, -1),
        "words 2 before": _shifted(logs, 2),
        "words 2 after": _shifted(logs, -2),
        "ends": [text.endswith(_ENDS) for text in blocks.text],
        "stops": np.array([len(_STOPS.findall(text)) for text in blocks.text], np.float32) / some,
        "letters": np.array([len(text) for text in blocks.text], np.float32) / some,
        "position": starts / total,
        "after h1": 0.5 if top is None else np.arange(len(blocks)) > top,
        "repeated": _repeated(blocks.text),
        "like title": [_SHORT < len(text) <= len(title) and text.lower() in title for text in blocks.text],
        "good around": np.log1p(_sums_around(words * is_good)),
        "links around": _sums_around(words * links) / np.maximum(_sums_around(words), 1),
        "in root": [root <= row < nodes.last_node[root] for row in blocks.row],
        "root share": float(good_in[root]) / total,
        "page words": np.log1p(len(page.words)),
        "page good": all_good / total,
    }
    for level, rows in enumerate(around, 1):
        numbers[f"good share {level}"] = good_in[rows] / all_good
        numbers[f"links {level}"] = links_in[rows]
        numbers[f"paragraphs {level}"] = good_in[rows] / size[rows]
    out = np.zeros((len(blocks), len(NAMES)), np.float32)
    for column, name in enumerate(_NUMBERS):
        out[:, column] = numbers[name]
    first = len(_NUMBERS)
    kinds = np.array([_KIND_OF.get(nodes.tag[row], -1) for row in blocks.row])
    out[:, first : first + len(_KINDS)] = kinds[:, None] == np.arange(len(_KINDS))
    first += len(_KINDS)
    bits = np.arange(len(HINTS))
    for hints in _hints(page, blocks, most_good):
        out[:, first : first + len(HINTS)] = (np.array(hints, np.int64)[:, None] >> bits) & 1
        first += len(HINTS)
    return out


def _repeated(texts: list[str]) -> list[bool]:
    """Whether each text has occurred before."""
    seen: set[str] = set()
    found = []
    for text in texts:
        found.append(text in seen)
        seen.add(text)
    return found


def _shifted(values: NDArray[np.float32], by: int) -> NDArray[np.float32]:
    moved = np.zeros_like(values)
    if by > 0:
        moved[by:] = values[:-by]
    else:
        moved[:by] = values[-by:]
    return moved


def _sums_around(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The sum of each value and of the three on either side."""
    sums = np.concatenate((np.zeros(1, np.float32), values.cumsum(dtype=np.float32)))
    places = np.arange(len(values))
    found: NDArray[np.float32] = sums[np.minimum(places + 4, len(values))] - sums[np.maximum(places - 3, 0)]
    return found


def _linked(page: Page) -> NDArray[np.float32]:
    """How many words before each place are in links."""
    change = np.zeros(len(page.words) + 1, np.int32)
    rows = np.flatnonzero(np.frombuffer(page.nodes.tag_bytes, np.uint8) == tags.A)
    spans = page.nodes.spans[rows]
    np.add.at(change, spans[:, 0], 1)
    np.add.at(change, spans[:, 1], -1)
    inside = change.cumsum() > 0
    return np.concatenate((np.zeros(1, np.float32), inside[:-1].cumsum(dtype=np.float32)))


_CONTAINERS: Final = tags.tag_ids(
    "article aside blockquote body center div dl fieldset footer form header main nav ol section table td ul"
)
_IS_CONTAINER: Final = np.array([number in _CONTAINERS for number in range(256)])


def _containers(page: Page, blocks: TextBlocks) -> list[NDArray[np.intp]]:
    """For each block, the three nearest containers around it; the body where there are fewer."""
    is_container = _IS_CONTAINER[np.frombuffer(page.nodes.tag_bytes, np.uint8)]
    is_container[0] = True
    parents = np.array(page.nodes.parent, np.intp)
    parents[0] = 0
    rows = np.array(blocks.row, np.intp)
    found = []
    for _ in range(3):
        while not (inside := is_container[rows]).all():
            rows = np.where(inside, rows, parents[rows])
        found.append(rows)
        rows = parents[rows]
    return found


def _root(page: Page, most_good: list[bool], containers: NDArray[np.intp]) -> int:
    """The smallest container of a block that has most of the paragraphs; else the body."""
    sizes = (page.nodes.spans[:, 1] - page.nodes.spans[:, 0]).tolist()
    parent = page.nodes.parent
    best = 0
    seen: set[int] = set()
    for container in sorted(set(containers.tolist())):
        row = container
        while row > 0 and row not in seen:
            seen.add(row)
            if most_good[row] and sizes[row] < sizes[best]:
                best = row
            row = parent[row]
    return best


def _hints(page: Page, blocks: TextBlocks, most_good: list[bool]) -> tuple[list[int], list[int]]:
    """The hints in the elements near each block, and in all around it.

    An element with most of the paragraphs is not boilerplate, whatever it is called.
    """
    nodes = page.nodes
    tag, parent, attributes = nodes.tag, nodes.parent, nodes.attributes
    own: dict[int, int] = {0: 0}
    under: dict[int, int] = {0: 0}
    near_bits, all_bits = [], []
    for innermost in blocks.row:
        path = []
        row = innermost
        while row not in under:
            path.append(row)
            row = parent[row]
        found = under[row]
        for one in reversed(path):
            bits = OF_TAG[tag[one]]
            if one in attributes:
                said = attributes[one]
                if "class" in said or "id" in said or "role" in said:
                    bits |= bits_of(f"{said.get('class') or ''} {said.get('id') or ''}", said.get("role") or "")
            if most_good[one]:
                bits &= _FAVOURABLE
            own[one] = bits
            found |= bits
            under[one] = found
    for row in blocks.row:
        near, at = 0, row
        for _ in range(_NEAR):
            near |= own[at]
            at = parent[at]
            if at <= 0:
                break
        near_bits.append(near)
        all_bits.append(under[row])
    return near_bits, all_bits
