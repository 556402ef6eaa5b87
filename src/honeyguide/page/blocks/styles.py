"""The style of every node: declarations of markup and style sheets, and inherited values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from honeyguide.page import tags
from honeyguide.page.blocks.cascade import NO_STYLE, Cascade
from honeyguide.page.blocks.declarations import (
    AUTO,
    FONT_SIZE,
    NOTHING,
    STEP,
    WHITE,
    Declarations,
    Length,
    StyleText,
    read_attributes,
    read_style,
)
from honeyguide.page.blocks.display import BLOCK, FLOW, INLINE, REPLACED
from honeyguide.page.blocks.outline import ints
from honeyguide.page.nodes import Nodes

_SMALLEST, _LARGEST = 1.0, 200.0  # bounds of font sizes: nested relative sizes must not grow or shrink without limit

_FONT, _INPUT, _TABLE, _HTML = (tags.tag_id(name) for name in ("font", "input", "table", "html"))
_TELLING = ("bgcolor", "background", "size", "type", "width", "height", "colspan", "align")
_TELLING_ALWAYS = frozenset({"style", "bgcolor", "background", "width", "height", "colspan", "hidden"})
_TELLING_OF_TAG = {_FONT: {"size"}, _INPUT: {"type"}, _TABLE: {"align"}}
_TELLING_SETS = [_TELLING_ALWAYS | _TELLING_OF_TAG.get(tag, set()) for tag in range(tags.LAST + 1)]

_SCALE = [1.0] * (tags.LAST + 1)
for _name, _scale in (
    *zip(("h1", "h2", "h3", "h4", "h5", "h6"), (2.0, 1.5, 1.17, 1.0, 0.83, 0.67), strict=True),
    ("big", STEP),
    ("small", 1 / STEP),
):
    _SCALE[tags.tag_id(_name)] = _scale
_BOLD = tags.tag_ids("b strong h1 h2 h3 h4 h5 h6 th")
_CHANGING = _BOLD | tags.tag_ids("big small")
_FLOW = np.array(FLOW)


@dataclass(slots=True)
class Styles:
    """The style of each node, including inherited values; dictionaries for properties that few nodes declare."""

    font_size: NDArray[np.float64]
    bold: NDArray[np.bool_]
    background: list[str]
    shown: NDArray[np.bool_]
    flow: NDArray[np.int64]
    """The effect of each node on the flow of text: a constant of `honeyguide.page.blocks.display`."""
    width: dict[int, Length]
    height: dict[int, Length]
    columns: dict[int, int]
    """How many columns a cell spans, if declared."""
    above: dict[int, float]
    """The margin above a node in pixels, if declared, and below it."""
    below: dict[int, float]
    floated: set[int]
    inline_blocks: list[int]
    """The nodes that are a box in a line, ascending."""


class _Look(NamedTuple):
    """The properties that a node passes on to its descendants."""

    font_size: float = FONT_SIZE
    bold: bool = False
    background: str = WHITE
    displayed: bool = True
    visible: bool = True


class _Looks:
    """The numbered looks of a page. There are few different looks, and each is computed once."""

    def __init__(self) -> None:
        self.listed = [_Look()]
        self.root = FONT_SIZE  # the font size of the document, to which some lengths relate
        self._numbers = {_Look(): 0}
        self._by_tag: dict[tuple[int, int], int] = {}

    def by_tag(self, above: int, kind: int) -> int:
        """The look of a node whose tag changes the look above it."""
        number = self._by_tag.get((above, kind))
        if number is None:
            look = self.listed[above]
            size = _bounded(look.font_size * _SCALE[kind])
            number = self._by_tag[above, kind] = self._number(
                look._replace(font_size=size, bold=look.bold or kind in _BOLD)
            )
        return number

    def declared(self, above: int, look: int, own: Declarations) -> int:
        """The look of a node that declares properties of its own."""
        size, bold, background, displayed, visible = self.listed[look]
        if own.font_size is not None:
            size = _bounded(own.font_size.of(self.listed[above].font_size, self.root))
        bold = bold if own.bold is None else own.bold
        visible = visible if own.visible is None else own.visible
        return self._number(
            _Look(size, bold, own.background or background, displayed and own.display != "none", visible)
        )

    def _number(self, look: _Look) -> int:
        number = self._numbers.setdefault(look, len(self.listed))
        if number == len(self.listed):
            self.listed.append(look)
        return number


def styles_of(nodes: Nodes) -> Styles:
    """Read markup and style sheets; nodes parsed without ``styled=True`` declare nothing. A body is always shown."""
    tag, parent, attributes = nodes.tag, nodes.parent, nodes.attributes
    looks, of_row = _Looks(), [0] * len(tag)
    width: dict[int, Length] = {}
    height: dict[int, Length] = {}
    columns: dict[int, int] = {}
    margins: tuple[dict[int, float], dict[int, float]] = ({}, {})
    floated: set[int] = set()
    display: dict[int, str] = {}
    cascade = Cascade.of(nodes.sheets)
    states, sheet, top = [Cascade.OUTSIDE] * len(tag), NO_STYLE, 0
    around = Cascade.OUTSIDE  # the state of the element around the body
    if cascade is not None:
        around, top = _enter_document(nodes, cascade, looks)
    for row, kind in enumerate(tag):
        look = above = of_row[parent[row]] if row else top
        if kind in _CHANGING:
            look = looks.by_tag(above, kind)
        if cascade is not None:
            states[row], sheet = cascade.enter(states[parent[row]] if row else around, kind, attributes.get(row))
        if row in attributes and not _TELLING_SETS[kind].isdisjoint(given := attributes[row]):
            written = given.get("style")
            own = _combined(
                read_attributes(kind, "hidden" in given, *map(given.get, _TELLING)),
                sheet,
                read_style(written) if written else NO_STYLE,
            )
        elif sheet is NO_STYLE:
            of_row[row] = look
            continue
        else:
            own = _combined(NOTHING, sheet, NO_STYLE)
        if kind == tags.BODY:
            own = own._replace(display=None, visible=None)  # a script will show it
        of_row[row] = looks.declared(above, look, own)
        if own.width and own.width is not AUTO:
            width[row] = _resolved(own.width, looks.root)
        if own.height and own.height is not AUTO:
            height[row] = _resolved(own.height, looks.root)
        if own.columns:
            columns[row] = own.columns
        for margin, declared in zip(margins, (own.above, own.below), strict=True):
            if declared is not None:
                margin[row] = declared.of(looks.listed[of_row[row]].font_size, looks.root)
        if own.floated:
            floated.add(row)
        if own.display:
            display[row] = own.display
    rows, listed = ints(of_row), looks.listed
    return Styles(
        np.array([look.font_size for look in listed])[rows],
        np.array([look.bold for look in listed])[rows],
        [listed[look].background for look in of_row],
        np.array([look.displayed and look.visible for look in listed])[rows],
        _flow(tag, display, floated),
        width,
        height,
        columns,
        *margins,
        floated,
        [row for row, said in display.items() if said == "inline-block" and FLOW[tag[row]] != REPLACED],
    )


def _enter_document(nodes: Nodes, cascade: Cascade, looks: _Looks) -> tuple[int, int]:
    """The state and the look of the element around the body."""
    state, sheet = cascade.enter(Cascade.OUTSIDE, _HTML, nodes.html)
    written = nodes.html.get("style")
    own = _combined(NOTHING, sheet, read_style(written) if written else NO_STYLE)
    look = looks.declared(0, 0, own._replace(display=None, visible=None))
    looks.root = looks.listed[look].font_size
    return state, look


def _combined(attributes: Declarations, sheet: StyleText, inline: StyleText) -> Declarations:
    """The declarations of a node, of all sources, the strongest last."""
    found = attributes
    for declared in (sheet.normal, inline.normal, sheet.important, inline.important):
        if declared is not NOTHING:
            found = found.overridden(declared) if found is not NOTHING else declared
    return found


def _flow(tag: list[int], display: dict[int, str], floated: set[int]) -> NDArray[np.int64]:
    """The effect of each node on the flow. A floated one is always a block; pictures and breaks stay what they are."""
    flow: NDArray[np.int64] = _FLOW[tag]
    for row, said in display.items():
        if flow[row] in {INLINE, BLOCK} and said != "none":
            flow[row] = BLOCK if said == "block" else INLINE
    for row in floated:
        if flow[row] == INLINE:
            flow[row] = BLOCK
    return flow


def _resolved(length: Length, root: float) -> Length:
    return Length(length.pixels + length.roots * root, length.share) if length.roots else length


def _bounded(size: float) -> float:
    return min(max(size, _SMALLEST), _LARGEST)
