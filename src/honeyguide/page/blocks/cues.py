"""What a reader sees of a page: all that VIPS knows of it beside its elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Boxes:
    """Rectangles in pixels; one that is not seen has no width or no height."""

    left: NDArray[np.float64]
    top: NDArray[np.float64]
    width: NDArray[np.float64]
    height: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cues:
    """The visual cues of a page, with an entry for each row of its nodes, or for each piece of its text."""

    boxes: Boxes
    """Of the nodes; that of the body is the page."""
    text_boxes: Boxes
    """Of the pieces."""
    visible: NDArray[np.bool_]
    """Whether a node is shown at all."""
    font_size: NDArray[np.float64]
    """In pixels. A text has the font of the node it stands in."""
    bold: NDArray[np.bool_]
    background: list[str]
    """The colour behind a node, in any notation in which equal colours are equal strings."""
    beside: NDArray[np.bool_]
    """Whether a node stands beside its siblings, not below them: a cell of a row, or a floated element."""
