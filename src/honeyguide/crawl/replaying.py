"""Tools for replaying an earlier crawl: a frontier in which no host rests, and taking a given URL."""

from __future__ import annotations

from math import inf

from honeyguide.frontier import Frontier, Limit, Merge, Politeness

_NO_LIMIT = Limit(1, 0.0)


def unlimited_frontier(merge: Merge) -> Frontier:
    """Make a frontier in which no host rests, since all requests have been made."""
    return Frontier(Politeness(_NO_LIMIT, _NO_LIMIT, _NO_LIMIT, 0), merge)


def take_number(frontier: Frontier, number: int, now: float) -> None:
    """Take a given URL from such a frontier, even if it is not the best, or was settled and then fetched again."""
    if not frontier.urls.is_waiting(number):
        frontier.reopen(number)
    priority = frontier.urls.priority(number)
    frontier.change(number, inf)
    taken = frontier.take(now)
    assert taken == [number]
    frontier.change_in_flight(number, priority)
