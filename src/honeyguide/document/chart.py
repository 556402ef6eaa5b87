"""Charts as inline SVG that fit any width: positions are percentages, so lines stretch but text does not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from honeyguide.document.markup import Html, element, lines

INNER = 1000
"""Width and height, in SVG units, of the stretched drawing inside the axes."""

_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Series:
    """A curve, with a band of ± `errors` around it if errors are given. `look` is its class in the style sheet."""

    name: str
    look: str
    points: Sequence[tuple[float, float]]
    errors: Sequence[float] = ()

    @property
    def highest(self) -> float:
        """The largest value drawn, the band's edge included."""
        highs = [value for _, value in self.points]
        return max(*highs, *(value + error for value, error in zip(highs, self.errors, strict=False)), 0.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from 0 to `end`, with the positions of its labels."""

    end: float
    ticks: tuple[float, ...]
    percent: bool = False

    def place(self, value: float) -> str:
        """Position of a value on the axis, as a percentage of the axis length."""
        return f"{100 * value / self.end:.2f}%"

    def label(self, tick: float) -> str:
        """The label of a tick, with just enough digits to distinguish it from its neighbour."""
        step = self.ticks[1] if len(self.ticks) > 1 else 1
        shown = 100 * step if self.percent else step
        digits = max(0, -math.floor(math.log10(shown) + 1e-9))
        return f"{100 * tick:.{digits}f}%" if self.percent else f"{tick:,.{digits}f}"


def scale(most: float, *, whole: bool = False, percent: bool = False, tight: bool = False) -> Scale:
    """An axis for values up to `most`, in steps of 1, 2 or 5 times a power of ten, with at most six steps.

    The axis ends at a step, or at `most` itself if `tight`. With `whole` there are ticks at whole numbers only. If
    `most` is zero or nearly zero, the axis ends at 1.
    """
    most = most if most > _NOTHING else 1.0
    power = 10.0 ** math.floor(math.log10(most / 5))
    step = next(step for factor in (1, 2, 5, 10) if most / (step := factor * power) <= 5 + 1e-9)
    step = max(step, 1.0) if whole else step
    count = math.floor(most / step + 1e-9) if tight else math.ceil(most / step - 1e-9)
    return Scale(most if tight else count * step, tuple(number * step for number in range(count + 1)), percent)


def figure(title: str, *content: str, **attributes: str | float) -> Html:
    """A chart with its title and everything that belongs to it."""
    return element("figure", element("h2", title), *content, **attributes)


def legend(series: Iterable[Series]) -> Html:
    """The names of the curves, each drawn in its style."""
    entries = (element("span", element("i", class_=one.look), one.name, class_="entry") for one in series)
    return element("p", lines(entries), class_="legend")


def line_plot(
    title: str, x: Scale, y: Scale, across: str, up: str, series: Sequence[Series], **attributes: str | float
) -> Html:
    """The curves inside their axes; the title and the final values are in the label for screen readers.

    Scripts can rely on the ends of the axes (``data-x``, ``data-y``), the curves (``polyline``, in `INNER` units, in
    the order of the series), and a line to move (``.cursor``).
    """
    ends = "; ".join(f"{one.name}: {said(one.points[-1][1], percent=y.percent)}" for one in series)
    return element(
        "svg",
        axes(x, y, across, up),
        # Bands first, so that no line is dimmed by the band of another series.
        stretched([*(_band(one, x, y) for one in series if one.errors), *(_curve(one, x, y) for one in series)]),
        element("line", class_="cursor", y1="0", y2="100%", visibility="hidden"),
        class_="plot",
        role="img",
        aria_label=f"{title}. At the end: {ends}",
        data_x=x.end,
        data_y=y.end,
        data_percent=int(y.percent),
        **attributes,
    )


def axes(x: Scale, y: Scale, across: str, up: str) -> Html:
    """Grid lines and labels. Labels outside the drawing are placed in the margin of the frame."""
    drawn: list[Html] = []
    for tick in y.ticks:
        at = f"{100 - 100 * tick / y.end:.2f}%"
        drawn += (
            element("line", x1="0", x2="100%", y1=at, y2=at, class_="grid" if tick else "axis"),
            element("text", y.label(tick), x="-8", y=at, dy="0.35em", text_anchor="end"),
        )
    for tick in x.ticks:
        at = x.place(tick)
        drawn += (
            element("rect", x=at, y="100%", width="1", height="5", class_="tick"),
            element("text", x.label(tick), x=at, y="100%", dy="1.7em", text_anchor="middle"),
        )
    drawn += (
        element("text", across, x="100%", y="100%", dy="3.2em", text_anchor="end", class_="name"),
        element("text", up, x="-2.75rem", y="0", dy="-1.1em", class_="name"),
    )
    return lines(drawn)


def stretched(content: Iterable[Html]) -> Html:
    """A drawing of `INNER` by `INNER` units, stretched to the space between the axes."""
    box = f"0 0 {INNER} {INNER}"
    return element("svg", lines(content), viewBox=box, preserveAspectRatio="none", width="100%", height="100%")


def said(value: float, *, percent: bool) -> str:
    """A value of a curve as text."""
    return f"{value:.1%}" if percent else f"{value:,.0f}"


def _curve(series: Series, x: Scale, y: Scale) -> Html:
    places = [(INNER * a / x.end, INNER - INNER * b / y.end) for a, b in series.points]
    if len(places) == 1:  # a line of zero length with round ends is drawn as a dot
        places *= 2
    return element("polyline", points=_points(places), class_=f"curve {series.look}")


def _band(series: Series, x: Scale, y: Scale) -> Html:
    """The band as a polygon: left to right along its upper edge, and back along the lower one."""
    along = list(zip(series.points, series.errors, strict=True))
    edges = [(a, b + error) for (a, b), error in along] + [(a, b - error) for (a, b), error in reversed(along)]
    places = ((INNER * a / x.end, INNER - INNER * b / y.end) for a, b in edges)
    return element("polygon", points=_points(places), class_=f"band {series.look}")


def _points(places: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
