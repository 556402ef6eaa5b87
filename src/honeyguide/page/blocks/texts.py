"""The text nodes of a page, found from its elements: VIPS looks at each, no other method does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.parse import Nodes, Page
from honeyguide.page.words import SEAM

_NO_BREAK_SPACE = 0xA0


@dataclass(frozen=True, slots=True)
class Texts:
    """The pieces of a page's source, each of which is a text node: arrays with one entry a piece."""

    parent: NDArray[np.intp]
    """The row of the element that the text stands directly in."""
    chars: NDArray[np.int32]
    """How many characters a reader sees: white space folded, 0 for a text of nothing else."""
    seen: NDArray[np.intp]
    """The pieces that have characters to see, ascending."""
    seen_before: NDArray[np.intp]
    """How many of those come before each piece, and before the end."""


def texts_of(page: Page) -> Texts:
    """Find them, in time linear in the page's size."""
    chars = _chars(page.source)[: page.nodes.last_piece[0]]
    seen = np.flatnonzero(chars)
    before = np.zeros(len(chars) + 1, np.intp)
    np.cumsum(chars > 0, out=before[1:])
    return Texts(_parents(page.nodes, len(chars)), chars, seen, before)


def _chars(source: str) -> NDArray[np.int32]:
    """The visible characters of each piece; a space counts where it follows a visible character of the piece."""
    if source.isascii():
        points: NDArray[Any] = np.frombuffer(source.encode("ascii"), np.uint8)
    else:
        points = np.frombuffer(source.encode("utf-32-le", "surrogatepass"), np.uint32)
    ink = points > ord(" ")
    if points.dtype == np.uint32:
        ink &= points != _NO_BREAK_SPACE
    counted = ink.copy()
    counted[1:] |= ink[:-1]
    seams = np.flatnonzero(points == ord(SEAM))
    counted[seams] = False
    total = np.zeros(len(points) + 1, np.int32)
    np.cumsum(counted, out=total[1:])
    before = np.concatenate(([0], total[seams], total[-1:]))
    return np.diff(before)


def _parents(nodes: Nodes, count: int) -> NDArray[np.intp]:
    """For each piece the innermost element around it.

    It is the element that began last, or, where one ended later, the parent of that: so both are noted at the piece
    where they happen, what happens last there last, and each note is valid until the next.
    """
    first, last = np.array(nodes.first_piece), np.array(nodes.last_piece)
    rows = np.flatnonzero(last > first)  # the others hold no text
    noted = np.full(count + 1, -1, np.intp)
    outwards = rows[::-1]
    noted[last[outwards]] = np.array(nodes.parent)[outwards]
    noted[first[rows]] = rows
    valid = np.maximum.accumulate(np.where(noted >= 0, np.arange(count + 1), 0))
    return noted[valid][:count]
