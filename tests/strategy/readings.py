"""Readings made by hand, for queues that are tested without pages."""

from __future__ import annotations

from collections.abc import Mapping

from honeyguide.frontier import Frontier, Row
from honeyguide.strategy.link_table import NO_LINKS, LinkTable, link_table
from honeyguide.strategy.reading import Reading


def reading(
    relevance: float, links: LinkTable | Mapping[str, float] = NO_LINKS, *, relevant: bool | None = None
) -> Reading:
    """A page worth so much, with these links; relevant from one half on."""
    table = links if isinstance(links, LinkTable) else link_table(links)
    is_relevant = relevance >= 0.5 if relevant is None else relevant
    return Reading("", "", 0, b"", relevance, is_relevant, False, table)


def rows_of(frontier: Frontier) -> list[Row]:
    """All URLs of a frontier as they would be saved."""
    urls = frontier.urls
    return [
        (urls.url(n), urls.priority(n), int(urls.state(n)), urls.parent(n), urls.depth(n), urls.attempts(n))
        for n in range(len(urls))
    ]
