"""Visual cues from a browser: boxes and computed styles recorded by a renderer, one JSON file per page.

`boxes.js` is what a renderer evaluates in a page, and the documentation (docs/blocks.md) describes its result. The
tree of the browser is matched with that of the page (`alignment`). What is not found in it is not visible; a page of
whose texts too few are found is estimated, as one without a file is.
"""

from __future__ import annotations

import gzip
import json
import logging
import math
import zlib
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.errors import InputError
from honeyguide.page.blocks.alignment import Rendered, align
from honeyguide.page.blocks.cues import Boxes, Cues
from honeyguide.page.blocks.declarations import FONT_SIZE, WHITE, background_colour
from honeyguide.page.blocks.display import BLOCK, FLOW, INLINE
from honeyguide.page.blocks.layout import static_cues
from honeyguide.page.blocks.outline import Outline, outline_of
from honeyguide.page.parse import Page

ENOUGH: Final = 0.9
"""The share of a page's texts that must be found in the browser's tree."""

_log = logging.getLogger("honeyguide.page")
_LARGEST = 100_000_000  # bytes of a file, decompressed
_BOLD = 600  # the font weight from which a text is bold
_IN_LINE = frozenset({"inline", "inline-block", "inline-flex", "inline-grid", "inline-table", "contents", "ruby"})
_SIDE_BY_SIDE = frozenset({"flex", "inline-flex", "grid", "inline-grid"})
_NO_BOX = (0.0, 0.0, 0.0, 0.0)


def script() -> str:
    """The JavaScript expression whose value is what `read_rendered` reads."""
    return (files(__package__) / "boxes.js").read_text(encoding="utf-8")


def file_name(url: str) -> str:
    """The name of the file for a page: the SHA-256 of its canonical URL, in hexadecimal digits, and ``.json``."""
    return f"{sha256(url.encode()).hexdigest()}.json"


class BrowserCues:
    """The cues of pages from a folder of renderings. Pages without a usable one are estimated, counted and reported."""

    def __init__(self, folder: Path) -> None:
        """Raises `InputError` if there is no such folder."""
        if not folder.is_dir():
            problem = "there is no such folder of rendered pages"
            raise InputError(str(folder), problem, "render the pages first (docs/blocks.md), or use cues=static")
        self._folder = folder
        self.estimated: dict[str, int] = defaultdict(int)
        """How many pages were estimated, by reason."""

    def __call__(self, page: Page) -> Cues:
        """The cues of a page, from its rendering or else estimated."""
        outline = outline_of(page)
        try:
            found = matched(page, outline, read_rendered(self._body(file_name(page.url))))
            reason = "does not match the page"
        except FileNotFoundError:
            found, reason = None, "is missing"
        except (OSError, ValueError, zlib.error, EOFError) as error:
            found, reason = None, f"cannot be read ({error})"
        if found is not None:
            return found
        kind = reason.partition(" (")[0]
        self.estimated[kind] += 1
        self._warn(self.estimated[kind], page.url, reason)
        return static_cues(page, outline)

    def _body(self, name: str) -> bytes:
        path = self._folder / name
        if path.is_file():
            with path.open("rb") as file:
                body = file.read(_LARGEST + 1)
        else:
            with gzip.open(f"{path}.gz") as file:
                body = file.read(_LARGEST + 1)
        if len(body) > _LARGEST:
            raise ValueError("it is too large")
        return body

    def _warn(self, count: int, url: str, reason: str) -> None:
        """Log a warning for the first page, and then for every tenfold number."""
        if str(count).strip("0") == "1":
            times = "" if count == 1 else f" ({count:,} pages so far)"
            _log.warning("%s: its rendering in %s %s: the layout is estimated%s", url, self._folder, reason, times)


def read_rendered(body: bytes) -> list[Rendered]:
    """The elements and texts of a rendered page in document order, the body first; `ValueError` if it is none."""
    try:
        data = json.loads(body)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    listed = data.get("nodes") if isinstance(data, dict) else None
    if not isinstance(listed, list) or not listed:
        raise ValueError("it has no nodes")
    found: list[Rendered] = []
    for number, node in enumerate(listed):
        try:
            found.append(_rendered(node))
        except (TypeError, KeyError, AttributeError, OverflowError):
            raise ValueError(f"node {number} is incomplete") from None
        depth = found[-1].depth
        if depth < 0 or (depth > found[-2].depth + 1 if number else depth != 0):
            raise ValueError(f"node {number} has a wrong depth")
    return found


