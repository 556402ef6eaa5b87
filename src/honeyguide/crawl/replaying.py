"""What going through an earlier crawl again needs: a frontier in which nothing rests, and URLs taken by name."""

from __future__ import annotations

from math import inf

from honeyguide.frontier import Frontier, Limit, Merge, Politeness

_NO_LIMIT = Limit(1, 0.0)


def unlimited_frontier(merge: Merge) -> Frontier:
    """A frontier in which no host rests: all requests have been made."""
    return Frontier(Politeness(_NO_LIMIT, _NO_LIMIT, _NO_LIMIT, 0), merge)


def take_number(frontier: Frontier, number: int, now: float) -> None:
    """Take this URL from such a frontier, whichever is the best; even one that was settled, as it was fetched again."""
    if not frontier.urls.is_waiting(number):
        frontier.reopen(number)
    priority = frontier.urls.priority(number)
    frontier.change(number, inf)
    taken = frontier.take(now)
    assert taken == [number]
    frontier.change_in_flight(number, priority)
