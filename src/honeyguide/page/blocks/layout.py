"""The static estimate of a page's layout: visual cues without a browser, from the markup alone.

A page is 1,000 px wide. Text flows into lines as wide as the element around it, half a font size a character; blocks
follow each other downwards with the margins that browsers give their tags; the cells of a row, and floated siblings
that fit, stand beside each other. Style sheets other than inline ones are not known, nor the true widths of columns:
it is an estimate, good enough to tell a menu from an article.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.blocks.cues import Boxes, Cues
from honeyguide.page.blocks.flow import BLOCK, CELLS, CHAR, FLOW, INLINE, Flow
from honeyguide.page.blocks.styles import Styles, styles_of
from honeyguide.page.blocks.texts import Texts, texts_of
from honeyguide.page.parse import Nodes, Page

_Floats = NDArray[np.float64]
_Sides = tuple[_Floats, _Floats, _Floats, _Floats]  # left, top, width, height


def static_cues(page: Page, texts: Texts | None = None) -> Cues:
    """Estimate what a browser would show of a page, best of one that was parsed with ``styled=True``."""
    nodes, styles = page.nodes, styles_of(page.nodes)
    texts = texts or texts_of(page)
    text_sizes = np.where(texts.chars > 0, np.array(styles.font_size)[texts.parent], 0.0)
    advance = np.zeros(len(text_sizes) + 1)
    np.cumsum(texts.chars * text_sizes * CHAR, out=advance[1:])
    flow = Flow(nodes, styles, advance.tolist(), text_sizes.tolist())
    is_stop = _stops(nodes, styles)
    flow.run((np.flatnonzero(is_stop[1:] & styles.shown[1:]) + 1).tolist())
    seen = _text_boxes(texts.seen, advance, flow)
    inline = np.flatnonzero(~is_stop & styles.shown)
    boxes = _with_inline(inline, nodes, texts, advance, seen, flow)
    beside = [kind in CELLS for kind in nodes.tag]
    for row in styles.floated:
        beside[row] = True
    return Cues(
        boxes,
        _spread(seen, texts.seen, len(texts.chars)),
        styles.shown,
        styles.font_size,
        styles.bold,
        styles.background,
        beside,
    )


def _stops(nodes: Nodes, styles: Styles) -> NDArray[np.bool_]:
    """The rows that are more than a part of a line: all but inline ones, and those of them that hold a block."""
    flow = np.array(FLOW)[nodes.tag]
    blocks = np.zeros(len(flow) + 1, np.intp)
    np.cumsum((flow == BLOCK) & styles.shown, out=blocks[1:])
    is_holding = blocks[nodes.last_node] > blocks[:-1]
    is_stop: NDArray[np.bool_] = (flow != INLINE) | is_holding
    return is_stop


def _text_boxes(seen: NDArray[np.intp], advance: _Floats, flow: Flow) -> _Sides:
    """The boxes of the texts that are seen: the lines of its run that a text is on.

    A text on several lines is taken to be as wide as they are on average: so the sizes of texts add up.
    """
    if not len(seen):
        none = np.zeros(0)
        return none, none, none, none
    runs = flow.runs
    run = np.searchsorted(runs.first_piece, seen, side="right") - 1
    width = np.array(runs.width)[run]
    line = np.array(runs.line)[run]
    starts, ends = advance[seen], advance[seen + 1]
    start = starts - advance[np.array(runs.first_piece)[run]]
    length = ends - starts
    first_line = np.floor(start / width)
    count = np.maximum(np.ceil((start + length) / width) - first_line, 1.0)
    left = np.array(runs.left)[run] + np.where(count == 1, start - first_line * width, 0.0)
    return left, np.array(runs.top)[run] + first_line * line, length / count, count * line


def _with_inline(
    rows: NDArray[np.intp], nodes: Nodes, texts: Texts, advance: _Floats, seen: _Sides, flow: Flow
) -> Boxes:
    """The boxes of all nodes: those of the flow, and those of inline nodes from their texts and pictures."""
    sides = tuple(map(np.array, (flow.left, flow.top, flow.width, flow.height)))
    first_piece, last_piece = np.array(nodes.first_piece)[rows], np.array(nodes.last_piece)[rows]
    first_seen, after_seen = texts.seen_before[first_piece], texts.seen_before[last_piece]
    has_text = after_seen > first_seen
    worded, first, last = rows[has_text], first_seen[has_text], after_seen[has_text] - 1
    left, top, _, height = seen
    above = top[first]
    high = top[last] + height[last] - above
    lines = np.maximum(np.round(high / np.minimum(height[first], height[last])), 1.0)
    for side, values in zip(
        sides, (left[first], above, (advance[last_piece] - advance[first_piece])[has_text] / lines, high), strict=True
    ):
        side[worded] = values
    if flow.pictures:
        _add_pictures(rows, has_text, np.array(nodes.last_node), sides, flow)
    return Boxes(*(side.tolist() for side in sides))


def _add_pictures(
    rows: NDArray[np.intp],
    has_text: NDArray[np.bool_],
    last_node: NDArray[np.intp],
    sides: tuple[_Floats, ...],
    flow: Flow,
) -> None:
    """Widen inline nodes by their pictures, and make them as high as these are on average."""
    left, top, width, height = sides
    pictures = np.array(flow.pictures)
    sums = np.zeros((2, len(pictures) + 1))
    np.cumsum((width[pictures], (width * height)[pictures]), axis=1, out=sums[:, 1:])
    first, after = np.searchsorted(pictures, rows), np.searchsorted(pictures, last_node[rows])
    holding = np.flatnonzero(after > first)
    first, after = first[holding], after[holding]
    wide, area = sums[:, after] - sums[:, first]
    wordless = ~has_text[holding]
    holding = rows[holding]
    left[holding[wordless]] = left[pictures[first[wordless]]]
    top[holding[wordless]] = top[pictures[first[wordless]]]
    width[holding] += wide
    height[holding] = np.maximum(height[holding], area / wide)


def _spread(sides: _Sides, places: NDArray[np.intp], count: int) -> Boxes:
    """Boxes for all of `count` things, of which those at `places` have one."""
    spread = np.zeros((4, count))
    spread[:, places] = sides
    return Boxes(*spread.tolist())
