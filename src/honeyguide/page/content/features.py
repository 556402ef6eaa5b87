"""The text blocks of a page, and what each of them looks like: one row of numbers per block."""

from __future__ import annotations

import re
from bisect import bisect_right
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
    "p", "li", "h1", "h2 h3 h4 h5 h6", "td th", "div section", "pre", "button label option input legend", "article main", "figcaption caption", "blockquote", "span", "body",
)  # fmt: skip
_KIND_OF: Final = {tags.tag_id(name): number for number, names in enumerate(_KINDS) for name in names.split()}
_H1: Final = tags.tag_id("h1")
_STOPS: Final = re.compile(r"[.,;:!?\u3001\u3002\uff0c\uff01\uff1f\u061f\u060c\u0964]")
_ENDS: Final = tuple(".!?:\u2026\"\u201d\u201c\u00bb'\u2019)\u3002\uff01\uff1f\u300d\u061f\u0964")

_NEAR: Final = 4  # levels above a block that are near
_GOOD_WORDS: Final = 12  # and few of them in links: a paragraph
_GOOD_DENSITY: Final = 0.3
_MOST_OF_PAGE: Final = 0.6  # an element with more of the paragraphs is not boilerplate, whatever it is called

NAMES: Final = (
    "words", "links", "words before", "links before", "words after", "links after", "words 2 before", "words 2 after",
    "ends", "stops", "letters", "capitals", "digits", "position", "after h1", "repeated", "like title", "depth",
    "good around", "links around", "good share 1", "good share 2", "good share 3", "links 1", "links 2", "links 3",
    "paragraphs 1", "paragraphs 2", "in root", "root share", "page words", "page good",
    *(f"is {names.split()[0]}" for names in _KINDS),
    *(f"near {name}" for name in HINTS), *(f"under {name}" for name in HINTS),
)  # fmt: skip

Features = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Blocks:
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


def blocks_of(page: Page) -> Blocks:
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
    return Blocks(firsts, lasts, texts, rows, counts)


def features_of(page: Page, blocks: Blocks) -> Features:
    """What each block looks like: columns as in `NAMES`."""
    count = len(blocks)
    nodes = page.nodes
    words = blocks.words.astype(np.float32)
    total = len(page.words)
    linked = _linked(page, total)
    before = nodes.words_before
    starts, ends = before[np.array(blocks.first, np.intp)], before[np.array(blocks.last, np.intp)]
    links = (linked[ends] - linked[starts]) / np.maximum(words, 1)
    good_block = (words >= _GOOD_WORDS) & (links < _GOOD_DENSITY)
    good = np.zeros(total + 1, np.float32)
    np.add.at(good, ends, words * good_block)
    good = good.cumsum(dtype=np.float32)
    all_good = max(float(good[-1]), 1.0)

    rows = np.array(blocks.row, np.intp)
    parents = np.array(nodes.parent, np.intp)
    parents[0] = 0
    spans = nodes.spans
    levels = [_container(rows, nodes.tag, parents)]
    for _ in range(2):
        levels.append(_container(parents[levels[-1]], nodes.tag, parents))

    out = np.zeros((count, len(NAMES)), np.float32)
    column = iter(range(len(NAMES)))
    logs = np.log1p(words)
    for values in (
        logs, links, _shifted(logs, 1), _shifted(links, 1), _shifted(logs, -1), _shifted(links, -1),
        _shifted(logs, 2), _shifted(logs, -2),
    ):  # fmt: skip
        out[:, next(column)] = values
    letters = [len(text) for text in blocks.text]
    length = np.array(letters, np.float32)
    out[:, next(column)] = [text.endswith(_ENDS) for text in blocks.text]
    out[:, next(column)] = np.array([len(_STOPS.findall(text)) for text in blocks.text], np.float32) / np.maximum(
        words, 1
    )
    out[:, next(column)] = length / np.maximum(words, 1)
    out[:, next(column)] = [
        sum(map(str.istitle, text.split()[:20])) / min(len(text.split()), 20) for text in blocks.text
    ]
    out[:, next(column)] = [sum(map(str.isdigit, text[:60])) / min(len(text), 60) for text in blocks.text]
    out[:, next(column)] = starts / max(total, 1)
    headings = [number for number, row in enumerate(blocks.row) if nodes.tag[row] == _H1]
    top = headings[0] if headings else -1
    out[:, next(column)] = np.arange(count) > top if headings else 0.5
    seen: set[str] = set()
    repeated = []
    for text in blocks.text:
        repeated.append(text in seen)
        seen.add(text)
    out[:, next(column)] = repeated
    title = page.title.lower()
    out[:, next(column)] = [len(text) > 8 and text.lower() in title for text in blocks.text]
    out[:, next(column)] = [min(_depth(row, nodes.parent), 40) for row in blocks.row]

    out[:, next(column)] = np.log1p(_around(words * good_block))
    out[:, next(column)] = _around(words * links) / np.maximum(_around(words), 1)
    inside = [(spans[level, 0], spans[level, 1]) for level in levels]
    for first, last in inside:
        out[:, next(column)] = (good[last] - good[first]) / all_good
    for first, last in inside:
        out[:, next(column)] = (linked[last] - linked[first]) / np.maximum(last - first, 1)
    for first, last in inside[:2]:
        out[:, next(column)] = (good[last] - good[first]) / np.maximum(last - first, 1)
    root = _root(page, good, all_good, levels[0])
    out[:, next(column)] = [root <= row < nodes.last_node[root] for row in blocks.row]
    out[:, next(column)] = float(good[spans[root, 1]] - good[spans[root, 0]]) / max(total, 1)
    out[:, next(column)] = np.log1p(total)
    out[:, next(column)] = all_good / max(total, 1)

    kinds = [_KIND_OF.get(nodes.tag[row], -1) for row in blocks.row]
    base = next(column)
    for number, kind in enumerate(kinds):
        if kind >= 0:
            out[number, base + kind] = 1
    near, under = _hints(page, blocks, good, all_good)
    base += len(_KINDS)
    bits = np.arange(len(HINTS))
    out[:, base : base + len(HINTS)] = (np.array(near, np.int64)[:, None] >> bits) & 1
    out[:, base + len(HINTS) :] = (np.array(under, np.int64)[:, None] >> bits) & 1
    return out


