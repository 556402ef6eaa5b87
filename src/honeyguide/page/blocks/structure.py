"""The content structure of one round of VIPS: blocks merged across separators, the lightest first (4.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from honeyguide.page.blocks.separators import Block, Region


def merge(region: Region, pdoc: int) -> Block:
    """The blocks of a region as one block, with the tree of those that it is merged from.

    The degree of coherence of a merged block comes from the heaviest separator in it: 10 for the lightest of the
    round, 1 for the heaviest, linear between them. Blocks without a separator between them belong together (10). Our
    reading of the permitted degree: a merged block that reaches it is a leaf; but blocks in it that do not reach it
    themselves stay apart from the others, to be divided again.
    """
    weights = list(_weights(region))
    return _merge(region, _Scale(weights), pdoc)[0]


class _Scale:
    """The degree of coherence that belongs to a weight."""

    def __init__(self, weights: Sequence[int]) -> None:
        self._lightest, self._heaviest = min(weights, default=0), max(weights, default=0)

    def doc(self, weight: int | None) -> int:
        if weight is None:
            return 10
        if self._lightest == self._heaviest:
            return 1
        return 10 - int(9 * (weight - self._lightest) / (self._heaviest - self._lightest) + 0.5)


def _weights(region: Region) -> Iterator[int]:
    yield from region.weights
    for part in region.parts:
        if isinstance(part, Region):
            yield from _weights(part)


_Merged = tuple[Block, int | None]  # with the weight of the heaviest separator in it


def _merge(region: Region, scale: _Scale, pdoc: int) -> _Merged:
    """Regions inside a region are merged before it. In one pass: open levels have ever lighter separators."""
    parts = [_merge(part, scale, pdoc) if isinstance(part, Region) else (part, None) for part in region.parts]
    if not region.weights:
        return _level(parts, None, scale, pdoc)
    levels: list[tuple[int, list[_Merged]]] = []
    last = parts[0]
    for weight, part in zip(region.weights, parts[1:], strict=True):
        while levels and levels[-1][0] < weight:
            inner, merged = levels.pop()
            last = _level([*merged, last], inner, scale, pdoc)
        if levels and levels[-1][0] == weight:
            levels[-1][1].append(last)
        else:
            levels.append((weight, [last]))
        last = part
    while levels:
        inner, merged = levels.pop()
        last = _level([*merged, last], inner, scale, pdoc)
    return last


def _level(parts: list[_Merged], weight: int | None, scale: _Scale, pdoc: int) -> _Merged:
    heaviest = max((inner for _, inner in parts if inner is not None), default=weight)
    if weight is not None and heaviest is not None:
        heaviest = max(weight, heaviest)
    return _join([block for block, _ in parts], scale.doc(heaviest), pdoc), heaviest


def _join(blocks: list[Block], doc: int, pdoc: int) -> Block:
    least = min(block.doc for block in blocks)
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
    """One block in place of several neighbours."""
    first, last = blocks[0], blocks[-1]
    left, top, right, bottom = first.left, first.top, first.right, first.bottom
    for block in blocks:
        left, top = min(left, block.left), min(top, block.top)
        right, bottom = max(right, block.right), max(bottom, block.bottom)
    span = first.span[0], last.span[1]
    return Block(span, doc, left, top, right, bottom, first.start, last.end, first.first_piece, last.last_piece)
