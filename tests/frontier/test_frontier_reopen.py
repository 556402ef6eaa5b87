"""A URL that was settled waits again, when what should have followed from it did not happen."""

from __future__ import annotations

import pytest

from honeyguide.frontier import Frontier, Limit, Politeness, State

HOME, OTHER = "http://a.example/", "http://a.example/other"
AT_ONCE = Limit(10, 0.0)


@pytest.mark.parametrize("state", [State.DONE, State.FAILED, State.REFUSED])
def test_it_can_be_taken_once_more_and_counts_once(state: State) -> None:
    frontier = Frontier(Politeness(AT_ONCE, AT_ONCE, AT_ONCE, pages_per_host=2))
    first, second, third = (frontier.offer(url, 0.5) for url in (HOME, OTHER, f"{OTHER}/2"))
    assert frontier.take(0.0) == [first]
    frontier.settle(first, state, 0.0)
    frontier.reopen(first)
    assert frontier.urls.state(first) == State.WAITING
    assert frontier.count(State.WAITING) == 3
    # Two pages may be taken from the host, and the one that was reopened has not used up any of them.
    assert frontier.take(0.0, 10) == [first, second]
    assert frontier.urls.state(third) == State.WAITING


def test_it_can_be_taken_once_more_from_a_host_that_had_all_its_pages() -> None:
    frontier = Frontier(Politeness(AT_ONCE, AT_ONCE, AT_ONCE, pages_per_host=1))
    number = frontier.offer(HOME, 0.5)
    assert frontier.take(0.0) == [number]
    frontier.settle(number, State.FAILED, 0.0)
    frontier.reopen(number)
    assert frontier.take(0.0) == [number]
