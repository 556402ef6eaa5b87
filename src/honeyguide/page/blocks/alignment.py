"""Finds the elements and texts of a page in the tree of a browser, which scripts may have changed.

Both trees are walked from the top down: the children of two elements that are the same are compared by tag and id. They
are the same as far as these agree, from the beginning and from the end; between, each is the next of its kind. This is
linear in the size of both trees.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honeyguide.page import tags
from honeyguide.page.blocks.outline import Outline
from honeyguide.page.parse import Page

TEXT_NODE: Final = "#text"

_Box = tuple[float, float, float, float]
_Ints = NDArray[np.intp]


class Rendered(NamedTuple):
    """An element or a text, as a browser shows it."""

    tag: str
    """In lower case; ``#text`` for a text."""
    id: str
    depth: int
    """0 for the body."""
    box: _Box
    """Left, top, width and height in pixels, on the page rather than on the screen."""
    display: str
    floated: str
    """The value of `float`."""
    visibility: str
    font_size: float
    """0 if unknown."""
    font_weight: float
    background: str
    """The colour or picture, as CSS; "" or a transparent colour for none."""


_Kind = tuple[int, str]


def align(page: Page, outline: Outline, rendered: Sequence[Rendered]) -> tuple[_Ints, _Ints]:
    """For each row and each piece of a page, the number of its rendering; -1 for none."""
    of_row, of_piece = np.full(len(page.nodes), -1), np.full(len(outline.chars), -1)
    ours, theirs = _our_children(page, outline), _their_children(rendered)
    of_row[0] = 0
    agenda = [(0, 0)]
    while agenda:
        row, place = agenda.pop()
        for (_, mine), (_, other) in _aligned(ours.get(row, []), theirs.get(place, [])):
            if mine < 0:
                of_piece[~mine] = other
            else:
                of_row[mine] = other
                agenda.append((mine, other))
    return of_row, of_piece


def _our_children(page: Page, outline: Outline) -> dict[int, list[tuple[_Kind, int]]]:
    """The children of each row: elements by row, texts by the complement of their piece."""
    nodes, seen = page.nodes, set(tags.NAMED.values())
    first = outline.first_piece
    pieces = np.arange(len(outline.chars))
    places = np.concatenate([np.arange(len(first)) + first, pieces + first.searchsorted(pieces, side="right")])
    children: defaultdict[int, list[tuple[_Kind, int]]] = defaultdict(list)
    for item in np.argsort(places, kind="stable").tolist():
        if item >= len(first):
            piece = item - len(first)
            children[int(outline.text_parent[piece])].append(((tags.TEXT, ""), ~piece))
        elif item:
            tag = nodes.tag[item]
            name = nodes.attributes.get(item, {}).get("id") or ""
            children[nodes.parent[item]].append(((tag if tag in seen else tags.UNKNOWN, name), item))
    return children


def _their_children(rendered: Sequence[Rendered]) -> dict[int, list[tuple[_Kind, int]]]:
    """The children of each rendered element, without those that `parse` does not read."""
    children: defaultdict[int, list[tuple[_Kind, int]]] = defaultdict(list)
    above = [0]
    skipped = len(rendered) + 1  # the depth below which an element is not read
    for place, one in enumerate(rendered[1:], 1):
        if one.depth > skipped:
            continue
        skipped = len(rendered) + 1
        if one.tag in tags.UNSEEN_NAMES:
            skipped = one.depth
            continue
        del above[one.depth :]
        kind = tags.TEXT if one.tag == TEXT_NODE else tags.NAMED.get(one.tag, tags.UNKNOWN)
        children[above[-1]].append(((kind, one.id), place))
        above.append(place)
    return children


def _aligned(
    ours: list[tuple[_Kind, int]], theirs: list[tuple[_Kind, int]]
) -> Iterator[tuple[tuple[_Kind, int], tuple[_Kind, int]]]:
    """The pairs of equal children, in order."""
    first, shorter = 0, min(len(ours), len(theirs))
    while first < shorter and ours[first][0] == theirs[first][0]:
        first += 1
    last = 0
    while last < shorter - first and ours[~last][0] == theirs[~last][0]:
        last += 1
    yield from zip(ours[:first], theirs[:first], strict=True)
    places: defaultdict[_Kind, list[int]] = defaultdict(list)
    for place in range(len(theirs) - last - 1, first - 1, -1):
        places[theirs[place][0]].append(place)
    reached = first
    for one in ours[first : len(ours) - last]:
        waiting = places[one[0]]
        while waiting and waiting[-1] < reached:
            waiting.pop()
        if waiting:
            reached = waiting.pop() + 1
            yield one, theirs[reached - 1]
    if last:
        yield from zip(ours[-last:], theirs[-last:], strict=True)
