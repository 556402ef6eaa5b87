"""Why a crawl fetched a page: the path from a seed to it, with the scores along the path."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.errors import HoneyguideError, InputError
from honeyguide.frontier import NO_PARENT, State
from honeyguide.store.connection import FILE, repairable
from honeyguide.store.crawl import Crawl


@dataclass(frozen=True, slots=True)
class PathStep:
    """A URL on the path to a page."""

    url: str
    state: State
    priority: float
    """Its priority when it was taken, or its current one while it waits."""
    relevance: float | None
    """Its relevance score; None when it was not read."""
    title: str
    redirected: bool
    """Whether the previous step led here by a redirect instead of a link."""


def path_to(crawl: Crawl, url: str) -> list[PathStep]:
    """The steps from a seed to a URL, in any spelling. Raises `InputError` for a URL that the crawl has not found."""
    canonical = crawl.url_rules.canonical(url)
    # The index covers fetched URLs only; the whole table is scanned only for a URL that was not fetched.
    sql = "SELECT id FROM urls WHERE url = ? AND state = 2 UNION ALL SELECT id FROM urls WHERE url = ? AND state <> 2"
    found = next(crawl.query(sql, canonical, canonical), None)
    if found is None:
        raise InputError(url, f"was not found in {crawl.path}", "check its spelling, or continue the crawl")
    (number,) = found
    steps = []
    while number != NO_PARENT:
        sql = (
            "SELECT url, state, urls.priority, parent, pages.relevance, pages.title, "
            "EXISTS (SELECT 1 FROM redirects WHERE source = parent AND target = urls.id) "
            "FROM urls LEFT JOIN pages USING (id) WHERE urls.id = ?"
        )
        ((address, state, priority, parent, relevance, title, redirected),) = crawl.query(sql, number)
        if not isinstance(parent, int) or not NO_PARENT <= parent < number:  # a parent is found before its children
            raise HoneyguideError(repairable(crawl.path / FILE, f"the parent of {address} is not what a crawl writes"))
        steps.append(PathStep(address, State(state), priority, relevance, title or "", bool(redirected)))
        number = parent
    return steps[::-1]
