"""Why a crawl went to a page: the way from a seed, with every score on it."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.errors import InputError
from honeyguide.frontier import NO_PARENT, State
from honeyguide.store.crawl import Crawl


@dataclass(frozen=True, slots=True)
class PathStep:
    """A URL on the way to a page."""

    url: str
    state: State
    priority: float
    """What it promised when it was taken, or promises while it waits."""
    relevance: float | None
    """What it turned out to be worth; None when it was not read."""
    title: str
    redirected: bool
    """Whether the step before led here by a redirect instead of a link."""


def path_to(crawl: Crawl, url: str) -> list[PathStep]:
    """The steps from a seed to a URL, in any spelling. Raises `InputError` for a URL the crawl never met."""
    canonical = crawl.url_rules.canonical(url)
    # The index is of what was fetched; only a URL that was not makes it look through all of them.
    sql = "SELECT id FROM urls WHERE url = ? AND state = 2 UNION ALL SELECT id FROM urls WHERE url = ? AND state <> 2"
    found = next(crawl.query(sql, canonical, canonical), None)
    if found is None:
        raise InputError(url, f"was never met by {crawl.path}", "check its spelling, or crawl further")
    (number,) = found
    steps = []
    while number != NO_PARENT:
        sql = (
            "SELECT url, state, urls.priority, parent, pages.relevance, pages.title, "
            "EXISTS (SELECT 1 FROM redirects WHERE source = parent AND target = urls.id) "
            "FROM urls LEFT JOIN pages USING (id) WHERE urls.id = ?"
        )
        ((address, state, priority, parent, relevance, title, redirected),) = crawl.query(sql, number)
        steps.append(PathStep(address, State(state), priority, relevance, title or "", bool(redirected)))
        number = parent
    return steps[::-1]
