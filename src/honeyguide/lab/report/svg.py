"""The curves as an SVG file that stands alone: plain shapes at fixed places, for papers and any viewer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from honeyguide.document.chart import Scale
from honeyguide.document.markup import Html, element, lines
from honeyguide.lab.report.curves import Floats
from honeyguide.lab.report.line_styles import LineStyle
from honeyguide.lab.report.panels import EMPTY, Panel, drawn, shown

_WIDTH, _HEIGHT, _GAP = 430, 300, 90  # of a panel, and between two of them
_LEFT, _TOP, _BELOW = 60, 60, 60
_ROW, _LETTER = 20, 7.0  # of the legend: the height of a row, the width of a letter (about)
_INK, _QUIET, _RULE = "#1f1d1a", "#5f5a52", "#e5e1d8"


def to_svg(panels: Sequence[Panel], styles: dict[str, LineStyle], note: str) -> str:
    """The panels side by side over one legend; without panels a drawing that says there is nothing to draw."""
    names = drawn(panels, styles)
    width = _LEFT + max(len(panels), 1) * (_WIDTH + _GAP) - _GAP + 30
    columns = max(1, int((width - _LEFT) // (60 + _LETTER * max((len(shown(name)) for name in names), default=1))))
    top = _TOP + _HEIGHT + _BELOW
    shapes = [
        element("rect", width="100%", height="100%", fill="#ffffff"),
        _text(note if panels else EMPTY, _LEFT, 22, fill=_QUIET),
        *(_panel(panel, _LEFT + number * (_WIDTH + _GAP), styles) for number, panel in enumerate(panels)),
    ]
    for number, name in enumerate(names):
        left = _LEFT + number % columns * (width - _LEFT) / columns
        shapes.append(_entry(name, styles[name], left, top + _ROW * (number // columns)))
    height = top + _ROW * -(-len(names) // columns)
    return element(
        "svg",
        lines(shapes),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=f"{width}",
        height=f"{height}",
        font_family="Helvetica, Arial, sans-serif",
        font_size=12,
    )


def _panel(panel: Panel, left: float, styles: dict[str, LineStyle]) -> Html:
    x, y = panel.x, panel.y
    shapes = [
        *_grid(x, y, left),
        _text(panel.title, left, _TOP - 12, fill=_INK, font_weight="bold", font_size=13),
        _text(panel.across, left + _WIDTH, _TOP + _HEIGHT + 38, fill=_QUIET, text_anchor="end"),
    ]
    # Bands first: no line is dimmed by the band of another.
    places = left + _WIDTH * panel.places / x.end
    for line in panel.lines:
        if line.error is not None:
            edges = np.concatenate([line.mean + line.error, (line.mean - line.error)[::-1]])
            around = _points(np.concatenate([places, places[::-1]]), edges, y)
            colour = styles[line.strategy].colour
            shapes.append(element("polygon", points=around, fill=colour, fill_opacity=panel.opacity))
    for line in panel.lines:
        style = styles[line.strategy]
        dashed = {"stroke_dasharray": style.dash} if style.dash else {}
        shapes.append(
            element(
                "polyline",
                points=_points(places, line.mean, y),
                fill="none",
                stroke=style.colour,
                stroke_width=2,
                stroke_linejoin="round",
                **dashed,
            )
        )
    return element("g", lines(shapes))


def _grid(x: Scale, y: Scale, left: float) -> Iterator[Html]:
    for tick in y.ticks:
        at = _TOP + _HEIGHT * (1 - tick / y.end)
        yield element(
            "line", x1=left, x2=left + _WIDTH, y1=f"{at:.1f}", y2=f"{at:.1f}", stroke=_RULE if tick else _QUIET
        )
        yield _text(y.label(tick), left - 8, at + 4, fill=_QUIET, text_anchor="end")
    for tick in x.ticks:
        at = left + _WIDTH * tick / x.end
        yield element("line", x1=f"{at:.1f}", x2=f"{at:.1f}", y1=_TOP + _HEIGHT, y2=_TOP + _HEIGHT + 5, stroke=_QUIET)
        yield _text(x.label(tick), at, _TOP + _HEIGHT + 20, fill=_QUIET, text_anchor="middle")


def _entry(name: str, style: LineStyle, left: float, top: float) -> Html:
    dashed = {"stroke_dasharray": style.dash} if style.dash else {}
    line = element("line", x1=left, x2=left + 28, y1=top - 4, y2=top - 4, stroke=style.colour, stroke_width=2, **dashed)
    return element("g", line, _text(shown(name), left + 36, top, fill=_INK))


def _text(content: str, x: float, y: float, **attributes: str | float) -> Html:
    return element("text", content, x=f"{x:.1f}", y=f"{y:.1f}", **attributes)


def _points(places: Floats, values: Floats, y: Scale) -> str:
    heights = _TOP + _HEIGHT * (1 - values / y.end)
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(places, heights, strict=True))