def _rendered(node: dict[str, Any]) -> Rendered:
    box = tuple(float(side) for side in node["box"])
    size, weight = float(node.get("font_size", 0)), float(node.get("font_weight", 400))
    if len(box) != 4 or not all(map(math.isfinite, (*box, size, weight))):
        raise TypeError
    display, floated, visibility, name, background = (
        str(node.get(key) or "") for key in ("display", "float", "visibility", "id", "background")
    )
    tag, depth = str(node["tag"]).lower(), int(node["depth"])
    return Rendered(tag, name, depth, box, display, floated, visibility, size, weight, background)


def matched(page: Page, outline: Outline, rendered: Sequence[Rendered]) -> Cues | None:
    """The cues of a page from its rendering; None if too few of its texts are found there."""
    nodes = page.nodes
    of_row, of_piece = align(page, outline, rendered)
    is_text = outline.chars > 0
    if is_text.any() and (of_piece[is_text] >= 0).mean() < ENOUGH:
        return None
    known = np.array([_NO_BOX, *(one.box for one in rendered)])
    boxes, texts = known[of_row + 1], known[of_piece + 1] * is_text[:, None]
    count = len(nodes)
    displayed, visible, beside, bold = np.zeros((4, count), np.bool_)
    size = np.full(count, FONT_SIZE)
    background, flow = [WHITE] * count, np.array(FLOW)[nodes.tag]
    for row, place in enumerate(of_row.tolist()):
        above = nodes.parent[row]
        if above >= 0:
            size[row], bold[row], background[row] = size[above], bold[above], background[above]
        if place < 0:
            continue
        one = rendered[place]
        displayed[row] = row == 0 or (displayed[above] and one.display != "none")
        visible[row] = displayed[row] and (row == 0 or one.visibility in {"", "visible"})
        size[row] = one.font_size or size[row]
        bold[row] = one.font_weight >= _BOLD
        background[row] = background_colour(one.background) or background[row]
        if flow[row] in {INLINE, BLOCK} and one.display not in {"", "none"}:
            flow[row] = INLINE if one.display in _IN_LINE else BLOCK
        around = rendered[of_row[above]].display if above >= 0 and of_row[above] >= 0 else ""
        beside[row] = one.floated in {"left", "right"} or one.display == "table-cell" or around in _SIDE_BY_SIDE
    texts[~visible[outline.text_parent]] = 0.0
    _clip(texts)
    _clip(boxes)
    _stretch(boxes, texts, visible, nodes.parent, outline.text_parent)
    return Cues(Boxes(*boxes.T), Boxes(*texts.T), visible, size, bold, background, flow, beside)


def _clip(boxes: NDArray[np.float64]) -> None:
    """Elements to the left of the page or above it are invisible: menus are hidden there."""
    boxes[(boxes[:, 0] + boxes[:, 2] <= 0) | (boxes[:, 1] + boxes[:, 3] <= 0)] = 0.0


def _stretch(
    boxes: NDArray[np.float64],
    texts: NDArray[np.float64],
    visible: NDArray[np.bool_],
    parent: Sequence[int],
    text_parent: NDArray[np.intp],
) -> None:
    """Give an element without a size of its own (all that is in it is floated) the box around its content.

    The body gets the box around everything: it is the page.
    """
    corners = np.column_stack((boxes[:, :2], boxes[:, :2] + boxes[:, 2:]))
    is_flat = (boxes[:, 2] <= 0) | (boxes[:, 3] <= 0)
    is_flat[0] = True
    corners[is_flat] = (np.inf, np.inf, -np.inf, -np.inf)
    inner = np.column_stack((texts[:, :2], texts[:, :2] + texts[:, 2:]))
    for piece in ((texts[:, 2] > 0) & (texts[:, 3] > 0)).nonzero()[0].tolist():
        row = text_parent[piece]
        if is_flat[row]:
            _join(corners[row], inner[piece])
    for row in range(len(parent) - 1, 0, -1):  # children before their parents
        if is_flat[parent[row]] and visible[row]:
            _join(corners[parent[row]], corners[row])
    whole = np.isfinite(corners).all(axis=1)
    if whole.any():
        corners[0, 2:] = corners[whole, 2:].max(axis=0)  # also what extends beyond its parent
        corners[0, :2] = 0.0
    boxes[:] = 0.0
    whole = np.isfinite(corners).all(axis=1)
    boxes[whole, :2] = corners[whole, :2]
    boxes[whole, 2:] = corners[whole, 2:] - corners[whole, :2]


def _join(corners: NDArray[np.float64], other: NDArray[np.float64]) -> None:
    np.minimum(corners[:2], other[:2], out=corners[:2])
    np.maximum(corners[2:], other[2:], out=corners[2:])
