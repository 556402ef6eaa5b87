"""A page as arrays, including its text nodes, which only VIPS needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import pack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.parse import Page
from honeyguide.page.words import SEAM

_NO_BREAK_SPACE = 0xA0


def ints(values: Sequence[int]) -> NDArray[np.int64]:
    """A list as an array, in two thirds of numpy's own time: numpy checks the values for other types."""
    return np.frombuffer(bytearray(pack(f"{len(values)}q", *values)), np.int64)


def floats(values: Sequence[float]) -> NDArray[np.float64]:
    """As `ints`, for floats."""
    return np.frombuffer(bytearray(pack(f"{len(values)}d", *values)), np.float64)


@dataclass(frozen=True, slots=True)
class Outline:
    """The elements of a page and the pieces of its source; each piece is a text node."""

    tag: NDArray[np.intp]
    last_node: NDArray[np.intp]
    first_piece: NDArray[np.intp]
    last_piece: NDArray[np.intp]
    """One entry per element, as in `honeyguide.page.parse.Nodes`."""
    text_parent: NDArray[np.intp]
    """For each piece, the row of the element that directly contains it."""
    chars: NDArray[np.int32]
    """For each piece, the number of visible characters: white space is folded, and a text of white space only has 0."""


def outline_of(page: Page) -> Outline:
    """The outline of a page, in time linear in the page's size."""
    nodes = page.nodes
    first, last = ints(nodes.first_piece), ints(nodes.last_piece)
    chars = _chars(page.source)[: nodes.last_piece[0]]
    parents = _text_parents(first, last, ints(nodes.parent), len(chars))
    return Outline(ints(nodes.tag), ints(nodes.last_node), first, last, parents, chars)


def _chars(source: str) -> NDArray[np.int32]:
    """The visible characters of each piece; a space counts if it follows a visible character of the same piece."""
    if source.isascii():
        points: NDArray[Any] = np.frombuffer(source.encode("ascii"), np.uint8)
    else:
        points = np.frombuffer(source.encode("utf-32-le", "surrogatepass"), np.uint32)
    ink = points > ord(" ")
    if points.dtype == np.uint32:
        ink &= points != _NO_BREAK_SPACE
    counted = ink.copy()
    counted[1:] |= ink[:-1]
    seams = (points == ord(SEAM)).nonzero()[0]
    counted[seams] = False
    total = np.zeros(len(points) + 1, np.int32)
    counted.cumsum(out=total[1:])
    before = np.zeros(len(seams) + 2, np.int32)
    before[1:-1], before[-1] = total[seams], total[-1]
    return before[1:] - before[:-1]


def _text_parents(
    first: NDArray[np.intp], last: NDArray[np.intp], parent: NDArray[np.intp], count: int
) -> NDArray[np.intp]:
    """For each piece, the innermost element around it.

    It is the element that began last or, if an element ended later, the parent of that one. So both events are recorded
    at the piece where they happen, later events overwriting earlier ones, and each record is valid until the next.
    """
    rows = (last > first).nonzero()[0]  # the others contain no text
    noted = np.full(count + 1, -1, np.intp)
    outwards = rows[::-1]
    noted[last[outwards]] = parent[outwards]
    noted[first[rows]] = rows
    places = np.arange(count + 1)
    places[noted < 0] = 0
    return noted[np.maximum.accumulate(places)[:count]]
