"""Whether VIPS divides a node: its thirteen rules, and which of them apply to which tags (MSR-TR-2003-79, 4.1).

A node is *valid* if it is visible and has a size. *Text nodes* are texts and, in our reading, pictures and input
fields: everything visible without children. An *inline node* does not break a line; a *virtual text node* is an inline
node that contains only text nodes and virtual text nodes; all others are *line-break nodes*. The section elements of a
table (tbody ...) are ignored, because parsers add them: rows are treated as children of the table.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Final

import numpy as np

from honeyguide.page import tags
from honeyguide.page.blocks.cues import Cues
from honeyguide.page.blocks.display import BLOCK, CELLS, FLOW, HR, INLINE, REPLACED, TR
from honeyguide.page.blocks.outline import Outline
from honeyguide.page.parse import Page

DROP: Final = 0
DIVIDE: Final = -1
DIVIDE_BY_COLOUR: Final = -2
"""Verdicts on a node; a positive one keeps it as a block with that degree of coherence. When a node is divided by
colour, its children with another background than its own are kept as they are."""

_TABLE, _P = tags.tag_id("table"), tags.tag_id("p")
_SECTIONS = tags.tag_ids("tbody thead tfoot")

# Our numbers where the rules say "by tag and size". A block is less coherent the larger it is: it loses a degree at
# each of these shares of the page. With PDoC 6 a table is divided again above 2 % of the page, most others above 5 %.
_SIZES = (0.02, 0.05, 0.10, 0.25)
_COHERENT = 7
_COHERENCE = {tag: 8 for tag in range(tags.LAST + 1) if FLOW[tag] != BLOCK} | {_P: 8, _TABLE: 6}
# Our numbers where rule 9 says "by tag".
_MIXED = 6
_MIXED_COHERENCE = (
    {tag: 8 for tag in range(tags.LAST + 1) if FLOW[tag] != BLOCK}
    | dict.fromkeys(tags.tag_ids("p li dd dt td th caption"), 7)
    | dict.fromkeys(tags.tag_ids("body center form main"), 5)
)


class NodeContext:
    """A page as the rules see it: its nodes, texts and cues, and values computed from them once."""

    def __init__(self, page: Page, outline: Outline, cues: Cues) -> None:
        nodes = page.nodes
        self.tag, self.last_node = nodes.tag, nodes.last_node
        self.first_piece, self.last_piece = nodes.first_piece, nodes.last_piece
        self.words_before: list[int] = nodes.words_before.tolist()
        self.background = cues.background
        self.beside: list[bool] = cues.beside.tolist()
        boxes, self._text_boxes = cues.boxes, cues.text_boxes
        self.left: list[float] = boxes.left.tolist()
        self.top: list[float] = boxes.top.tolist()
        self.right: list[float] = (boxes.left + boxes.width).tolist()
        self.bottom: list[float] = (boxes.top + boxes.height).tolist()
        size = boxes.width * boxes.height * cues.visible
        whole = float(size[0]) or 1.0
        self.share: list[float] = (size / whole).tolist()
        """The size of each node as a share of the page's; 0 for an invalid node."""
        text_size = cues.text_boxes.width * cues.text_boxes.height
        self.text_share: list[float] = (text_size / whole).tolist()
        seen = text_size.nonzero()[0]
        self.seen: list[int] = seen.tolist()
        """The pieces that are valid text nodes."""
        before = np.zeros(len(text_size) + 1, np.intp)
        (text_size > 0).cumsum(out=before[1:])
        self.seen_before: list[int] = before.tolist()
        """How many of the `seen` pieces come before each piece, and before the end."""
        self.flow: list[int] = cues.flow.tolist()
        is_block = cues.flow == BLOCK
        breaks = np.zeros(len(size) + 1, np.intp)
        (is_block & (size > 0)).cumsum(out=breaks[1:])
        holds_break = breaks[outline.last_node] > breaks[1:]
        self.holds_break: list[bool] = holds_break.tolist()
        """Whether each node contains a line-break node."""
        self.is_text: list[bool] = (~(is_block | holds_break)).tolist()
        """Whether each node is a virtual text node, or a picture."""
        parents = outline.text_parent[seen]
        self._fonts = list(zip(cues.font_size[parents].tolist(), cues.bold[parents].tolist(), strict=True))

    def corners(self, child: int) -> tuple[float, float, float, float]:
        """The left, top, right and bottom of a child, numbered as in `children`."""
        if child >= 0:
            return self.left[child], self.top[child], self.right[child], self.bottom[child]
        boxes, piece = self._text_boxes, ~child  # few are needed: not worth converting to lists
        left, top = boxes.left.item(piece), boxes.top.item(piece)
        return left, top, left + boxes.width.item(piece), top + boxes.height.item(piece)

    def children(self, row: int) -> list[int]:
        """The valid children in order: a node is given by its row, a text by the complement (~) of its piece."""
        tag, share, last_node, seen, seen_before = self.tag, self.share, self.last_node, self.seen, self.seen_before
        first_piece, last_piece = self.first_piece, self.last_piece
        child, end = row + 1, last_node[row]
        if child == end:
            return [~piece for piece in seen[seen_before[first_piece[row]] : seen_before[last_piece[row]]]]
        found: list[int] = []
        is_table = tag[row] == _TABLE
        after = seen_before[first_piece[row]]  # the texts before this one have been added
        while child < end:
            reached = seen_before[first_piece[child]]
            if reached > after:
                found += [~piece for piece in seen[after:reached]]
            if is_table and tag[child] in _SECTIONS:
                after, child = reached, child + 1
                continue
            if share[child] > 0:
                found.append(child)
            after = seen_before[last_piece[child]]
            child = last_node[child]
        reached = seen_before[last_piece[row]]
        if reached > after:
            found += [~piece for piece in seen[after:reached]]
        return found

    def has_text(self, first_piece: int, last_piece: int) -> bool:
        """Whether there is visible text in a range of pieces."""
        return self.seen_before[first_piece] < self.seen_before[last_piece]

    def begins_with_text(self, row: int) -> bool:
        """Whether the first valid child of a node is a text and the node contains no line-break node."""
        first = self.first_piece[row]
        end = self.first_piece[row + 1] if row + 1 < self.last_node[row] else self.last_piece[row]
        return self.seen_before[first] < self.seen_before[end] and not self.holds_break[row]

    def fonts(self, first_piece: int, last_piece: int) -> list[tuple[float, bool]]:
        """Size and weight of each visible text in a range of pieces."""
        return self._fonts[self.seen_before[first_piece] : self.seen_before[last_piece]]

    def font_above(self, first_piece: int, last_piece: int) -> tuple[float, bool] | None:
        """The font of the last text in a range of pieces, which is next to a separator below them."""
        last = self.seen_before[last_piece] - 1
        return self._fonts[last] if last >= self.seen_before[first_piece] else None

    def font_below(self, first_piece: int, last_piece: int) -> tuple[float, bool] | None:
        """The font of the first text in a range of pieces, which is next to a separator above them."""
        first = self.seen_before[first_piece]
        return self._fonts[first] if first < self.seen_before[last_piece] else None

    def text_coherence(self, first_piece: int, last_piece: int) -> int:
        """Coherence of text with nothing between its lines (rule 4): lower if its font changes."""
        fonts = self.fonts(first_piece, last_piece)
        return 10 if len(fonts) <= 1 or len(set(fonts)) == 1 else 9