def _shifted(values: NDArray[np.float32], by: int) -> NDArray[np.float32]:
    moved = np.zeros_like(values)
    if by > 0:
        moved[by:] = values[:-by]
    else:
        moved[:by] = values[-by:]
    return moved


def _around(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The sum of each value and of the three on either side."""
    sums = np.concatenate((np.zeros(1, np.float32), values.cumsum(dtype=np.float32)))
    places = np.arange(len(values))
    return sums[np.minimum(places + 4, len(values))] - sums[np.maximum(places - 3, 0)]


def _linked(page: Page, total: int) -> NDArray[np.float32]:
    """How many words before each place are in links."""
    change = np.zeros(total + 1, np.float32)
    rows = np.flatnonzero(np.frombuffer(page.nodes.tag_bytes, np.uint8) == tags.A)
    spans = page.nodes.spans[rows]
    np.add.at(change, spans[:, 0], 1)
    np.add.at(change, spans[:, 1], -1)
    inside = change.cumsum() > 0
    return np.concatenate((np.zeros(1, np.float32), inside[:total].cumsum(dtype=np.float32)))


_IS_CONTAINER: Final = np.zeros(256, np.bool_)
for (
    _name
) in "article aside body div dl footer form header main nav ol section table td ul center fieldset blockquote".split():
    _IS_CONTAINER[tags.tag_id(_name)] = True


def _container(rows: NDArray[np.intp], tag: list[int], parents: NDArray[np.intp]) -> NDArray[np.intp]:
    """The nearest container that each row is in, or is."""
    is_container = _IS_CONTAINER[np.array(tag, np.intp)]
    is_container[0] = True
    found = rows.copy()
    for _ in range(12):
        outside = ~is_container[found]
        if not outside.any():
            break
        found[outside] = parents[found[outside]]
    return found


def _depth(row: int, parent: list[int]) -> int:
    depth = 0
    while row > 0 and depth < 40:
        row = parent[row]
        depth += 1
    return depth


def _root(page: Page, good: NDArray[np.float32], all_good: float, containers: NDArray[np.intp]) -> int:
    """The smallest container of a block that has most of the paragraphs; else the body."""
    spans = page.nodes.spans
    best, size = 0, len(page.words) + 1
    seen: set[int] = set()
    parent = page.nodes.parent
    for container in set(containers.tolist()):
        row = container
        while row > 0 and row not in seen:
            seen.add(row)
            first, last = int(spans[row, 0]), int(spans[row, 1])
            if last - first < size and good[last] - good[first] >= _MOST_OF_PAGE * all_good:
                best, size = row, last - first
            row = parent[row]
    return best


def _hints(page: Page, blocks: Blocks, good: NDArray[np.float32], all_good: float) -> tuple[list[int], list[int]]:
    """The hints in the elements near each block, and in all around it."""
    nodes = page.nodes
    tag, parent, attributes, spans = nodes.tag, nodes.parent, nodes.attributes, nodes.spans
    own: dict[int, int] = {0: 0}
    under: dict[int, int] = {0: 0}
    body_bit, close_bit = 1 << HINTS.index("body"), 1 << HINTS.index("close")
    kept = body_bit | close_bit | 1 << HINTS.index("article") | 1 << HINTS.index("main")
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
            if bits & ~kept and good[spans[one, 1]] - good[spans[one, 0]] > _MOST_OF_PAGE * all_good:
                bits &= kept
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
