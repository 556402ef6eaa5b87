"""The charts of a crawl."""

from __future__ import annotations

import math
from collections.abc import Sequence

from honeyguide.document import words
from honeyguide.document.chart import INNER, Scale, Series, axes, figure, legend, line_plot, scale, stretched
from honeyguide.document.markup import Html, element, lines
from honeyguide.store.report.statistics import BINS, RECENT, CrawlStatistics, Truth
from honeyguide.store.report.subject import ReportSubject

_WIDTHS = (1, 2, 5, 10)  # of histogram bars, in bins of the survey; each divides BINS
_MOST_BARS = 30


Looks = Sequence[tuple[ReportSubject, str]]
"""The crawls to draw, the main one first, each with its class in the style sheet."""


def harvest_chart(looks: Looks) -> Html:
    """The share of relevant pages over pages: of each crawl, and of the last pages of the first."""
    (main, _), *others = looks
    overall = main.name if others else "all pages so far"
    harvest = [
        Series(
            overall if subject is main else subject.name,
            look,
            [(point.pages, point.found / point.pages) for point in subject.survey.curve],
        )
        for subject, look in looks
    ]
    recent = [(point.pages, point.recent / RECENT) for point in main.survey.curve if point.recent is not None]
    last = f"{main.name}, last {RECENT}" if others else f"last {RECENT} pages"
    harvest.insert(1, Series(last, "recent", recent))
    return line_chart("Harvest over pages", "pages fetched", "share that is relevant", harvest, percent=True)


def recall_chart(looks: Looks, truth: Truth | None) -> Html:
    """Recall over pages; without a truth, the number of relevant pages."""
    if truth is None:
        found = [
            Series(subject.name, look, [(point.pages, point.found) for point in subject.survey.curve])
            for subject, look in looks
        ]
        return line_chart("Relevant pages found", "pages fetched", "relevant pages", found, percent=False)
    total = max(truth.total, 1)
    recall = [
        Series(subject.name, look, [(point.pages, point.true / total) for point in subject.survey.curve])
        for subject, look in looks
    ]
    up = f"share of the web's {words.count(truth.total)} relevant pages"
    return line_chart("Recall over pages", "pages fetched", up, recall, percent=True)


def score_chart(counts: CrawlStatistics, threshold: float) -> Html:
    """Histogram of the relevance of the pages."""
    if counts.zeros:
        note = f"Not shown: {words.pages(counts.zeros)} with score 0, without any of the topic's words."
    else:
        note = "Every page contains some of the topic's words." if counts.pages else "No page was fetched."
    return histogram("Relevance of the pages", counts.scores, threshold, note)


def line_chart(title: str, across: str, up: str, series: Sequence[Series], *, percent: bool) -> Html:
    """Curves over pages, with a legend. Series without points are left out; if none has points, the chart says so."""
    series = [one for one in series if one.points]
    if not series:
        return figure(title, element("p", "No page was fetched.", class_="quiet"))
    x = scale(max(point[0] for one in series for point in one.points), whole=True, tight=True)
    y = scale(max(one.highest for one in series), percent=percent, whole=not percent)
    plot = line_plot(title, x, y, across, up, series)
    # The script fills it in: the page under the pointer, and the value of each curve there.
    reading = element(
        "p", lines(element("span", class_=look) for look in ("page", *(one.look for one in series))), class_="reading"
    )
    return figure(title, legend(series), element("div", plot, reading, class_="frame"))


def histogram(title: str, scores: Sequence[Sequence[int]], threshold: float, note: str) -> Html:
    """Histogram of the scores: relevant pages stacked on the others, with the threshold marked."""
    filled = max((number + 1 for number, counts in enumerate(scores) if any(counts)), default=0)
    if not filled:
        return figure(title, element("p", note, class_="quiet"))
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
    side = ("start", "0.5em") if threshold < x.end / 2 else ("end", "-0.5em")  # the side that has room for its label
    plot = element(
        "svg",
        axes(x, y, "relevance", "pages"),
        stretched(_bar(start / BINS, width / BINS, others, found, x, y) for start, others, found in bars),
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
    looks = legend((Series("relevant", "found", ()), Series("not relevant, or a duplicate", "others", ())))
    return figure(title, looks, element("div", plot, class_="frame"), element("p", note, class_="quiet"))


def _bar(start: float, width: float, others: int, found: int, x: Scale, y: Scale) -> Html:
    said = f"{start:.2f}-{start + width:.2f}: {words.pages(found + others)}, {words.count(found)} relevant"
    left, wide = INNER * (start + 0.06 * width) / x.end, INNER * 0.88 * width / x.end
    low, high = INNER * others / y.end, INNER * found / y.end
    shape = {"x": f"{left:.1f}", "width": f"{wide:.1f}"}
    return element(
        "g",
        element("title", said),
        element("rect", **shape, y=f"{INNER - low:.1f}", height=f"{low:.1f}", class_="others"),
        element("rect", **shape, y=f"{INNER - low - high:.1f}", height=f"{high:.1f}", class_="found"),
    )
