"""The static estimate of a page's layout: visual cues without a browser, from the markup and its style sheets.

A page is 1,000 px wide. Text flows into lines as wide as the surrounding element, at half a font size per character;
blocks follow each other downwards with the default margins of browsers; the cells of a row, and floated siblings that
fit, are beside each other. Style sheets outside the page are unknown, and so are the true widths of columns: it is an
estimate, good enough to tell a menu from an article.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.blocks.cues import Boxes, Cues
from honeyguide.page.blocks.display import BLOCK, CELLS, FLOW, INLINE
from honeyguide.page.blocks.flow import CHAR, Flow
from honeyguide.page.blocks.outline import Outline, floats, ints, outline_of
from honeyguide.page.blocks.styles import Styles, styles_of
from honeyguide.page.parse import Page

_Floats = NDArray[np.float64]
_Sides = tuple[_Floats, _Floats, _Floats, _Floats]  # left, top, width, height


def static_cues(page: Page, outline: Outline | None = None) -> Cues:
    """Estimate what a browser would show of a page. Works best if the page was parsed with ``styled=True``."""
    styles, outline = styles_of(page.nodes), outline or outline_of(page)
    is_seen = (outline.chars > 0) & styles.shown[outline.text_parent]
    text_sizes = styles.font_size[outline.text_parent] * is_seen
    advance = np.zeros(len(text_sizes) + 1)
    (outline.chars * text_sizes * CHAR).cumsum(out=advance[1:])
    is_stop = _stops(outline, styles)
    # A box in a line that contains blocks: it is placed, and moves to the next line, as a floated one.
    styles.floated.update(row for row in styles.inline_blocks if is_stop[row])
    beside = _IS_CELL[outline.tag]
    if styles.floated:
        beside[list(styles.floated)] = True
    flow = Flow(page.nodes, styles, beside.tolist(), advance.tolist(), text_sizes.tolist())
    flow.run(((is_stop[1:] & styles.shown[1:]).nonzero()[0] + 1).tolist())
    pieces = is_seen.nonzero()[0]
    seen, lines = _text_boxes(pieces, advance, flow)
    text_boxes = np.zeros((4, len(text_sizes)))
    for side, values in zip(text_boxes, seen, strict=True):
        side[pieces] = values
    before = np.zeros(len(is_seen) + 1, np.intp)
    is_seen.cumsum(out=before[1:])
    boxes = _with_inline((~is_stop & styles.shown).nonzero()[0], outline, before, advance, seen, lines, flow)
    return Cues(
        Boxes(*boxes),
        Boxes(*text_boxes),
        styles.shown,
        styles.font_size,
        styles.bold,
        styles.background,
        styles.flow,
        beside,
    )


_IS_CELL = np.array([tag in CELLS for tag in range(len(FLOW))])


def _stops(outline: Outline, styles: Styles) -> NDArray[np.bool_]:
    """The rows that are more than a part of a line: all but inline ones, and inline ones that contain a block."""
    flow = styles.flow
    blocks = np.zeros(len(flow) + 1, np.intp)
    ((flow == BLOCK) & styles.shown).cumsum(out=blocks[1:])
    is_stop: NDArray[np.bool_] = (flow != INLINE) | (blocks[outline.last_node] > blocks[:-1])
    return is_stop


def _text_boxes(seen: NDArray[np.intp], advance: _Floats, flow: Flow) -> tuple[_Sides, _Floats]:
    """The boxes of the visible texts, made of the lines of the run that the text is on, and the heights of these lines.

    A text on several lines is given their average width, so that the sizes of texts add up.
    """
    if not len(seen):
        none = np.zeros(0)
        return (none, none, none, none), none
    runs = flow.runs
    first_pieces = ints(runs.first_piece)
    run = first_pieces.searchsorted(seen, side="right") - 1
    width = floats(runs.width)[run]
    line = floats(runs.line)[run]
    starts, ends = advance[seen], advance[seen + 1]
    start = starts - advance[first_pieces[run]]
    length = ends - starts
    first_line = np.floor(start / width)
    count = np.maximum(np.ceil((start + length) / width) - first_line, 1.0)
    left = floats(runs.left)[run] + (start - first_line * width) * (count == 1)
    return (left, floats(runs.top)[run] + first_line * line, length / count, count * line), line


def _with_inline(
    rows: NDArray[np.intp],
    outline: Outline,
    before: NDArray[np.intp],
    advance: _Floats,
    seen: _Sides,
    line: _Floats,
    flow: Flow,
) -> _Sides:
    """The boxes of all nodes: block boxes from the flow, inline boxes from their texts and pictures.

    `before` says how many of the seen texts come before each piece, and before the end.
    """
    sides = floats(flow.left), floats(flow.top), floats(flow.width), floats(flow.height)
    first_piece, last_piece = outline.first_piece[rows], outline.last_piece[rows]
    first, last = before[first_piece], before[last_piece] - 1
    has_text = last >= first
    worded, first, last = rows[has_text], first[has_text], last[has_text]
    left, top, _, height = seen
    above = top[first]
    high = top[last] + height[last] - above
    lines = np.maximum(np.rint(high / line[first]), 1.0)
    width = (advance[last_piece] - advance[first_piece])[has_text] / lines
    for side, values in zip(sides, (left[first], above, width, high), strict=True):
        side[worded] = values
    if flow.pictures:
        _add_pictures(rows, has_text, outline.last_node, sides, flow)
    return sides


def _add_pictures(
    rows: NDArray[np.intp],
    has_text: NDArray[np.bool_],
    last_node: NDArray[np.intp],
    sides: _Sides,
    flow: Flow,
) -> None:
    """Widen inline nodes by their pictures, and give them the average height of these."""
    left, top, width, height = sides
    pictures = ints(flow.pictures)
    first, after = pictures.searchsorted(rows), pictures.searchsorted(last_node[rows])
    holds = after > first
    if not holds.any():
        return
    first, after, holding, wordless = first[holds], after[holds], rows[holds], ~has_text[holds]
    wide, area = _between(width[pictures], first, after), _between((width * height)[pictures], first, after)
    left[holding[wordless]] = left[pictures[first[wordless]]]
    top[holding[wordless]] = top[pictures[first[wordless]]]
    width[holding] += wide
    height[holding] = np.maximum(height[holding], area / wide)


def _between(values: _Floats, first: NDArray[np.intp], after: NDArray[np.intp]) -> _Floats:
    """The sum of each range of values."""
    sums = np.zeros(len(values) + 1)
    values.cumsum(out=sums[1:])
    return sums[after] - sums[first]