class Node:
    """One node to be judged."""

    __slots__ = ("children", "is_root", "row", "tag", "threshold", "view", "was_previous_kept")

    def __init__(self, view: NodeContext, row: int, is_root: bool, was_previous_kept: bool, threshold: float) -> None:
        self.view, self.row, self.tag = view, row, view.tag[row]
        self.is_root, self.was_previous_kept, self.threshold = is_root, was_previous_kept, threshold
        self.children = view.children(row)

    def inner(self) -> list[int]:
        """The children that are nodes."""
        return [child for child in self.children if child >= 0]

    def shares(self) -> list[float]:
        """The sizes of the children."""
        share, text_share = self.view.share, self.view.text_share
        return [share[child] if child >= 0 else text_share[~child] for child in self.children]

    def judge(self) -> int:
        """The verdict of the first rule that applies."""
        for rule in _RULES_OF_TAG[self.tag] or RULES["inline" if self.view.flow[self.row] == INLINE else "other"]:
            verdict = rule(self)
            if verdict is not None:
                return verdict
        raise AssertionError("the last rule always applies")


def coherence(tag: int, share: float) -> int:
    """Degree of coherence by tag and size."""
    return _COHERENCE.get(tag, _COHERENT) - bisect_left(_SIZES, share)


def coloured_coherence(tag: int, share: float) -> int:
    """Degree of coherence of a node with its own background (rule 8)."""
    return max(coherence(tag, share), 6)


