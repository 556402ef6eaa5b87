"""The frontier of a crawl, according to the settings of its topic."""

from __future__ import annotations

from math import inf

from honeyguide.fetch.settings import FetchSettings
from honeyguide.frontier import Frontier, Limit, Politeness, Reservation
from honeyguide.page.settings import ScopeSettings
from honeyguide.strategy.queues.base import Queue
from honeyguide.topic import Topic


def frontier_for(topic: Topic, queue: Queue, limits: Politeness | None = None) -> Frontier:
    """Make the frontier of a crawl. With explicit `limits`, no host rests, so it never waits for better URLs."""
    budget = topic.budget
    return Frontier(
        limits or politeness(topic.fetch, topic.scope),
        queue.merge,
        queue.rank,
        Reservation(budget.haste if limits is None else 1.0),
        budget.min_promise or -inf,
    )


def politeness(fetch: FetchSettings, scope: ScopeSettings) -> Politeness:
    """The limits of a frontier."""
    return Politeness(
        host=Limit(fetch.per_host, fetch.delay),
        domain=Limit(fetch.per_domain, fetch.domain_delay),
        ip=Limit(fetch.per_ip, fetch.ip_delay),
        slow=Limit(max(1, fetch.connections // 4), 0.0),
        pages_per_host=scope.pages_per_host,
        probation=scope.probation,
    )
