"""The styles that the markup itself declares: tags, presentational attributes and inline style sheets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honeyguide.page import tags
from honeyguide.page.blocks.outline import ints
from honeyguide.page.parse import Nodes

WHITE: Final = "#ffffff"
"""The background of a page that declares none."""
FONT_SIZE: Final = 16.0
"""Font size, in pixels, of a page that declares none."""

_SMALLEST, _LARGEST = 1.0, 200.0  # bounds of font sizes: nested relative sizes must not grow or shrink without limit
_MOST_COLUMNS = 1000  # maximum number of columns that a cell may span
_STEP = 1.2  # ratio of one font size to the next smaller one
_FONT_SIZES = (10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)  # <font size="1"> to 7
_NAMED_SIZES = dict(
    zip("xx-small x-small small medium large x-large xx-large".split(), (9, 10, 13, 16, 18, 24, 32), strict=True)
)
_PIXELS = {"px": 1.0, "": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78}
_COLOURS = {
    "white": WHITE,
    "black": "#000000",
    "silver": "#c0c0c0",
    "gray": "#808080",
    "grey": "#808080",
    "red": "#ff0000",
    "maroon": "#800000",
    "yellow": "#ffff00",
    "olive": "#808000",
    "lime": "#00ff00",
    "green": "#008000",
    "aqua": "#00ffff",
    "teal": "#008080",
    "blue": "#0000ff",
    "navy": "#000080",
    "fuchsia": "#ff00ff",
    "purple": "#800080",
}
_SEE_THROUGH = frozenset({"", "none", "transparent", "inherit", "initial", "unset"})

_FONT, _INPUT, _TABLE, _CELLS = tags.tag_id("font"), tags.tag_id("input"), tags.tag_id("table"), tags.tag_ids("td th")
_TELLING = ("style", "bgcolor", "background", "size", "type", "width", "height", "colspan", "align")
_TELLING_ALWAYS = frozenset({"style", "bgcolor", "background", "width", "height", "colspan", "hidden"})
_TELLING_OF_TAG = {_FONT: {"size"}, _INPUT: {"type"}, _TABLE: {"align"}}
_TELLING_SETS = [_TELLING_ALWAYS | _TELLING_OF_TAG.get(tag, set()) for tag in range(tags.LAST + 1)]

_PROPERTY = re.compile(
    r"(?:^|;)\s*(font-size|font-weight|font|background-color|background|width|float|display|visibility)\s*:\s*([^;]+)",
    re.IGNORECASE,
)
_LENGTH = re.compile(r"(?:^|(?<=\s))(\d{1,6}(?:\.\d+)?|\.\d+)(px|pt|pc|in|cm|mm|rem|em|ex|%|)(?![\w.%])").match
_WHOLE = re.compile(r"\s*([+-]?)(\d{1,6})").match

_SCALE = [1.0] * (tags.LAST + 1)
for _name, _scale in (
    *zip(("h1", "h2", "h3", "h4", "h5", "h6"), (2.0, 1.5, 1.17, 1.0, 0.83, 0.67), strict=True),
    ("big", _STEP),
    ("small", 1 / _STEP),
):
    _SCALE[tags.tag_id(_name)] = _scale
_BOLD = tags.tag_ids("b strong h1 h2 h3 h4 h5 h6 th")
_CHANGING = _BOLD | tags.tag_ids("big small")


@dataclass(frozen=True, slots=True)
class Length:
    """A length in pixels, or as a share of a length known from the context."""

    pixels: float = 0.0
    share: float = 0.0

    def of(self, whole: float) -> float:
        """The length in pixels."""
        return self.pixels + self.share * whole


@dataclass(slots=True)
class Styles:
    """The style of each node, including inherited values; dictionaries for properties that few nodes declare."""

    font_size: NDArray[np.float64]
    bold: NDArray[np.bool_]
    background: list[str]
    shown: NDArray[np.bool_]
    width: dict[int, Length]
    height: dict[int, Length]
    columns: dict[int, int]
    """How many columns a cell spans, if declared."""
    floated: set[int]


class _Look(NamedTuple):
    """The properties that a node passes on to its descendants."""

    font_size: float = FONT_SIZE
    bold: bool = False
    background: str = WHITE
    shown: bool = True


@dataclass(slots=True)
class _Own:
    """The properties that a node itself declares."""

    font_size: Length | None = None
    bold: bool | None = None
    background: str | None = None
    width: Length | None = None
    height: Length | None = None
    columns: int | None = None
    hidden: bool = False
    floated: bool = False
    has_look: bool = False
    """Whether any of them is inherited by the nodes inside."""


class _Looks:
    """The numbered looks of a page. Pages repeat themselves: there are few looks, and each is computed once."""

    def __init__(self) -> None:
        self.listed = [_Look()]
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

    def by_attributes(self, above: int, look: int, own: _Own) -> int:
        """The look of a node that declares properties of its own."""
        size, bold, background, shown = self.listed[look]
        if own.font_size is not None:
            size = _bounded(own.font_size.of(self.listed[above].font_size))
        bold = bold if own.bold is None else own.bold
        return self._number(_Look(size, bold, own.background or background, shown and not own.hidden))

    def _number(self, look: _Look) -> int:
        number = self._numbers.setdefault(look, len(self.listed))
        if number == len(self.listed):
            self.listed.append(look)
        return number


def styles_of(nodes: Nodes) -> Styles:
    """Read the markup; nodes without ``nodes.attributes`` declare nothing. A body is always treated as visible."""
    tag, parent, attributes = nodes.tag, nodes.parent, nodes.attributes
    looks, of_row = _Looks(), [0] * len(tag)
    width: dict[int, Length] = {}
    height: dict[int, Length] = {}
    columns: dict[int, int] = {}
    floated: set[int] = set()
    for row, kind in enumerate(tag):
        look = above = of_row[parent[row]] if row else 0
        if kind in _CHANGING:
            look = looks.by_tag(above, kind)
        if row in attributes and not _TELLING_SETS[kind].isdisjoint(given := attributes[row]):
            own = _read_attributes(kind, "hidden" in given, *map(given.get, _TELLING))
            if own.has_look:
                look = looks.by_attributes(above, look, own)
            if own.width:
                width[row] = own.width
            if own.height:
                height[row] = own.height
            if own.columns:
                columns[row] = own.columns
            if own.floated:
                floated.add(row)
        of_row[row] = look
    rows, listed = ints(of_row), looks.listed
    return Styles(
        np.array([look.font_size for look in listed])[rows],
        np.array([look.bold for look in listed])[rows],
        [listed[look].background for look in of_row],
        np.array([look.shown for look in listed])[rows],
        width,
        height,
        columns,
        floated,
    )


@lru_cache(maxsize=4096)  # the pages of a site repeat each other
def _read_attributes(
    kind: int,
    is_hidden: bool,
    style: str | None,
    colour: str | None,
    picture: str | None,
    size: str | None,
    type_: str | None,
    width: str | None,
    height: str | None,
    columns: str | None,
    align: str | None,
) -> _Own:
    """Properties from presentational attributes and an inline style sheet, which overrides them."""
    own = _Own(
        background=picture or _colour(colour or "") or None,
        width=_length(width or ""),
        height=_length(height or ""),
        hidden=is_hidden or (kind == _INPUT and (type_ or "").lower() == "hidden"),
        floated=kind == _TABLE and (align or "").lower() in {"left", "right"},
    )
    if kind == _FONT and (pixels := _font_size(size or "")):
        own.font_size = Length(pixels=pixels)
    if kind in _CELLS and (span := _WHOLE(columns or "")):
        own.columns = min(max(1, int(span[2])), _MOST_COLUMNS)
    if style:
        _read_style(style, own)
    if kind == tags.BODY:
        own.hidden = False  # a script will show it
    own.has_look = own.hidden or any(value is not None for value in (own.font_size, own.bold, own.background))
    return own


def _read_style(style: str, own: _Own) -> None:
    for name, said in _PROPERTY.findall(style):
        value = said.strip().lower()
        match name.lower():
            case "font-size":
                own.font_size = _css_font_size(value) or own.font_size
            case "font-weight":
                own.bold = _weight(value)
            case "font":
                own.font_size = next(filter(None, map(_css_font_size, value.split())), own.font_size)
                own.bold = any(map(_weight, value.split()))
            case "background" | "background-color":
                own.background = _background(value) or own.background
            case "width":
                own.width = _length(value) or own.width
            case "float":
                own.floated = value in {"left", "right"}
            case "display":
                own.hidden |= value.startswith("none")
            case _:
                own.hidden |= value.startswith("hidden")


def _bounded(size: float) -> float:
    return min(max(size, _SMALLEST), _LARGEST)


def _font_size(value: str) -> float:
    """Size of <font size>: 1 to 7, or steps relative to 3; 0 for anything else."""
    found = _WHOLE(value)
    if not found:
        return 0.0
    step = int(found[2])
    if found[1]:
        step = 3 + step if found[1] == "+" else 3 - step
    return _FONT_SIZES[min(max(step, 1), 7) - 1]


def _css_font_size(value: str) -> Length | None:
    """A font size, relative to the surrounding font."""
    if value in _NAMED_SIZES:
        return Length(pixels=_NAMED_SIZES[value])
    if value in {"larger", "smaller"}:
        return Length(share=_STEP if value == "larger" else 1 / _STEP)
    value = value.partition("/")[0]  # "12px/1.5": font size and line height
    found = _LENGTH(value)
    if not found or not found[2]:  # a number without a unit is a weight
        return None
    number, unit = float(found[1]), found[2]
    if unit in {"em", "%"}:
        return Length(share=number if unit == "em" else number / 100)
    if unit == "rem":
        return Length(pixels=number * FONT_SIZE)
    return Length(pixels=number * _PIXELS[unit]) if unit in _PIXELS else None


def _weight(value: str) -> bool:
    return value in {"bold", "bolder"} or (value.isdecimal() and len(value) <= 4 and int(value) >= 600)


def _length(value: str) -> Length | None:
    """A width or height; None for a value that determines nothing here, such as "auto", 0 or "2*"."""
    found = _LENGTH(value.strip().lower()) if value else None
    if not found or float(found[1]) == 0:
        return None
    number, unit = float(found[1]), found[2]
    if unit == "%":
        return Length(share=min(number, 100.0) / 100)
    return Length(pixels=number * _PIXELS.get(unit, FONT_SIZE))


def _background(value: str) -> str:
    """The value of "background: url(x.png) #eee": the picture if there is one, else the colour."""
    if "url(" in value:
        return value[value.index("url(") :].partition(")")[0]
    if value.startswith(("rgb", "hsl")):
        return value.replace(" ", "")
    return next((found for word in value.split() if (found := _colour(word))), "")


def _colour(value: str) -> str:
    """A unique notation for each colour; "" for none."""
    value = value.strip().lower()
    if value in _SEE_THROUGH:
        return ""
    digits = value.removeprefix("#")
    if len(digits) == 3 and value[0] == "#":
        digits = "".join(digit * 2 for digit in digits)
    if len(digits) == 6 and all(digit in "0123456789abcdef" for digit in digits):
        return f"#{digits}"
    return _COLOURS.get(value, value)