def _rule_1(node: Node) -> int | None:
    return None if node.children else DROP


def _rule_2(node: Node) -> int | None:
    if len(node.children) > 1:
        return None
    child = node.children[0]
    return None if child < 0 or node.view.flow[child] == REPLACED else DIVIDE


def _rule_3(node: Node) -> int | None:
    return DIVIDE if node.is_root else None


def _rule_4(node: Node) -> int | None:
    view, row = node.view, node.row
    return None if view.holds_break[row] else view.text_coherence(view.first_piece[row], view.last_piece[row])


def _rule_5(node: Node) -> int | None:
    return DIVIDE if BLOCK in [node.view.flow[child] for child in node.inner()] else None


def _rule_6(node: Node) -> int | None:
    return DIVIDE if HR in [node.view.tag[child] for child in node.inner()] else None


def _rule_7(node: Node) -> int | None:
    # With a margin, so that rounding errors do not decide.
    return DIVIDE if sum(node.shares()) > node.view.share[node.row] * (1 + 1e-9) else None


def _rule_8(node: Node) -> int | None:
    background = node.view.background
    colours = {background[child] for child in node.children if child >= 0}
    return DIVIDE_BY_COLOUR if colours - {background[node.row]} else None


def _rule_9(node: Node) -> int | None:
    view = node.view
    if view.share[node.row] < node.threshold and any(child < 0 or view.is_text[child] for child in node.children):
        return _MIXED_COHERENCE.get(node.tag, _MIXED)
    return None


def _rule_10(node: Node) -> int | None:
    return _by_tag_and_size(node) if max(node.shares()) < node.threshold else None


def _rule_11(node: Node) -> int | None:
    return _by_tag_and_size(node) if node.was_previous_kept else None


def _rule_12(node: Node) -> int:  # noqa: ARG001 (all rules are called alike)
    return DIVIDE


def _by_tag_and_size(node: Node) -> int:
    return coherence(node.tag, node.view.share[node.row])


_rule_13 = _by_tag_and_size

Rule = Callable[[Node], int | None]

RULES: Final[dict[str, tuple[Rule, ...]]] = {
    "inline": (_rule_1, _rule_2, _rule_3, _rule_4, _rule_5, _rule_6, _rule_7, _rule_9, _rule_10, _rule_12),
    "table": (_rule_1, _rule_2, _rule_3, _rule_8, _rule_10, _rule_13),
    "tr": (_rule_1, _rule_2, _rule_3, _rule_7, _rule_8, _rule_10, _rule_13),
    "td": (_rule_1, _rule_2, _rule_3, _rule_4, _rule_9, _rule_10, _rule_11, _rule_13),
    "p": (_rule_1, _rule_2, _rule_3, _rule_4, _rule_5, _rule_6, _rule_7, _rule_9, _rule_10, _rule_12),
    "other": (_rule_1, _rule_2, _rule_3, _rule_4, _rule_6, _rule_7, _rule_9, _rule_10, _rule_12),
}
"""The rules of each class of tags, in the order in which they are applied."""

_KINDS = dict.fromkeys(CELLS, "td") | {_TABLE: "table", TR: "tr", _P: "p"}
_RULES_OF_TAG = [RULES[_KINDS[tag]] if tag in _KINDS else None for tag in range(tags.LAST + 1)]
