"""The flow of the static layout: blocks below each other, cells and floated siblings beside each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np

from honeyguide.page import tags
from honeyguide.page.blocks.display import BREAK, CELLS, HR, REPLACED, TR
from honeyguide.page.blocks.styles import Styles
from honeyguide.page.nodes import Nodes

PAGE_WIDTH: Final = 1000.0
CHAR: Final = 0.5
"""The width of a character, as a share of the font size."""
_LINE = 1.2  # the height of a line, as a share of the font size
_NARROWEST = 40.0  # no column is narrower, because words do not break
_RULE = 2.0  # the height of <hr>
# Assumed size of a picture or an input field that does not specify its size.
_PICTURE_WIDTH, _PICTURE_HEIGHT = 100.0, 20.0

_MARGIN = np.zeros(tags.LAST + 1)  # above and below, in font sizes, as in browsers
for _names, _margin in (
    ("p ul ol dl menu dir blockquote figure pre listing xmp h3", 1.0),
    ("h1", 0.67),
    ("h2", 0.83),
    ("h4", 1.33),
    ("h5", 1.67),
    ("h6", 2.33),
    ("hr", 0.5),
):
    for _tag in tags.tag_ids(_names):
        _MARGIN[_tag] = _margin


@dataclass(slots=True)
class Runs:
    """Positions of text and pictures. A run is interrupted only by inline elements. Parallel lists."""

    first_piece: list[int] = field(default_factory=list)
    left: list[float] = field(default_factory=list)
    top: list[float] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    line: list[float] = field(default_factory=list)
    """The height of the run's lines: that of its largest font."""

    def add(self, first_piece: int, left: float, top: float, width: float, line: float) -> None:
        """Add one run."""
        self.first_piece.append(first_piece)
        self.left.append(left)
        self.top.append(top)
        self.width.append(width)
        self.line.append(line)


@dataclass(slots=True)
class _Frame:
    """An element whose content is being laid out."""

    row: int
    end: int
    left: float
    width: float
    runs_before: int
    cells: list[int]
    # For children beside each other: the top they share, and how far to the right and down they extend.
    is_beside: bool = False
    line_x: float = 0.0
    line_top: float = 0.0
    line_bottom: float = 0.0


