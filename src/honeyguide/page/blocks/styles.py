"""What the markup of a page itself says about its looks: tags, attributes of old, and inline style sheets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from honeyguide.page import tags
from honeyguide.page.parse import Nodes

WHITE: Final = "#ffffff"
"""The background of a page that says nothing."""
FONT_SIZE: Final = 16.0
"""Of a page that says nothing, in pixels."""

_SMALLEST, _LARGEST = 1.0, 200.0  # font sizes: scales inside scales must not run away
_MOST_COLUMNS = 1000  # that a cell may span
_STEP = 1.2  # between a font size and the next one
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

_TELLING = frozenset("style bgcolor background size width height colspan align hidden type".split())

_PROPERTY = re.compile(
    r"(?:^|;)\s*(font-size|font-weight|font|background-color|background|width|float|display|visibility)\s*:\s*([^;]+)",
    re.IGNORECASE,
)
_LENGTH = re.compile(r"(?:^|(?<=\s))(\d{1,6}(?:\.\d+)?|\.\d+)(px|pt|pc|in|cm|mm|rem|em|ex|%|)(?![\w.%])")
_WHOLE = re.compile(r"\s*([+-]?)(\d{1,6})")

_SCALE = [1.0] * (tags.LAST + 1)
for _name, _scale in (
    *zip(("h1", "h2", "h3", "h4", "h5", "h6"), (2.0, 1.5, 1.17, 1.0, 0.83, 0.67), strict=True),
    ("big", _STEP),
    ("small", 1 / _STEP),
):
    _SCALE[tags.tag_id(_name)] = _scale
_BOLD = tags.tag_ids("b strong h1 h2 h3 h4 h5 h6 th")
_FONT, _INPUT, _TABLE, _CELLS = tags.tag_id("font"), tags.tag_id("input"), tags.tag_id("table"), tags.tag_ids("td th")


@dataclass(frozen=True, slots=True)
class Length:
    """In pixels, or as a share of something that the context knows."""

    pixels: float = 0.0
    share: float = 0.0

    def of(self, whole: float) -> float:
        """In pixels."""
        return self.pixels + self.share * whole


@dataclass(slots=True)
class Styles:
    """Lists with an entry for each node, inherited values included; dictionaries for the few nodes that say more."""

    font_size: list[float]
    bold: list[bool]
    background: list[str]
    shown: list[bool]
    width: dict[int, Length]
    height: dict[int, Length]
    columns: dict[int, int]
    """How many columns a cell spans, where that is more than one."""
    floated: set[int]


@dataclass(slots=True)
class _Own:
    """What one node says of itself."""

    font_size: Length | None = None
    bold: bool | None = None
    background: str | None = None
    width: Length | None = None
    hidden: bool = False
    floated: bool = False


def styles_of(nodes: Nodes) -> Styles:
    """Read the markup; what is not in ``nodes.attributes`` says nothing. A body is shown, whatever it says."""
    count, tag, parent, last_node = len(nodes), nodes.tag, nodes.parent, nodes.last_node
    styles = Styles([FONT_SIZE] * count, [False] * count, [WHITE] * count, [True] * count, {}, {}, {}, set())
    size, bold, background, shown = styles.font_size, styles.bold, styles.background, styles.shown
    attributes = nodes.attributes
    known: dict[str, _Own] = {}  # pages repeat themselves
    unseen = 0  # rows below this one are hidden
    for row in range(count):
        kind, above = tag[row], parent[row]
        if row:
            size[row] = size[above]
            bold[row] = bold[above] or kind in _BOLD
            background[row] = background[above]
            scale = _SCALE[kind]
            if scale != 1.0:
                size[row] = _bounded(size[row] * scale)
            if row < unseen:
                shown[row] = False
        if row not in attributes or _TELLING.isdisjoint(given := attributes[row]):
            continue
        own = _own(given, known)
        _note_attributes(row, kind, given, styles)
        if own.font_size is not None:
            size[row] = _bounded(own.font_size.of(size[above] if row else FONT_SIZE))
        if own.bold is not None:
            bold[row] = own.bold
        if own.background is not None:
            background[row] = own.background
        if own.width is not None:
            styles.width[row] = own.width
        if own.floated:
            styles.floated.add(row)
        if row and (own.hidden or (kind == _INPUT and (given.get("type") or "").lower() == "hidden")):
            shown[row] = False
            unseen = max(unseen, last_node[row])
    return styles


def _note_attributes(row: int, kind: int, given: dict[str, str | None], styles: Styles) -> None:
    """The attributes of old, which an inline style sheet then overrules."""
    if (colour := given.get("bgcolor")) and (found := _colour(colour)):
        styles.background[row] = found
    if image := given.get("background"):
        styles.background[row] = image
    if kind == _FONT and (found_size := _font_size(given.get("size") or "")):
        styles.font_size[row] = found_size
    if (width := given.get("width")) and (length := _length(width)):
        styles.width[row] = length
    if (height := given.get("height")) and (length := _length(height)):
        styles.height[row] = length
    if kind in _CELLS and (span := _WHOLE.match(given.get("colspan") or "")):
        styles.columns[row] = min(max(1, int(span[2])), _MOST_COLUMNS)
    if kind == _TABLE and (given.get("align") or "").lower() in {"left", "right"}:
        styles.floated.add(row)


def _own(given: dict[str, str | None], known: dict[str, _Own]) -> _Own:
    style = given.get("style") or ""
    own = known.get(style)
    if own is None:
        own = known[style] = _read_style(style)
    if "hidden" in given and not own.hidden:
        return _Own(hidden=True)
    return own


def _read_style(style: str) -> _Own:
    own = _Own()
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
    return own


def _bounded(size: float) -> float:
    return min(max(size, _SMALLEST), _LARGEST)


def _font_size(value: str) -> float:
    """Of <font size>: 1 to 7, or steps from 3; 0 for anything else."""
    found = _WHOLE.match(value)
    if not found:
        return 0.0
    step = int(found[2])
    if found[1]:
        step = 3 + step if found[1] == "+" else 3 - step
    return _FONT_SIZES[min(max(step, 1), 7) - 1]


def _css_font_size(value: str) -> Length | None:
    """Relative to the font around it."""
    if value in _NAMED_SIZES:
        return Length(pixels=_NAMED_SIZES[value])
    if value in {"larger", "smaller"}:
        return Length(share=_STEP if value == "larger" else 1 / _STEP)
    value = value.partition("/")[0]  # "12px/1.5": the size and the height of a line
    found = _LENGTH.match(value)
    if not found or not found[2]:  # a number alone is a weight
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
    """A width or height; None for one that says nothing here, as "auto", 0 or "2*"."""
    found = _LENGTH.match(value.strip().lower())
    if not found or float(found[1]) == 0:
        return None
    number, unit = float(found[1]), found[2]
    if unit == "%":
        return Length(share=min(number, 100.0) / 100)
    return Length(pixels=number * _PIXELS.get(unit, FONT_SIZE))


def _background(value: str) -> str:
    """Of "background: url(x.png) #eee": the picture where there is one, else the colour."""
    if "url(" in value:
        return value[value.index("url(") :].partition(")")[0]
    if value.startswith(("rgb", "hsl")):
        return value.replace(" ", "")
    return next((found for word in value.split() if (found := _colour(word))), "")


def _colour(value: str) -> str:
    """One notation for each colour; "" for none."""
    value = value.strip().lower()
    if value in _SEE_THROUGH:
        return ""
    digits = value.removeprefix("#")
    if len(digits) == 3 and value[0] == "#":
        digits = "".join(digit * 2 for digit in digits)
    if len(digits) == 6 and all(digit in "0123456789abcdef" for digit in digits):
        return f"#{digits}"
    return _COLOURS.get(value, value)
