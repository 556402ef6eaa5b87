"""What markup and style sheets declare about the look of an element: the properties that a layout is estimated from.

Only values are read here; `cascade` decides which declarations apply to an element, and `styles` what it inherits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from honeyguide.page import tags

WHITE: Final = "#ffffff"
"""The background of a page that declares none."""
FONT_SIZE: Final = 16.0
"""Font size, in pixels, of a page that declares none."""
STEP: Final = 1.2
"""The ratio of one font size to the next smaller one."""

_MOST_COLUMNS = 1000  # maximum number of columns that a cell may span
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
_NO_COLOUR = frozenset(
    "repeat no-repeat repeat-x repeat-y round space scroll fixed local top bottom left right center cover contain auto "
    "border-box padding-box content-box /".split()
)  # the other words of "background: none repeat scroll 0 0 #eee"
_DISPLAYS = {
    "none": "none",
    "inline": "inline",
    **dict.fromkeys("inline-block inline-flex inline-grid inline-table table-cell".split(), "inline-block"),
    **dict.fromkeys("block list-item flow-root flex grid table table-row table-caption".split(), "block"),
}

_FONT, _INPUT, _TABLE, _CELLS = tags.tag_id("font"), tags.tag_id("input"), tags.tag_id("table"), tags.tag_ids("td th")

_PROPERTY = re.compile(
    r"(?:^|;)\s*(font-size|font-weight|font|background-color|background-image|background|width|height|float|display"
    r"|visibility|margin-top|margin-bottom|margin)\s*:\s*([^;]+)",
    re.IGNORECASE,
)
_LENGTH = re.compile(r"(?:^|(?<=\s))(\d{1,6}(?:\.\d+)?|\.\d+)(px|pt|pc|in|cm|mm|rem|em|ex|%|)(?![\w.%])").match
_WHOLE = re.compile(r"\s*([+-]?)(\d{1,6})").match
_RGB = re.compile(r"rgba?\( ?(\d{1,3})[, ] ?(\d{1,3})[, ] ?(\d{1,3}) ?(?:[,/] ?([\d.]{1,9}%?) ?)?\)").match
_HEX = re.compile(r"#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})").fullmatch
_IMPORTANT = re.compile(r"!\s*+important\b")


class Length(NamedTuple):
    """A length: in pixels, as a share of a length known from the context, or in font sizes of the document."""

    pixels: float = 0.0
    share: float = 0.0
    roots: float = 0.0

    def of(self, whole: float, root: float = FONT_SIZE) -> float:
        """The length in pixels; `root` is the font size of the document."""
        return self.pixels + self.share * whole + self.roots * root


AUTO: Final = Length()
"""An explicit absence of a width or height, which overrides other declarations."""


class Declarations(NamedTuple):
    """The properties that a source declares for an element; None for undeclared ones."""

    font_size: Length | None = None
    bold: bool | None = None
    background: str | None = None
    """"" for transparent."""
    width: Length | None = None
    height: Length | None = None
    columns: int | None = None
    display: str | None = None
    """none, inline, inline-block or block: what a layout distinguishes."""
    visible: bool | None = None
    floated: bool | None = None
    above: Length | None = None
    """The margin above the element, and below it."""
    below: Length | None = None

    def overridden(self, by: Declarations) -> Declarations:
        """The declarations of both; where both declare a property, those of `others` win."""
        return Declarations._make(old if new is None else new for old, new in zip(self, by, strict=True))


NOTHING: Final = Declarations()


@dataclass(frozen=True, slots=True)
class StyleText:
    """The declarations of one rule, or of a style attribute."""

    normal: Declarations
    important: Declarations
    """Those marked with ``!important``."""


@lru_cache(maxsize=4096)  # the pages of a site repeat each other
def read_attributes(
    kind: int,
    is_hidden: bool,
    colour: str | None,
    picture: str | None,
    size: str | None,
    type_: str | None,
    width: str | None,
    height: str | None,
    columns: str | None,
    align: str | None,
) -> Declarations:
    """The declarations of presentational attributes, which every style sheet overrides."""
    span = _WHOLE(columns or "") if kind in _CELLS else None
    pixels = _font_size(size or "") if kind == _FONT else 0.0
    return Declarations(
        font_size=Length(pixels) if pixels else None,
        background=picture or _colour(colour or "") or None,
        width=_length(width or ""),
        height=_length(height or ""),
        columns=min(max(1, int(span[2])), _MOST_COLUMNS) if span else None,
        display="none" if is_hidden or (kind == _INPUT and (type_ or "").lower() == "hidden") else None,
        floated=True if kind == _TABLE and (align or "").lower() in {"left", "right"} else None,
    )


@lru_cache(maxsize=4096)
def read_style(text: str) -> StyleText:
    """The declarations of a style attribute or of the block of a rule. The last one for a property counts."""
    normal: dict[str, Any] = {}
    important: dict[str, Any] = {}
    for name, said in _PROPERTY.findall(text):
        value = said.strip().lower()
        declared = normal
        if "!" in value:
            if mark := _IMPORTANT.search(value):
                declared = important
                value = value[: mark.start()].rstrip()
            else:
                continue
        declared.update((key, found) for key, found in _declared(name.lower(), value) if found is not None)
    return StyleText(*(Declarations(**found) if found else NOTHING for found in (normal, important)))


def _declared(name: str, value: str) -> tuple[tuple[str, Any], ...]:
    """The properties that a declaration sets; None for a value that sets nothing."""
    match name:
        case "font-size":
            return (("font_size", _css_font_size(value)),)
        case "font-weight":
            return (("bold", _weight(value)),)
        case "font":
            words = value.split()
            size = next(filter(None, map(_css_font_size, words)), None)
            return (("font_size", size), ("bold", any(map(_weight, words)) if size else None))
        case "background" | "background-color" | "background-image":
            found = background_colour(value)
            return (("background", None if name == "background-image" and not found else found),)
        case "width" | "height":
            return ((name, AUTO if value in {"auto", "initial"} else _length(value)),)
        case "float":
            return (("floated", value in {"left", "right"}),)
        case "display":
            return (("display", _DISPLAYS.get(value)),)
        case "margin-top" | "margin-bottom":
            return (("above" if name == "margin-top" else "below", _margin(value)),)
        case "margin":
            sides = [_margin(side) for side in value.split()[:4]]  # top, right, bottom, left; fewer are repeated
            return (("above", sides[0]), ("below", sides[2] if len(sides) > 2 else sides[0])) if sides else ()
        case _:
            return (("visible", {"visible": True, "hidden": False, "collapse": False}.get(value)),)


# ---- values ----


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
        return Length(_NAMED_SIZES[value])
    if value in {"larger", "smaller"}:
        return Length(share=STEP if value == "larger" else 1 / STEP)
    value = value.partition("/")[0]  # "12px/1.5": font size and line height
    found = _LENGTH(value)
    if not found or not found[2]:  # a number without a unit is a weight
        return None
    number, unit = float(found[1]), found[2]
    if unit in {"em", "%"}:
        return Length(share=number if unit == "em" else number / 100)
    if unit == "rem":
        return Length(roots=number)
    return Length(number * _PIXELS[unit]) if unit in _PIXELS else None


def _weight(value: str) -> bool | None:
    if value in {"inherit", "unset"}:
        return None
    return value in {"bold", "bolder"} or (value.isdecimal() and len(value) <= 4 and int(value) >= 600)


def _length(value: str) -> Length | None:
    """A width or height; None for a value that determines nothing here, such as "auto", 0 or "2*"."""
    found = _LENGTH(value.strip().lower()) if value else None
    if not found or float(found[1]) == 0:
        return None
    number, unit = float(found[1]), found[2]
    if unit == "%":
        return Length(share=min(number, 100.0) / 100)
    if unit == "rem":
        return Length(roots=number)
    return Length(number * _PIXELS.get(unit, FONT_SIZE))


def _margin(value: str) -> Length | None:
    """A margin, relative to the font of the element; None for one that is negative or relative to something else."""
    found = _LENGTH(value)
    if not found or found[2] == "%":
        return Length() if value == "auto" else None
    number, unit = float(found[1]), found[2]
    if unit == "em":
        return Length(share=number)
    return Length(roots=number) if unit == "rem" else Length(number * _PIXELS.get(unit, FONT_SIZE))


def background_colour(value: str) -> str | None:
    """The value of "background: url(x.png) #eee": the picture if there is one, else the colour; "" for transparent.

    None for a value that is not valid, which browsers ignore.
    """
    if "url(" in value:
        return value[value.index("url(") :].partition(")")[0]
    if "gradient(" in value:
        return value.replace(" ", "")
    if value.startswith(("rgb", "hsl")):
        return _rgb(value)
    if "var(" in value or value in {"inherit", "unset"}:
        return None
    words = [word for word in value.split() if word not in _NO_COLOUR and word[0] not in "0123456789.-"]
    if not words:
        return "" if value else None
    if not all(word.isalpha() or _HEX(word) for word in words):
        return None
    return next((found for word in words if (found := _colour(word))), "")


def _rgb(value: str) -> str:
    found = _RGB(value)
    if not found:
        return value.replace(" ", "")
    if found[4] and not found[4].strip("0.%"):  # an opacity of 0
        return ""
    return "#" + "".join(f"{min(int(part), 255):02x}" for part in found.group(1, 2, 3))


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
