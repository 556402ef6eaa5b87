"""Why a URL has its priority: the contributions of features, and the importance estimated from links."""

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
    """Restore the frontier of a crawl, as for resuming it. This takes seconds for a million URLs."""
    frontier = Frontier(politeness(crawl.topic.fetch, crawl.topic.scope))
    frontier.restore(crawl.url_rows())
    return frontier


def explain_url(crawl: Crawl, url: str, frontier: Frontier | None = None) -> Sequence[tuple[str, float]]:
    """The evidence for and against a URL of a crawl, the largest contribution first; empty for simple strategies.

    The state of the strategy is restored as for resuming the crawl, and so is the `frontier`, unless it is given.
    Raises `PluginError` if the strategy fails.
    """
    name = crawl.topic.strategy.name
    home = folder_of(crawl.path, crawl.query, str(crawl.url_rules.canonical(url)))
    with plugin_errors("strategy", name, url, passing=(HoneyguideError,)):
        if home == crawl.path:
            return _parts(crawl, url, strategy_named(name).queue(), frontier)
        with Crawl.open(home) as shard:  # the shard has its state and its number
            return _parts(shard, url, strategy_named(name).queue(), None)


def importance_of(crawl: Crawl, url: str, frontier: Frontier | None = None) -> float | None:
    """The importance of a page by the links to it, from 0 to 1; None if the strategy does not estimate it.

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
        return ()  # unknown, or a seed, which was not chosen by the strategy
    return sorted(queue.parts(frontier, number), key=lambda part: -abs(part[1]))
