"""VIPS (Cai and others, MSR-TR-2003-79), as used in 003: divides a page where its reader sees a division.

It works in rounds: a node is divided by rules (`rules`) into blocks, separators are found between them (`separators`),
and the blocks are merged again across the lightest separators into a tree (`structure`); a block that is not coherent
enough is divided in the next round. The visual cues (`cues`) come from a browser (`browser`) or, without one, from an
estimate of the layout (`layout`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.blocks.base import NO_BLOCK, Blocks
from honeyguide.page.blocks.cues import Cues
from honeyguide.page.blocks.display import HR
from honeyguide.page.blocks.layout import static_cues
from honeyguide.page.blocks.outline import Outline, outline_of
from honeyguide.page.blocks.rules import DIVIDE_BY_COLOUR, DROP, Node, NodeContext, coloured_coherence
from honeyguide.page.blocks.separators import NO_ROW, Block, separate
from honeyguide.page.blocks.structure import merge
from honeyguide.page.parse import Page
from honeyguide.page.spans import spans

PDOC = 6
"""The permitted degree of coherence: 0.6 in 003, on a scale from 1 to 10."""

_LINE_BREAK = 8.0  # pixels between two texts up to which no separator is visible: the smallest gap with more weight
_THRESHOLDS = (0.10, 0.05, 0.02, 0.01)  # of the relative size in rules 9 and 10, by round; then the last


def vips(page: Page, pdoc: int = PDOC, cues: Cues | None = None) -> Blocks:
    """The leaves of the page's tree of blocks.

    A link is in the block of its first word or, if it has no words, in the block that contains its element; an
    invisible link is in none. Blocks with neither words nor links are left out.
    """
    outline = outline_of(page)
    cues = cues or static_cues(page, outline)
    leaves = list(_leaves(_tree(page, pdoc, outline, cues)))
    of_link = _leaves_of_links(page, leaves)
    of_link[~cues.visible[page.links.node]] = NO_BLOCK
    linked = set(of_link.tolist())
    kept = [number for number, leaf in enumerate(leaves) if leaf.span[0] < leaf.span[1] or number in linked]
    places = np.full(len(leaves) + 1, NO_BLOCK, np.int32)  # the last is for links in no block: NO_BLOCK indexes it
    places[kept] = np.arange(len(kept))
    return Blocks(spans(leaves[number].span for number in kept), places[of_link])


def vips_tree(page: Page, pdoc: int = PDOC, cues: Cues | None = None) -> Block:
    """The page's content structure: the root is the page, with a degree of coherence of 1.

    A leaf has a degree of at least `pdoc`, unless it cannot be divided. The tree can be as deep as the page.
    """
    outline = outline_of(page)
    return _tree(page, pdoc, outline, cues or static_cues(page, outline))


def _tree(page: Page, pdoc: int, outline: Outline, cues: Cues) -> Block:
    rounds = _Rounds(NodeContext(page, outline, cues))
    root = rounds.block(0, 1, NO_ROW)
    agenda = [(root, 0)]
    while agenda:
        block, number = agenda.pop()
        if block.doc >= pdoc or block.row == NO_ROW:
            continue
        pool = rounds.extract(block.row, _THRESHOLDS[min(number, len(_THRESHOLDS) - 1)])
        if pool:
            merged = merge(separate(pool, rounds.view), pdoc)
            block.children = merged.children or [merged]
        else:
            block.end = block.start  # nothing is visible
        agenda += [(part, number + 1) for part in pool]
    return root


def _leaves(root: Block) -> Iterator[Block]:
    """The leaves in document order."""
    stack = [root]
    while stack:
        block = stack.pop()
        if block.children:
            stack.extend(reversed(block.children))
        else:
            yield block


def _leaves_of_links(page: Page, leaves: list[Block]) -> NDArray[np.intp]:
    """For each link, the number of the leaf that contains it, or `NO_BLOCK`."""
    nodes, rows = page.nodes, page.links.node
    worded = np.array([number for number, leaf in enumerate(leaves) if leaf.span[0] < leaf.span[1]], np.intp)
    word_starts = np.array([leaves[number].span[0] for number in worded], np.intp)
    words = nodes.spans.take(np.array(rows, np.intp), axis=0)
    found = np.full(len(rows), NO_BLOCK)
    has_words = words[:, 1] > words[:, 0]
    if len(worded):
        found[has_words] = worded[word_starts.searchsorted(words[has_words, 0], side="right") - 1]
    starts = [leaf.start for leaf in leaves]
    for link in (~has_words).nonzero()[0].tolist():
        row = rows[link]
        start, end = row + nodes.first_piece[row], nodes.last_node[row] + nodes.last_piece[row]
        number = bisect_right(starts, start) - 1
        if number >= 0 and start < leaves[number].end:
            found[link] = number
        elif number + 1 < len(leaves) and starts[number + 1] < end:
            found[link] = number + 1
    if rows and not rows[0]:  # the target of a meta refresh is in no part of the page
        found[0] = NO_BLOCK
    return found


class _Rounds:
    """The state shared by all rounds: how nodes become blocks."""

    def __init__(self, view: NodeContext) -> None:
        self.view = view

    def extract(self, root: int, threshold: float) -> list[Block]:
        """The blocks of a node in one round, in document order; nodes are divided from the top down.

        Text nodes and virtual text nodes that follow each other on the same or the next line are one block: no
        separator is visible between them. Horizontal rules are not blocks, but the separators take them into account.
        """
        view, first_piece, last_piece = self.view, self.view.first_piece, self.view.last_piece
        pool: list[Block] = []
        kept: set[int] = set()
        is_after_rule = False
        agenda: list[_Part] = [(root, None, NO_ROW, NO_ROW, False)]
        while agenda:
            row, run, column, previous, is_coloured = agenda.pop()
            if run:
                block = self._text_block(run, row, column)
            elif view.tag[row] == HR:
                is_after_rule = True
                continue
            elif row != root and not is_coloured and view.begins_with_text(row):
                # Most nodes are of this kind: rules 1 and 2 do not apply, rule 4 does. (Tables and rows, which have no
                # rule 4, do not begin with texts: parsers move these out.)
                kept.add(row)
                block = self.block(row, view.text_coherence(first_piece[row], last_piece[row]), column)
            else:
                node = Node(view, row, row == root, previous in kept, threshold)
                verdict = node.judge()
                if is_coloured and verdict != DROP:
                    verdict = coloured_coherence(node.tag, view.share[row])
                if verdict == DROP:
                    continue
                if verdict < 0:
                    agenda += reversed(self._divide(node, column, by_colour=verdict == DIVIDE_BY_COLOUR))
                    continue
                kept.add(row)
                block = self.block(row, verdict, column)
            block.is_after_rule, is_after_rule = is_after_rule, False
            pool.append(block)
        return pool

    def _divide(self, node: Node, column: int, *, by_colour: bool) -> list[_Part]:
        """The parts of a node: runs of texts with no more than a line break between them, and other nodes."""
        view, row, is_text = self.view, node.row, self.view.is_text
        parts: list[_Part] = []
        run: _Run | None = None
        previous = NO_ROW
        for child in node.children:
            if child >= 0 and not is_text[child]:
                if run:
                    parts.append((row, run, column, NO_ROW, False))
                    run = None
                is_coloured = by_colour and view.background[child] != view.background[row]
                parts.append((child, None, child if view.beside[child] else column, previous, is_coloured))
                previous = child
                continue
            left, top, right, bottom = view.corners(child)
            if run and top <= run[5] + _LINE_BREAK:
                first, _, least, highest, most, lowest = run
                run = first, child, min(least, left), min(highest, top), max(most, right), max(lowest, bottom)
            else:
                if run:
                    parts.append((row, run, column, NO_ROW, False))
                run = child, child, left, top, right, bottom
        if run:
            parts.append((row, run, column, NO_ROW, False))
        return parts

    def block(self, row: int, doc: int, column: int) -> Block:
        """A node as a block."""
        view = self.view
        first, last = view.first_piece[row], view.last_piece[row]
        return Block(
            (view.words_before[first], view.words_before[last]),
            doc,
            view.left[row],
            view.top[row],
            view.right[row],
            view.bottom[row],
            row + first,
            view.last_node[row] + last,
            first,
            last,
            row,
            view.background[row],
            column,
            not view.holds_break[row] and view.has_text(first, last),
        )

    def _text_block(self, run: _Run, parent: int, column: int) -> Block:
        """Consecutive texts as one block."""
        view = self.view
        first_child, last_child, left, top, right, bottom = run
        start, first = self._start(first_child)
        end, last = self._end(last_child)
        span = view.words_before[first], view.words_before[last]
        doc, is_plain = view.text_coherence(first, last), view.has_text(first, last)
        background = view.background[parent]
        return Block(span, doc, left, top, right, bottom, start, end, first, last, NO_ROW, background, column, is_plain)

    def _start(self, child: int) -> tuple[int, int]:
        """The start of a child in document order, and its first piece."""
        piece = self.view.first_piece[child] if child >= 0 else ~child
        return (child + piece if child >= 0 else piece + bisect_right(self.view.first_piece, piece)), piece

    def _end(self, child: int) -> tuple[int, int]:
        if child < 0:
            start, piece = self._start(child)
            return start + 1, piece + 1
        return self.view.last_node[child] + self.view.last_piece[child], self.view.last_piece[child]


_Run = tuple[int, int, float, float, float, float]
"""Texts among the children of a node: the first, the last, and the box around them all."""

_Part = tuple[int, _Run | None, int, int, bool]
"""A node to judge, or a node with some of its texts; the column, the sibling before it, and whether it is coloured."""
