"""What waits, and the seeds."""

from __future__ import annotations

from collections.abc import Sequence

from honeyguide.dashboard.census import Census
from honeyguide.dashboard.host_list import ListedHost
from honeyguide.dashboard.views.charts import promises
from honeyguide.dashboard.views.frame import host_link, outside_link, page_link, score
from honeyguide.document import words
from honeyguide.document.markup import Html, element, html, lines
from honeyguide.document.page import section, shortened, table

_COUNTING = "The URLs of the crawl are being counted. Reload in a moment."
_LONGEST_REASON = 300


def waiting_view(census: Census | None, hosts: Sequence[ListedHost]) -> list[Html]:
    """What waits: by promise, by host, and the best of it."""
    if census is None:
        return [element("h1", "Waiting"), element("p", _COUNTING, class_="empty")]
    best = [
        [
            html(outside_link(one.url)),
            f"{one.priority:.3f}",
            words.count(one.depth),
            element("a", "found here", href=f"/page/{one.parent}") if one.parent >= 0 else "seed",
        ]
        for one in census.best
    ]
    parts = [element("h1", "Waiting"), promises(census)]
    waiting = [host for host in hosts if host.row.waiting]
    if waiting:
        cells = [
            [
                host_link(host.row.id, host.row.name),
                words.count(host.row.waiting),
                f"{host.row.promise:.3f}",
                words.share(host.row.found, host.row.pages),
            ]
            for host in waiting
        ]
        parts.append(section("By host", table(("Host", "Waiting", "Best promise", "Success so far"), cells)))
    if best:
        parts.append(section("Most promising", table(("URL", "Promise", "Links from a seed", "Where"), best)))
    return parts


def seeds_view(census: Census | None, controls: Html) -> list[Html]:
    """The seeds, and what became of each."""
    if census is None:
        return [element("h1", "Seeds"), element("p", _COUNTING, class_="empty"), controls]
    rows = []
    for seed in census.seeds:
        if seed.page is not None:
            said = html("read: ", page_link(seed.page, seed.title, seed.url))
        else:
            said = html(shortened(seed.text, _LONGEST_REASON) or "it is a list of pages")
        look = "bad" if seed.is_bad else "other"
        rows.append(
            element(
                "li",
                score(seed.relevance),
                element("div", outside_link(seed.url), class_="title"),
                element("div", said, class_="about-row"),
                class_=look,
            )
        )
    counts = (
        f"{len(census.seeds):,} seeds, {sum(seed.page is not None for seed in census.seeds):,} of them read as pages."
    )
    return [
        element("h1", "Seeds"),
        element("p", counts, class_="quiet"),
        element("ol", lines(rows), class_="rows"),
        controls,
    ]
