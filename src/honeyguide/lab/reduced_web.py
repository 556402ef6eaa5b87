"""Removes pages from a web, to serve as unlabelled examples that no crawl of the web can reach."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence

from honeyguide.errors import InputError
from honeyguide.fetch.base import Response
from honeyguide.lab.web import VirtualWeb
from honeyguide.lab.web_graph import WebGraph

MOST = 0.05
"""Maximum share of the reachable pages that may be removed, so that the web stays representative."""


class ReducedWeb:
    """A web of which some pages are hidden."""

    def __init__(self, web: VirtualWeb, hidden: Collection[str]) -> None:
        self._web = web
        self._hidden = hidden
        self.name = web.name
        names = "\n".join(sorted(hidden))
        self.digest = f"{web.digest} without {hashlib.sha256(names.encode()).hexdigest()[:16]}"
        self.notes = web.notes

    def __len__(self) -> int:
        return len(self._web) - len(self._hidden)

    def __contains__(self, url: str) -> bool:
        return url not in self._hidden and url in self._web

    def urls(self) -> Iterator[str]:
        """All remaining URLs, in the order of the web."""
        return (url for url in self._web.urls() if url not in self._hidden)

    def response(self, url: str) -> Response | None:
        """The response of the web; None for a hidden page."""
        return None if url in self._hidden else self._web.response(url)


def taken_out(
    graph: WebGraph, order: Sequence[str], seeds: Sequence[str], kept: Collection[str], number: int
) -> list[str]:
    """Choose pages to remove: first those that a crawl from the seeds cannot reach, then others in the given order.

    Args:
        graph: The graph of the web.
        order: The pages of the web, in a random order.
        seeds: Where the crawl starts.
        kept: Pages that stay in the web.
        number: How many pages are needed.

    Raises:
        InputError: More than a small part (`MOST`) of the pages that can be reached would be needed.
    """
    reached = graph.closure((graph.number[seed] for seed in seeds), len(graph.urls))
    free = [url for url in order if url not in kept]
    beyond = [url for url in free if graph.number[url] not in reached]
    inside = [url for url in free if graph.number[url] in reached]
    found = [*beyond, *inside[: int(MOST * len(reached))]][:number]
    if len(found) < number:
        problem = f"only {len(found):,} pages can be set aside without changing the web much, not {number:,}"
        raise InputError(
            "--unlabelled", problem, "write 0: models then learn from the crawl's own pages, as in a live crawl"
        )
    return found
