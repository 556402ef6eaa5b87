"""Visual cues: everything VIPS knows about the look of a page, in addition to its elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Boxes:
    """Rectangles in pixels; an invisible one has zero width or height."""

    left: NDArray[np.float64]
    top: NDArray[np.float64]
    width: NDArray[np.float64]
    height: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cues:
    """The visual cues of a page, with one entry per row of its nodes or per piece of its text."""

    boxes: Boxes
    """Boxes of the nodes; the box of the body is the page."""
    text_boxes: Boxes
    """Boxes of the pieces of text."""
    visible: NDArray[np.bool_]
    """Whether a node is displayed at all."""
    font_size: NDArray[np.float64]
    """In pixels. A text has the font of the node that contains it."""
    bold: NDArray[np.bool_]
    background: list[str]
    """The colour behind a node, in any notation in which equal colours are equal strings."""
    flow: NDArray[np.int64]
    """The effect of a node on the flow of text: a constant of `honeyguide.page.blocks.display`."""
    beside: NDArray[np.bool_]
    """Whether a node is beside its siblings rather than below them: a cell of a row, or a floated element."""