class Flow:
    """The boxes of all rows that are more than a part of a line, available after `run`; other rows have none.

    `beside` says which rows are beside their siblings; `advance` is the width of all text before each piece if it were
    on one line; `text_sizes` is the font size of each piece, 0 for an invisible one.
    """

    def __init__(
        self, nodes: Nodes, styles: Styles, beside: list[bool], advance: list[float], text_sizes: list[float]
    ) -> None:
        count = len(nodes)
        self.left, self.top = [0.0] * count, [0.0] * count
        self.width, self.height = [0.0] * count, [0.0] * count
        self.runs = Runs()
        self.pictures: list[int] = []
        self._nodes, self._styles, self._advance, self._text_sizes = nodes, styles, advance, text_sizes
        self._last_node, self._font_size = nodes.last_node, styles.font_size.tolist()
        self._flow: list[int] = styles.flow.tolist()
        self._beside = beside
        self._shown: list[bool] = styles.shown.tolist()
        self._above: list[float] = (_MARGIN[nodes.tag] * styles.font_size).tolist()
        self._below = self._above.copy()
        for margins, declared in ((self._above, styles.above), (self._below, styles.below)):
            for row, margin in declared.items():
                margins[row] = margin
        self._cell_width: dict[int, float] = {}
        self._y = 0.0  # where the next element goes,
        self._gap = 0.0  # below this margin: the largest of the adjoining margins, because margins collapse
        self._piece = 0  # the first piece of text that is not laid out yet
        self._open_pictures: list[int] = []
        self._frame = _Frame(0, count, 0.0, PAGE_WIDTH, 0, [])
        self._stack: list[_Frame] = []

    def run(self, stops: list[int]) -> None:
        """Lay out the page; `stops` are the rows that need boxes, ascending, without the body."""
        tag, first_piece, last_node, advance = self._nodes.tag, self._nodes.first_piece, self._last_node, self._advance
        for row, following in pairwise((*stops, len(tag))):
            while row >= self._frame.end:
                self._close()
            flow = self._flow[row]
            if flow == REPLACED:
                self._open_pictures.append(row)
                continue
            piece, was_laid = first_piece[row], False
            if self._open_pictures or advance[piece] > advance[self._piece]:
                was_laid = self._lay(piece)
            if flow == BREAK:
                if not was_laid:  # a line without text
                    self._settle()
                    self._y += _LINE * self._font_size[row]
            elif tag[row] == HR:
                self._draw_rule(row)
            elif following >= last_node[row]:
                self._put(row)
            else:
                self._open(row)
        while self._stack:
            self._close()
        self._lay(self._nodes.last_piece[0])
        self._leave_line()
        self.width[0], self.height[0] = PAGE_WIDTH, self._y

    def _settle(self) -> None:
        """Fix the position of the next element."""
        self._leave_line()
        self._y += self._gap
        self._gap = 0.0

    def _leave_line(self) -> None:
        if self._frame.is_beside:
            self._y, self._frame.is_beside = self._frame.line_bottom, False

    def _lay(self, piece: int) -> bool:
        """Lay out the text before `piece` and the pictures in it; False if there is neither."""
        start, self._piece = self._piece, piece
        text = self._advance[piece] - self._advance[start]
        if not text and not self._open_pictures:
            return False
        self._settle()
        frame = self._frame
        line = _LINE * max(self._text_sizes[start:piece], default=0.0)
        self.runs.add(start, frame.left, self._y, frame.width, line)
        height = -(-text // frame.width) * line
        if self._open_pictures:
            height = max(height, self._lay_pictures())
        self._y += height
        return True

    def _lay_pictures(self) -> float:
        """Place pictures side by side, in lines as high as the highest picture in them; return the total height."""
        frame, widths, heights = self._frame, self._styles.width, self._styles.height
        x = below = line = 0.0
        for row in self._open_pictures:
            width = widths[row].of(frame.width) if row in widths else _PICTURE_WIDTH
            height = heights[row].of(_PICTURE_HEIGHT) if row in heights else _PICTURE_HEIGHT
            if x and x + width > frame.width:
                x, below, line = 0.0, below + line, 0.0
            self.left[row], self.top[row] = frame.left + x, self._y + below
            self.width[row], self.height[row] = width, height
            x, line = x + width, max(line, height)
        self.pictures += self._open_pictures
        self._open_pictures = []
        return below + line

    def _draw_rule(self, row: int) -> None:
        frame = self._frame
        self._gap = max(self._gap, self._above[row])
        self._settle()
        self.runs.add(self._piece, frame.left, self._y, frame.width, 0.0)
        self.left[row], self.top[row], self.width[row], self.height[row] = frame.left, self._y, frame.width, _RULE
        self._y += _RULE
        self._gap = self._below[row]

    def _open(self, row: int) -> None:
        left, width = self._find_place(row)
        cells = self._measure_cells(row, width) if self._nodes.tag[row] == TR else []
        self._stack.append(self._frame)
        self._frame = _Frame(row, self._last_node[row], left, width, len(self.runs.top), cells)

    def _put(self, row: int) -> None:
        """Open and close an element that contains only text: most elements do, so this is optimised for speed."""
        frame = self._frame
        start, end = self._nodes.first_piece[row], self._nodes.last_piece[row]
        self._piece = end
        text = self._advance[end] - self._advance[start]
        is_beside = self._beside[row]
        if is_beside and frame.is_beside and row in self._cell_width:
            width = self._cell_width[row]
            left, gap, margin = frame.line_x, 0.0, 0.0
            frame.line_x += width
        elif is_beside or frame.is_beside or row in self._styles.width:
            left, width = self._find_place(row)
            gap, margin = self._gap, 0.0 if is_beside else self._below[row]
        else:
            left, width, gap, margin = frame.left, frame.width, self._gap, self._below[row]
            if self._above[row] > gap:  # noqa: PLR1730 (max takes three times as long)
                gap = self._above[row]
        if text:
            line = _LINE * (self._text_sizes[start] if end == start + 1 else max(self._text_sizes[start:end]))
            top = self._y + gap
            self.runs.add(start, left, top, width, line)
            height = -(-text // width) * line
            self.left[row], self.top[row], self.width[row], self.height[row] = left, top, width, height
            self._y, gap = top + height, margin
        self._gap = gap
        if is_beside:
            self._leave(row)

    def _find_place(self, row: int) -> tuple[float, float]:
        """The left edge and the width of an element that begins here."""
        frame, styles = self._frame, self._styles
        if self._beside[row]:
            return self._stand_beside(row)
        if frame.is_beside:
            self._leave_line()
        margin = self._above[row]
        if margin > self._gap:  # noqa: PLR1730 (as in `_put`)
            self._gap = margin
        if row in styles.width:
            return frame.left, max(styles.width[row].of(frame.width), _NARROWEST)
        return frame.left, frame.width

    def _stand_beside(self, row: int) -> tuple[float, float]:
        """Left edge and width of a cell or a floated element, aligned with those before it."""
        frame = self._frame
        width = self._cell_width.get(row) or self._floated_width(row)
        if not frame.is_beside:
            self._settle()
            frame.is_beside = True
            frame.line_x, frame.line_top, frame.line_bottom = frame.left, self._y, self._y
        elif row in self._styles.floated and frame.line_x + width > frame.left + frame.width:
            frame.line_x, frame.line_top = frame.left, frame.line_bottom
        left = frame.line_x
        self._y, self._gap = frame.line_top, 0.0
        frame.line_x += width
        return left, width

    def _floated_width(self, row: int) -> float:
        """The specified width, or else the width that its text needs."""
        whole = self._frame.width
        if row in self._styles.width:
            return max(self._styles.width[row].of(whole), _NARROWEST)
        text = self._advance[self._nodes.last_piece[row]] - self._advance[self._nodes.first_piece[row]]
        return min(max(text, _NARROWEST), whole)

    def _measure_cells(self, row: int, whole: float) -> list[int]:
        """Set the widths of a row's cells: as specified; the other cells share the rest of the row evenly."""
        cells, tag, last_node, styles = [], self._nodes.tag, self._last_node, self._styles
        child, end = row + 1, last_node[row]
        taken, columns, open_columns = 0.0, 0, 0
        while child < end:
            if tag[child] in CELLS and self._shown[child]:
                cells.append(child)
                number = styles.columns.get(child, 1)
                columns += number
                if child in styles.width:
                    taken += styles.width[child].of(whole)
                else:
                    open_columns += number
            child = last_node[child]
        column = (whole - taken) / (open_columns or 1)
        if column < _NARROWEST:  # the specified widths exceed the row
            column = whole / (columns or 1)
        for cell in cells:
            width = styles.width[cell].of(whole) if cell in styles.width else styles.columns.get(cell, 1) * column
            self._cell_width[cell] = max(width, _NARROWEST)
        return cells

    def _close(self) -> None:
        frame, row, tops = self._frame, self._frame.row, self.runs.top
        piece = self._nodes.last_piece[row]
        if self._open_pictures or self._advance[piece] > self._advance[self._piece]:
            self._lay(piece)
        self._leave_line()
        if len(tops) > frame.runs_before:
            top = frame.line_top if frame.cells else tops[frame.runs_before]
            height = self._y - top
            self.left[row], self.top[row], self.width[row], self.height[row] = frame.left, top, frame.width, height
            for cell in frame.cells:
                if self.height[cell]:  # all cells of a row are as high as the row
                    self.top[cell], self.height[cell] = top, height
        self._frame = self._stack.pop()
        self._leave(row)

    def _leave(self, row: int) -> None:
        """Continue after an element: below it, or beside it."""
        above = self._frame
        if above.is_beside:
            above.line_bottom = max(above.line_bottom, self._y + self._gap)
            self._y, self._gap = above.line_top, 0.0
        else:
            margin = self._below[row]
            if margin > self._gap:  # noqa: PLR1730 (as in `_put`)
                self._gap = margin
