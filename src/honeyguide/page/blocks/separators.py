"""The separators between the blocks of one round of VIPS, and their weights (MSR-TR-2003-79, 4.2).

A separator spans the current region from one side to the other and crosses no block. Blocks become spans of words, so
only separators that divide the blocks in document order count: all blocks before it are on one side and all blocks
after it on the other. They are found in one sweep, with the same result as splitting, shrinking and deleting an initial
separator. Where blocks touch, there is a separator of zero width between them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from honeyguide.page.blocks.rules import NodeContext

NO_ROW: Final = -1

_WIDTHS = (8, 15, 25, 35, 45, 55)  # in pixels: the weight of a separator increases at each
_WEIGHTS = (1, 2, 4, 6, 8, 10, 12)
_TURNS = 8  # how many times per round separators are searched for inside the parts found before
_EPSILON = 1e-6  # pixels, against rounding


@dataclass(slots=True, eq=False)
class Block:
    """A coherent part of a page, with its own parts."""

    span: tuple[int, int]
    """Its first word, and the position after its last one."""
    doc: int
    """Degree of coherence, 1 to 10."""
    left: float
    top: float
    right: float
    bottom: float
    start: int
    """Start and end among all elements and texts of the page, numbered together in document order."""
    end: int
    first_piece: int
    last_piece: int
    row: int = NO_ROW
    """The node of the block; a block of several nodes has none."""
    background: str = ""
    column: int = NO_ROW
    """The cell or floated element that contains the block, or is the block."""
    is_plain: bool = False
    """Whether the block is only text."""
    is_after_rule: bool = False
    """Whether there is a horizontal rule before the block."""
    children: Sequence[Block] = ()


@dataclass(slots=True)
class LayoutRegion:
    """Blocks, or regions of blocks, in sequence in one direction, and the weights of the separators between them.

    Without weights there is no separator between them.
    """

    parts: list[Block | LayoutRegion]
    weights: list[int]


def separate(blocks: Sequence[Block], view: NodeContext) -> LayoutRegion:
    """Find the separators of a round: first across all its blocks, then inside the parts they separate."""
    return _separate(blocks, view, _TURNS)


def _separate(blocks: Sequence[Block], view: NodeContext, turns: int) -> LayoutRegion:
    cuts = _cuts([block.top for block in blocks], [block.bottom for block in blocks])
    is_horizontal = bool(cuts)
    if not cuts and any(block.column != NO_ROW for block in blocks):
        cuts = [
            (place, gap)
            for place, gap in _cuts([block.left for block in blocks], [block.right for block in blocks])
            if NO_ROW != blocks[place].column != blocks[place - 1].column != NO_ROW
        ]
    if not cuts:
        return LayoutRegion(list(blocks), [])
    parts: list[Block | LayoutRegion] = []
    start = 0
    for end in (*(place for place, _ in cuts), len(blocks)):
        if end - start == 1:
            parts.append(blocks[start])
        elif turns:
            parts.append(_separate(blocks[start:end], view, turns - 1))
        else:
            parts.append(LayoutRegion(list(blocks[start:end]), []))
        start = end
    weights = [weight(gap, blocks[place - 1], blocks[place], view, is_horizontal=is_horizontal) for place, gap in cuts]
    return LayoutRegion(parts, weights)


def _cuts(starts: list[float], ends: list[float]) -> list[tuple[int, float]]:
    """The indices in a sequence of intervals before which all earlier intervals end, and the gaps there."""
    reached = accumulate(ends, max)
    following = list(accumulate(reversed(starts), min))
    following.reverse()
    return [
        (place, start - end)
        for place, (end, start) in enumerate(zip(reached, following[1:], strict=False), 1)
        if start >= end - _EPSILON
    ]


def weight(gap: float, before: Block, after: Block, view: NodeContext, *, is_horizontal: bool) -> int:
    """The weight of the separator between two blocks that are `gap` pixels apart: how visible it is."""
    total = _WEIGHTS[bisect_left(_WIDTHS, gap)]
    if after.is_after_rule:
        total += 2
    if before.background != after.background:
        total += 2
    if is_horizontal:
        upper = view.font_above(before.first_piece, before.last_piece)
        lower = view.font_below(after.first_piece, after.last_piece)
        if upper and lower and upper != lower:
            total += 2
            if upper[0] < lower[0]:
                total += 2
        if before.is_plain and after.is_plain:
            total -= 2
    return total
