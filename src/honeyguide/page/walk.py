"""The walk over the tree of a document, which fills the columns of its elements."""

from __future__ import annotations

import re
import threading
from collections.abc import Set as AbstractSet

from selectolax.lexbor import LexborCSSSelector, LexborNode

from honeyguide.kernel import compiled
from honeyguide.page import tags
from honeyguide.page.nodes import Marked, Nodes

# How the walk over a page treats a tag: the special cases among the elements.
_SKIPPED, _UNSEEN, _MARKED = 1, 2, 3
_PARTS = [_UNSEEN if tag in tags.UNSEEN else 0 for tag in range(tags.LAST + 1)]
_PARTS[tags.COMMENT] = _SKIPPED
for _tag in (tags.A, tags.AREA, tags.FRAME, tags.IMG):
    _PARTS[_tag] = _MARKED
_PART_BYTES = bytes(_PARTS)

_UNSHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE | re.ASCII)
_HIDING = '[hidden],[style*="none" i],[style*="hidden" i]'  # all that may hide an element, and a little more

_kernel = compiled("walk")


def walk(top: LexborNode | None, styled: bool) -> tuple[Nodes, Marked, list[int]]:
    """All nodes; the rows of links and images with their attributes; the rows hidden by their own markup.

    What is not to be read is removed from the tree. A hidden body is read, because a script will show it. This is one
    loop with local names and without a function call per node: it is the hottest code of parsing, and recursion would
    hit Python's limit on deep pages.
    """
    if top is None:
        return Nodes([], [], [], []), [], []
    hidden = frozenset() if styled else _hidden(top)
    if _kernel:
        tag, parent, first_piece, last_piece, attributes, marked, concealed = _kernel.walk(
            top, styled, hidden, _UNSHOWN.search, _PART_BYTES, tags.TEXT, tags.LAST, tags.UNKNOWN
        )
        return Nodes(tag, parent, first_piece, last_piece, attributes=attributes), marked, concealed
    return _plain_walk(top, styled, hidden)


def _plain_walk(top: LexborNode, styled: bool, hidden: AbstractSet[int]) -> tuple[Nodes, Marked, list[int]]:
    """`walk` without the compiled kernel."""
    tag, parent, first_piece, last_piece = [top.tag_id], [-1], [0], [0]
    marked: Marked = []
    concealed: list[int] = []
    attributes = {0: own} if styled and (own := top.attributes) else {}
    text, last, unknown, parts = tags.TEXT, tags.LAST, tags.UNKNOWN, _PARTS
    pieces = 0
    above: list[LexborNode] = []  # the elements around `node`, without the top
    row = 0  # the row of the last of them
    node = top.first_child
    while True:
        if node is None:
            last_piece[row] = pieces
            row = parent[row]
            if row < 0:
                break
            node = above.pop().next
            continue
        kind = node.tag_id
        if kind == text:
            pieces += 1
            node = node.next
            continue
        if kind > last:
            kind = unknown
        if part := parts[kind]:
            if part == _SKIPPED:
                node = node.next
                continue
            if part == _UNSEEN:
                unseen = node
                node = node.next
                unseen.decompose(recursive=False)
                continue
            marked.append((len(tag), node.attributes))
        if styled and (own := marked[-1][1] if part else node.attributes):
            attributes[len(tag)] = own
            if "hidden" in own or ("style" in own and _UNSHOWN.search(own["style"] or "")):
                concealed.append(len(tag))
        elif hidden and node.mem_id in hidden:
            concealed.append(len(tag))
        tag.append(kind)
        parent.append(row)
        first_piece.append(pieces)
        child = node.first_child
        if child is not None and child.tag_id == text:  # most have no other child
            pieces += 1
            child = child.next
        last_piece.append(pieces)
        if child is None:
            node = node.next
        else:
            above.append(node)
            row = len(tag) - 1
            node = child
    return Nodes(tag, parent, first_piece, last_piece, attributes=attributes), marked, concealed


class _Finder(threading.local):
    """Finds nodes by CSS selectors in any tree: to make a finder takes as long as to find something."""

    def __init__(self) -> None:
        self.selector = LexborCSSSelector()  # type: ignore[no-untyped-call]


_finder = _Finder()


def _hidden(top: LexborNode) -> AbstractSet[int]:
    """The addresses of the nodes hidden by their own markup, found without reading the attributes of all others."""
    return {
        node.mem_id
        for node in _finder.selector.find(_HIDING, top)
        if "hidden" in (attributes := node.attributes) or _UNSHOWN.search(attributes.get("style") or "")
    }
