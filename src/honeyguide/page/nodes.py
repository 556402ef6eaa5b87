"""The elements of a document, as flat columns."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.lazy import lazy
from honeyguide.page.spans import Spans

Attributes = dict[str, str | None]
Marked = list[tuple[int, Attributes]]
"""Rows of links and images, with their attributes."""


@dataclass
class Nodes:
    """The elements of the body in document order: parallel lists, one row per element; row 0 is the body.

    Row `i` contains the words ``[first_word[i], last_word[i])`` and, as its sub-tree, the rows ``[i, last_node[i])``. A
    parent comes before its children; the body's parent is -1.
    """

    tag: list[int]
    """A number of `honeyguide.page.tags`."""
    parent: list[int]
    first_piece: list[int]
    """The first piece of the page's source in an element; `last_piece` is the piece after its end."""
    last_piece: list[int]
    words_before: NDArray[np.int32] = field(default_factory=lambda: np.zeros(2, np.int32))
    """How many words begin before each piece, and before the end."""
    attributes: dict[int, Attributes] = field(default_factory=dict)
    """Attributes of the rows that have any, if the page was parsed with ``styled=True``; otherwise empty."""
    html: Attributes = field(default_factory=dict)
    """Attributes of the element around the body, likewise."""
    sheets: tuple[tuple[str, str], ...] = ()
    """Media and text of the document's style sheets, likewise."""

    def __len__(self) -> int:
        return len(self.tag)

    # Computed on demand: a strategy that reads only anchors does not need them.

    @lazy
    def last_node(self) -> list[int]:
        """The row after the last one in each row's sub-tree."""
        return _subtree_ends(self.parent)

    @lazy
    def spans(self) -> Spans:
        """The words that begin in each row."""
        return _node_spans(self.first_piece, self.last_piece, self.words_before)

    @lazy
    def tag_bytes(self) -> bytes:
        """The tags as bytes, for look-ups with `bytes.translate`."""
        return bytes(self.tag)

    @lazy
    def first_word(self) -> NDArray[np.int32]:
        """The position of the first word that begins in each row."""
        return self.spans[:, 0]

    @lazy
    def last_word(self) -> NDArray[np.int32]:
        """The position after the last word that begins in each row."""
        return self.spans[:, 1]


@twin("places")
def _subtree_ends(parent: list[int]) -> list[int]:
    """The row after the last one in the sub-tree of each row."""
    ends = list(range(1, len(parent) + 1))
    for row in range(len(ends) - 1, 0, -1):  # a child passes its end on before its parent does
        end, above = ends[row], parent[row]
        if end > ends[above]:  # noqa: PLR1730 (max takes three times as long)
            ends[above] = end
    return ends


@twin("places")
def _node_spans(first_piece: list[int], last_piece: list[int], words_before: NDArray[np.int32]) -> Spans:
    """The words from one piece up to another, for each pair of them."""
    pieces = np.empty((len(first_piece), 2), np.intp)
    pieces[:, 0] = np.fromiter(first_piece, np.intp, len(first_piece))
    pieces[:, 1] = np.fromiter(last_piece, np.intp, len(last_piece))
    return words_before.take(pieces)
