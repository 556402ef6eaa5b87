"""What can be seen of a frontier: cases worked by hand. The state machine sees to it that it is what was done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from honeyguide.frontier import NO_PARENT, Frontier, HostState, Limit, Politeness, State, UrlView

NONE = np.empty(0, np.intp)


def test_the_way_back_to_a_seed() -> None:
    frontier = Frontier()
    seed = frontier.offer("https://a.org/", 1.0)
    page = frontier.offer("https://a.org/1", 1.0, seed, 1)
    deep = frontier.offer("https://b.org/", 1.0, page, 100_000)
    assert list(frontier.urls.ancestors(deep)) == [page, seed]
    assert list(frontier.urls.ancestors(seed)) == []
    assert frontier.urls.depth(deep) == 0xFFFF
    assert frontier.urls.depths(np.array([deep, page])).tolist() == [0xFFFF, 1]


def test_siblings_have_a_parent_in_common_and_not_consecutive_numbers() -> None:
    # Two pages come in at the same time, and their links in turns, as from several readers or shards. /1 was found by
    # the first page, and stays its child; a redirect's target is the child of what redirected to it.
    frontier = Frontier()
    first, second = frontier.offer("https://a.org/", 1.0), frontier.offer("https://b.org/", 1.0)
    for link in range(1, 7):
        frontier.offer(f"https://c.org/{link}", 0.5, (first, second)[link % 2], 1)
    frontier.offer("https://c.org/1", 0.9, first, 1)
    target = frontier.offer("https://d.org/", 0.5, first + 2, 1)
    urls = frontier.urls
    assert urls.children(second) == [2, 4, 6]
    assert urls.children(first) == [3, 5, 7]
    assert urls.siblings(5) == [3, 7]
    assert urls.siblings(3, within=1) == [5]
    assert urls.siblings(7, within=1) == [5]
    assert urls.children(2) == [target]
    assert urls.siblings(target) == []
    assert urls.siblings(first) == urls.siblings(second) == urls.children(NO_PARENT) == []


def test_what_is_returned_is_the_callers() -> None:
    frontier = Frontier()
    seed = frontier.offer("https://a.org/", 1.0)
    page = frontier.offer("https://a.org/1", 0.5, seed, 1)
    urls, numbers = frontier.urls, np.array([seed, page])
    urls.children(seed).clear()
    seen = (urls.states(numbers), urls.priorities(numbers), urls.depths(numbers), urls.hosts(numbers))
    for values in seen:
        values[:] = 3
    frontier.offer("https://a.org/2", 0.5, seed, 1)  # which could not be added while somebody held on to an array
    assert urls.children(seed) == [page, page + 1]
    assert [urls.priority(number) for number in range(3)] == [1.0, 0.5, 0.5]


@pytest.mark.parametrize("many", [UrlView.states, UrlView.priorities, UrlView.depths, UrlView.hosts, UrlView.parents])
def test_nothing_is_asked_of_nothing(many: Callable[[UrlView, Any], Any]) -> None:
    assert many(Frontier().urls, NONE).tolist() == []


def test_only_what_waits_is_waiting() -> None:
    frontier = Frontier(Politeness(Limit(9, 0.0), Limit(9, 0.0), Limit(9, 0.0)))
    for page in range(3):
        frontier.offer(f"https://a.org/{page}", 1.0)
    assert frontier.take(0.0, most=2) == [0, 1]
    frontier.settle(0, State.DONE, 0.0)
    numbers = np.arange(3)
    assert [frontier.urls.is_waiting(number) for number in range(3)] == [False, False, True]
    assert numbers[frontier.urls.states(numbers) == State.WAITING].tolist() == [2]


def test_hosts_by_state_and_by_time() -> None:
    frontier = Frontier(Politeness(Limit(1, 2.0), Limit(9, 0.0), Limit(9, 0.0)))
    for name in ("busy", "rests", "rests", "ready"):
        frontier.offer(f"https://{name}.org/{len(frontier)}", 1.0 - len(frontier) / 10)
    idle = frontier.host_number("idle.org")
    busy, rests = frontier.take(1.0, most=2)
    frontier.settle(rests, State.DONE, 1.5)
    assert frontier.hosts.states() == dict.fromkeys(HostState, 1)
    names = [frontier.hosts.name(host) for host in frontier.hosts.numbers()]
    assert names == ["busy.org", "rests.org", "ready.org", "idle.org"]
    assert [frontier.hosts.next_time(host) for host in frontier.hosts.numbers()] == [3.0, 3.5, 0.0, 0.0]
    frontier.rest(idle, 9.0)
    frontier.rest(idle, 4.0)  # less is nothing
    assert frontier.hosts.next_time(idle) == 9.0
    assert frontier.urls.host_name(busy) == "busy.org"
