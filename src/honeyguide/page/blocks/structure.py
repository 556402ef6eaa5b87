"""The content structure of one round of VIPS: blocks merged across separators, the lightest first (4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from honeyguide.page.blocks.separators import Block, LayoutRegion

_NEXT_LINE = 0  # maximum weight of a separator between plain texts that are no farther apart than lines of text


def merge(region: LayoutRegion, pdoc: int) -> Block:
    """The blocks of a region as one block, with the tree of the blocks that it was merged from.

    The degree of coherence of a merged block depends on the heaviest separator in it: 10 for the lightest of the
    region, 1 for the heaviest, linear in between. Blocks without a separator between them belong together (10).

    Separators that all have the same weight are the lightest and the heaviest at once. Our resolution: they count as
    the lightest if they are only the gap to the next line of plain text (up to 15 px, which weighs 2, less 2), so that
    the items of a list stay one block; otherwise as the heaviest, because a separator that looks the same everywhere
    divides everywhere.

    Our reading of the permitted degree: a merged block that reaches it is a leaf, but blocks in it that do not reach it
    themselves stay separate from the others, to be divided again. A region inside a region is merged first, as if in a
    round of its own: its separators are not visible from outside.
    """
    parts = [merge(part, pdoc) if isinstance(part, LayoutRegion) else part for part in region.parts]
    if not region.weights:
        return _join(parts, 10, pdoc)
    lightest, heaviest = min(region.weights), max(region.weights)

    def join(blocks: list[Block], weight: int) -> Block:
        if heaviest > lightest:
            share = (weight - lightest) / (heaviest - lightest)
        else:
            share = 0.0 if weight <= _NEXT_LINE else 1.0
        return _join(blocks, 10 - int(9 * share + 0.5), pdoc)

    levels: list[tuple[int, list[Block]]] = []  # levels that may still get more blocks, with ever lighter separators
    last = parts[0]
    for weight, part in zip(region.weights, parts[1:], strict=True):
        while levels and levels[-1][0] < weight:
            inner, blocks = levels.pop()
            last = join([*blocks, last], inner)
        if levels and levels[-1][0] == weight:
            levels[-1][1].append(last)
        else:
            levels.append((weight, [last]))
        last = part
    while levels:
        inner, blocks = levels.pop()
        last = join([*blocks, last], inner)
    return last


def _join(blocks: list[Block], doc: int, pdoc: int) -> Block:
    least = min([block.doc for block in blocks])
    if doc >= pdoc:
        if least >= pdoc:
            return around(blocks, doc)
        groups = [(is_coherent, list(run)) for is_coherent, run in groupby(blocks, lambda block: block.doc >= pdoc)]
        blocks = [
            part
            for is_coherent, run in groups
            for part in ([around(run, doc)] if is_coherent and len(run) > 1 else run)
        ]
    joined = around(blocks, min(doc, least))
    joined.children = blocks
    return joined


def around(blocks: Sequence[Block], doc: int) -> Block:
    """One block that replaces several neighbours."""
    first, last = blocks[0], blocks[-1]
    left, top, right, bottom = first.left, first.top, first.right, first.bottom
    for block in blocks:  # takes half the time of min and max, since there are mostly only two or three
        if block.left < left:  # noqa: PLR1730 (see above)
            left = block.left
        if block.top < top:  # noqa: PLR1730 (see above)
            top = block.top
        if block.right > right:  # noqa: PLR1730 (see above)
            right = block.right
        if block.bottom > bottom:  # noqa: PLR1730 (see above)
            bottom = block.bottom
    span = first.span[0], last.span[1]
    return Block(span, doc, left, top, right, bottom, first.start, last.end, first.first_piece, last.last_piece)
