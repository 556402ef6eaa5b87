"""What a reader sees of a page: the one thing that VIPS knows of it beside its elements."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Boxes:
    """Rectangles in pixels, as parallel lists; one that is not seen has no width and no height."""

    left: list[float]
    top: list[float]
    width: list[float]
    height: list[float]


@dataclass(frozen=True, slots=True)
class Cues:
    """The visual cues of a page: lists with an entry for each row of its nodes, or for each piece of its text."""

    boxes: Boxes
    """Of the nodes; that of the body is the page."""
    text_boxes: Boxes
    """Of the pieces."""
    visible: list[bool]
    """Whether a node is shown at all."""
    font_size: list[float]
    """In pixels. A text has the font of the node it stands in."""
    bold: list[bool]
    background: list[str]
    """The colour behind a node, in any notation in which equal colours are equal strings."""
    beside: list[bool]
    """Whether a node stands beside its siblings, not below them: a cell of a row, or a floated element."""
