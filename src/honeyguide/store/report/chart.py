"""Charts as inline SVG that fit any width: places are percentages, so lines stretch and letters do not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from honeyguide.store.report import words
from honeyguide.store.report.markup import Html, element, lines
from honeyguide.store.report.survey import BINS

_INNER = 1000  # units of the stretched drawing inside the axes, each way
_WIDTHS = (1, 2, 5, 10)  # of histogram bars, in bins of the survey; each divides BINS
_MOST_BARS = 30


@dataclass(frozen=True, slots=True)
class Series:
    """A curve. `look` names its class in the style sheet."""

    name: str
    look: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from 0 to `end`, with the places that get a label."""

    end: float
    ticks: tuple[float, ...]
    percent: bool = False

    def place(self, value: float) -> str:
        """Where a value lies on the axis, from its start."""
        return f"{100 * value / self.end:.2f}%"

    def label(self, tick: float) -> str:
        """A tick in words, with just the digits that tell it from its neighbour."""
        step = self.ticks[1] if len(self.ticks) > 1 else 1
        shown = 100 * step if self.percent else step
        digits = max(0, -math.floor(math.log10(shown) + 1e-9))
        return f"{100 * tick:.{digits}f}%" if self.percent else f"{tick:,.{digits}f}"


def scale(most: float, *, whole: bool = False, percent: bool = False, tight: bool = False) -> Scale:
    """An axis for values up to `most`, in steps of 1, 2 or 5 times a power of ten, at most six of them.

    It ends with a step, or with the value itself when `tight`. `whole` has no tick between two whole numbers.
    """
    most = most if most > 0 else 1.0
    power = 10.0 ** math.floor(math.log10(most / 5))
    step = next(step for factor in (1, 2, 5, 10) if most / (step := factor * power) <= 5 + 1e-9)
    step = max(step, 1.0) if whole else step
    count = math.floor(most / step + 1e-9) if tight else math.ceil(most / step - 1e-9)
    return Scale(most if tight else count * step, tuple(number * step for number in range(count + 1)), percent)


def line_chart(title: str, across: str, up: str, series: Sequence[Series], *, percent: bool) -> Html:
    """Curves over pages with a legend. Series without points are left out; without any the chart says so."""
    series = [one for one in series if one.points]
    if not series:
        return _figure(title, element("p", "No page was fetched.", class_="quiet"))
    x = scale(max(point[0] for one in series for point in one.points), whole=True, tight=True)
    y = scale(max(point[1] for one in series for point in one.points), percent=percent, whole=not percent)
    ends = "; ".join(f"{one.name}: {_value(one.points[-1][1], percent)}" for one in series)
    plot = element(
        "svg",
        _axes(x, y, across, up),
        _stretched(_curve(one, x, y) for one in series),
        element("line", class_="cursor", y1="0", y2="100%", visibility="hidden"),
        class_="plot",
        role="img",
        aria_label=f"{title}. At the end: {ends}",
        data_x=x.end,
        data_y=y.end,
        data_percent=int(percent),
    )
    # Filled by the script, under the pointer: the page, and the value of each curve there.
    reading = element(
        "p", lines(element("span", class_=look) for look in ("page", *(one.look for one in series))), class_="reading"
    )
    return _figure(title, _legend(series), element("div", plot, reading, class_="frame"))


def histogram(title: str, scores: Sequence[Sequence[int]], threshold: float, note: str) -> Html:
    """How many pages scored how much: those that count as found on top of the others, the threshold marked."""
    filled = max((number + 1 for number, counts in enumerate(scores) if any(counts)), default=0)
    if not filled:
        return _figure(title, element("p", note, class_="quiet"))
    end = max(filled / BINS, threshold)
    width = next((width for width in _WIDTHS if end * BINS / width <= _MOST_BARS), _WIDTHS[-1])
    bars = [
        (start, sum(scores[bin_][0] for bin_ in part), sum(scores[bin_][1] for bin_ in part))
        for start in range(0, math.ceil(end * BINS - 1e-9), width)
        for part in [range(start, min(start + width, BINS))]
    ]
    x = scale((bars[-1][0] + width) / BINS, tight=True)
    y = scale(max(others + found for _, others, found in bars), whole=True)
    at = x.place(threshold)
    side = ("start", "0.5em") if threshold < x.end / 2 else ("end", "-0.5em")  # where there is room for its name
    plot = element(
        "svg",
        _axes(x, y, "relevance", "pages"),
        _stretched(_bar(start / BINS, width / BINS, others, found, x, y) for start, others, found in bars),
        element("line", class_="threshold", x1=at, x2=at, y1="-4", y2="100%"),
        element(
            "text",
            f"threshold {threshold:g}",
            class_="threshold",
            x=at,
            y="0",
            dx=side[1],
            dy="0.4em",
            text_anchor=side[0],
        ),
        class_="plot",
        role="img",
        aria_label=f"{title}. {note}",
    )
    legend = _legend((Series("relevant", "found", ()), Series("not relevant, or a duplicate", "others", ())))
    return _figure(title, legend, element("div", plot, class_="frame"), element("p", note, class_="quiet"))


def _figure(title: str, *content: str) -> Html:
    return element("figure", element("h2", title), *content)


def _legend(series: Iterable[Series]) -> Html:
    entries = (element("span", element("i", class_=one.look), one.name, class_="entry") for one in series)
    return element("p", lines(entries), class_="legend")


def _axes(x: Scale, y: Scale, across: str, up: str) -> Html:
    """Grid lines and labels. The places beyond the drawing's edges lie in the frame's margin."""
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


def _stretched(content: Iterable[Html]) -> Html:
    box = f"0 0 {_INNER} {_INNER}"
    return element("svg", lines(content), viewBox=box, preserveAspectRatio="none", width="100%", height="100%")


def _curve(series: Series, x: Scale, y: Scale) -> Html:
    places = [(_INNER * a / x.end, _INNER - _INNER * b / y.end) for a, b in series.points]
    if len(places) == 1:  # a line of no length, with round ends: a dot
        places *= 2
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    return element("polyline", points=points, class_=f"curve {series.look}")


def _bar(start: float, width: float, others: int, found: int, x: Scale, y: Scale) -> Html:
    said = f"{start:.2f}-{start + width:.2f}: {words.pages(found + others)}, {words.count(found)} relevant"
    left, wide = _INNER * (start + 0.06 * width) / x.end, _INNER * 0.88 * width / x.end
    low, high = _INNER * others / y.end, _INNER * found / y.end
    shape = {"x": f"{left:.1f}", "width": f"{wide:.1f}"}
    return element(
        "g",
        element("title", said),
        element("rect", **shape, y=f"{_INNER - low:.1f}", height=f"{low:.1f}", class_="others"),
        element("rect", **shape, y=f"{_INNER - low - high:.1f}", height=f"{high:.1f}", class_="found"),
    )


def _value(value: float, percent: bool) -> str:
    return f"{value:.1%}" if percent else words.count(value)
