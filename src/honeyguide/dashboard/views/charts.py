"""The charts of the dashboard, drawn on the server."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from honeyguide.dashboard.census import Census
from honeyguide.dashboard.status import RECENT, CurvePoint
from honeyguide.document import words
from honeyguide.document.chart import INNER, Scale, Series, axes, figure, legend, line_plot, scale, stretched
from honeyguide.document.markup import Html, element
from honeyguide.frontier import State

_UNITS = (
    (48 * 3600.0, 86400.0, "days"),
    (2 * 3600.0, 3600.0, "hours"),
    (120.0, 60.0, "minutes"),
    (0.0, 1.0, "seconds"),
)


def charts(points: Sequence[CurvePoint], census: Census | None, targets: int) -> list[Html]:
    """The curves of a crawl: over pages and over time."""
    if not points:
        return [figure("Harvest over pages", element("p", "No page has been fetched yet.", class_="quiet"))]
    harvest = [
        Series("all pages so far", "main", [(point.pages, point.found / point.pages) for point in points]),
        Series(
            f"last {RECENT} pages",
            "recent",
            [(point.pages, point.recent / RECENT) for point in points if point.recent is not None],
        ),
    ]
    drawn = [
        _chart("Harvest over pages", "pages fetched", "share that is relevant", harvest, percent=True),
        _over_time(points),
    ]
    if targets and census is not None:
        places = census.targets_found
        recall = [(point.pages, bisect_right(places, point.pages - 1) / targets) for point in points]
        up = f"share of the {words.count(targets)} known targets"
        drawn.append(
            _chart("Recall over pages", "pages fetched", up, [Series("fetched", "main", recall)], percent=True)
        )
    return drawn


def _over_time(points: Sequence[CurvePoint]) -> Html:
    seconds = max(point.seconds for point in points)
    length, unit = next((length, unit) for least, length, unit in _UNITS if seconds >= least)
    series = [
        Series("pages", "other-1", [(point.seconds / length, point.pages) for point in points]),
        Series("relevant pages", "main", [(point.seconds / length, point.found) for point in points]),
    ]
    return _chart("Pages over time", f"{unit} of crawling", "pages", series, percent=False, whole=False)


def _chart(title: str, across: str, up: str, series: Sequence[Series], *, percent: bool, whole: bool = True) -> Html:
    series = [one for one in series if one.points]
    x = scale(max(point[0] for one in series for point in one.points), whole=whole, tight=True)
    y = scale(max(one.highest for one in series), percent=percent, whole=not percent)
    plot = line_plot(title, x, y, across, up, series)
    return figure(title, legend(series), element("div", plot, class_="frame"))


def promises(census: Census) -> Html:
    """A histogram of what waits, by promise."""
    title = "Waiting URLs, by promise"
    waiting = census.states[State.WAITING] + census.states[State.IN_FLIGHT]
    if not waiting:
        return figure(title, element("p", "Nothing waits.", class_="quiet"))
    low, high = census.promises[0][0], census.promises[-1][0] + census.bar
    x = Scale(high - low or 1.0, ())
    y = scale(max(count for _, count in census.promises), whole=True)
    bars = [_bar(start - low, census.bar, count, start, x, y) for start, count in census.promises]
    ends = [
        element("text", f"{low:.2f}", x="0", y="100%", dy="1.7em", text_anchor="start"),
        element("text", f"{high:.2f}", x="100%", y="100%", dy="1.7em", text_anchor="end"),
    ]
    note = f"{words.count(waiting)} URLs waiting, as of {words.clock(census.time)}."
    plot = element(
        "svg",
        axes(x, y, "promise", "URLs"),
        stretched(bars),
        *ends,
        class_="plot",
        role="img",
        aria_label=f"{title}. {note}",
    )
    return figure(title, element("div", plot, class_="frame"), element("p", note, class_="quiet"))


def _bar(place: float, width: float, count: int, start: float, x: Scale, y: Scale) -> Html:
    left, wide = INNER * (place + 0.06 * width) / x.end, INNER * 0.88 * width / x.end
    high = INNER * count / y.end
    return element(
        "rect",
        element("title", f"{start:.3f} to {start + width:.3f}: {words.count(count)} URLs"),
        x=f"{left:.1f}",
        width=f"{wide:.1f}",
        y=f"{INNER - high:.1f}",
        height=f"{high:.1f}",
        class_="found",
    )
