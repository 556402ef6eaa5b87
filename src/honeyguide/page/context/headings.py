"""The headings above each link: those of the part of the page that contains it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans
from honeyguide.page.tags import tag_id

NO_HEADING = -1
_LEVELS = {tag_id(f"h{level}"): level for level in range(1, 7)}
_LEVEL = bytes(_LEVELS.get(tag, 0) for tag in range(256))  # a table for `bytes.translate`


@dataclass(frozen=True, slots=True)
class Headings:
    """The headings of a page as a tree, and the heading above each link.

    Each heading is listed once, so that it is scored once, however many links it covers.
    """

    spans: Spans
    level: list[int]
    above: list[int]
    """For each heading, the nearest one before it of a lower level, or `NO_HEADING`."""
    of_link: NDArray[np.int32]
    """For each link, the last heading before or around it, or `NO_HEADING`."""

    def path(self, link: int) -> list[int]:
        """The headings over a link, outermost first: its own heading is the last."""
        path = []
        heading = int(self.of_link[link])
        while heading != NO_HEADING:
            path.append(heading)
            heading = self.above[heading]
        return path[::-1]


def headings(page: Page) -> Headings:
    """Find the headings of a page in one pass."""
    nodes = page.nodes
    rows, level, above, of_link = _headings_above(nodes.tag_bytes.translate(_LEVEL), page.links.node)
    return Headings(nodes.spans.take(rows, axis=0), level, above, of_link)


@twin("places")
def _headings_above(levels: bytes, rows: list[int]) -> tuple[list[int], list[int], list[int], NDArray[np.int32]]:
    """From the level of each node, 0 for no heading: the rows of headings, and the columns of `Headings`."""
    found = np.frombuffer(levels, np.uint8).nonzero()[0]
    headings = found.tolist()
    level = [levels[row] for row in headings]
    above: list[int] = []
    open_ones: list[int] = []  # headings that the next one may be under, outermost first
    for number, own in enumerate(level):
        while open_ones and level[open_ones[-1]] >= own:
            open_ones.pop()
        above.append(open_ones[-1] if open_ones else NO_HEADING)
        open_ones.append(number)
    of_link = found.searchsorted(np.array(rows, np.intp), side="right").astype(np.int32) - np.int32(1)
    return headings, level, above, of_link
