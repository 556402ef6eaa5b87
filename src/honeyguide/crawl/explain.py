"""Why a URL has the priority it has: the contributions that its strategy added up, and what it estimates besides."""

from __future__ import annotations

from collections.abc import Sequence

from honeyguide.crawl.frontier_for import politeness
from honeyguide.errors import HoneyguideError, plugin_errors
from honeyguide.frontier import Frontier
from honeyguide.store.crawl import Crawl
from honeyguide.store.whole import folder_of
from honeyguide.strategy.queues.base import ExplainingQueue, ImportanceQueue, Queue
from honeyguide.strategy.registry import strategy_named


def restored_frontier(crawl: Crawl) -> Frontier:
    """The frontier of a crawl, as when the crawl is resumed, which takes seconds for a million URLs."""
    frontier = Frontier(politeness(crawl.topic.fetch, crawl.topic.scope))
    frontier.restore(crawl.url_rows())
    return frontier


def explain_url(crawl: Crawl, url: str, frontier: Frontier | None = None) -> Sequence[tuple[str, float]]:
    """The evidence for and against a URL of a crawl, the largest contribution first; empty for simple strategies.

    The state of the strategy is restored as when the crawl is resumed; the `frontier` too, unless it is given.
    Raises `PluginError` if the strategy fails.
    """
    name = crawl.topic.strategy.name
    home = folder_of(crawl.path, crawl.query, str(crawl.url_rules.canonical(url)))
    with plugin_errors("strategy", name, url, passing=(HoneyguideError,)):
        if home == crawl.path:
            return _parts(crawl, url, strategy_named(name).queue(), frontier)
        with Crawl.open(home) as shard:  # what is known of it is there, and so is its number
            return _parts(shard, url, strategy_named(name).queue(), None)


def importance_of(crawl: Crawl, url: str, frontier: Frontier | None = None) -> float | None:
    """How important a page of a crawl is by its links, from 0 to 1; None if its strategy does not estimate that.

    State is restored as in `explain_url`. Raises `PluginError` if the strategy fails.
    """
    name = crawl.topic.strategy.name
    with plugin_errors("strategy", name, url, passing=(HoneyguideError,)):
        queue = strategy_named(name).queue()
        if not isinstance(queue, ImportanceQueue):
            return None
        frontier = frontier or restored_frontier(crawl)
        queue.restore(frontier, _steering(crawl))
        number = frontier.urls.find(str(crawl.url_rules.canonical(url)))
        return None if number is None else queue.importance(frontier, number)


def _steering(crawl: Crawl) -> dict[str, bytes]:
    return dict(crawl.query("SELECT name, value FROM steering"))


def _parts(crawl: Crawl, url: str, queue: Queue, frontier: Frontier | None) -> Sequence[tuple[str, float]]:
    if not isinstance(queue, ExplainingQueue):
        return ()
    frontier = frontier or restored_frontier(crawl)
    queue.restore(frontier, _steering(crawl))
    number = frontier.urls.find(str(crawl.url_rules.canonical(url)))
    if number is None or not frontier.urls.depth(number):
        return ()  # unknown, or a seed, which no strategy chose
    return sorted(queue.parts(frontier, number), key=lambda part: -abs(part[1]))
