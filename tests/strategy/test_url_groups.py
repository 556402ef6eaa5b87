"""URLs in groups, against sets; and waiting URLs that are put before all others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.frontier import Frontier, Limit, Politeness, State
from honeyguide.strategy.queues.groups import UrlGroups
from honeyguide.strategy.queues.nominees import Nominees

from .readings import rows_of

FREE = Politeness(Limit(100, 0.0), Limit(100, 0.0), Limit(100, 0.0))
numbers = st.integers(0, 9) | st.sampled_from([127, 128, 300])  # few, so that they meet again
moves = st.lists(st.tuples(numbers, st.none() | st.integers(0, 4)), max_size=60)


@given(moves, st.integers(0, 59))
def test_groups_are_as_sets_and_the_same_after_a_restart(moves: list[tuple[int, int | None]], cut: int) -> None:
    groups, sets = UrlGroups("g"), dict[int, int]()
    kept: dict[str, bytes] = {}
    for order, (number, group) in enumerate(moves):
        if order == cut:
            kept |= dict(groups.dirty_state())
            again = UrlGroups("g")
            again.restore(kept, 301)
            assert [list(again[group]) for group in range(5)] == [list(groups[group]) for group in range(5)]
            groups = again
        if group is None:
            groups.remove(number)
            sets.pop(number, None)
        else:
            groups.put(np.array([number]), np.array([group]))
            sets[number] = group
    for group in range(5):
        assert sorted(groups[group]) == sorted(number for number, own in sets.items() if own == group)
    assert groups.filled() == sorted(set(sets.values()))


def test_the_last_of_a_group_takes_the_place_of_one_that_leaves() -> None:
    groups = UrlGroups("g")
    groups.put(np.array([1, 2, 3]), np.zeros(3, np.intp))
    groups.remove(1)
    assert list(groups[0]) == [3, 2]
    groups.remove(3)
    groups.remove(3)
    assert list(groups[0]) == [2]


def test_many_are_put_at_once_and_those_in_place_stay() -> None:
    groups = UrlGroups("g")
    groups.put(np.array([5, 6, 7]), np.array([1, 1, 2]))
    groups.put(np.array([7, 6, 8]), np.array([1, 1, 1]))
    assert (list(groups[1]), list(groups[2]), groups.filled()) == ([5, 6, 7, 8], [], [1])


# ---- nominees ----


def waiting(*promises: float) -> tuple[Frontier, Nominees]:
    """A frontier with the links of a seed, which was fetched."""
    frontier, nominees = Frontier(FREE), Nominees()
    frontier.offer("http://s.example/", 1.0)
    frontier.take(0.0)
    frontier.settle(0, State.DONE, 0.0)
    urls = [f"http://s.example/{place}" for place in range(1, len(promises) + 1)]
    nominees.offer_links(frontier, 0, urls, np.array(promises))
    return frontier, nominees


def taken(frontier: Frontier, most: int = 9) -> list[int]:
    return frontier.take(0.0, most)


def test_nominees_come_first_in_their_order_then_the_others_by_their_promises() -> None:
    frontier, nominees = waiting(0.2, 0.9, 0.4, 1.0)
    nominees.choose(frontier, [3, 1])
    assert frontier.urls.priority(4) == 0.5
    assert taken(frontier) == [3, 1, 4, 2]


def test_a_seed_is_before_every_nominee() -> None:
    frontier, nominees = waiting(0.2, 0.9)
    frontier.offer("http://t.example/", 1.0)
    nominees.choose(frontier, [1, 2])
    assert taken(frontier) == [3, 1, 2]


def test_former_nominees_go_back_to_what_they_promise_by_now() -> None:
    frontier, nominees = waiting(0.2, 0.9, 0.4, 0.6)
    nominees.choose(frontier, [1, 3])
    nominees.change(frontier, 3, 0.5)
    nominees.change(frontier, 4, 0.1)
    nominees.choose(frontier, [1])
    assert [nominees.promise(frontier, number) for number in (1, 2, 3, 4)] == pytest.approx([0.2, 0.9, 0.5, 0.1])
    assert taken(frontier) == [1, 2, 3, 4]


def test_what_a_redirect_leads_to_waits_with_the_priority_of_a_nominee_and_promises_no_more_than_1() -> None:
    frontier, nominees = waiting(0.2, 0.9)
    nominees.choose(frontier, [1])
    assert taken(frontier, 1) == [1]
    frontier.settle(1, State.DONE, 0.0)
    target = frontier.offer("http://t.example/", frontier.urls.priority(1), 1, 1)
    assert nominees.promise(frontier, target) == 1.0
    nominees.choose(frontier, [2, target])
    nominees.choose(frontier, [2])
    assert frontier.urls.priority(target) == 0.5


def test_a_nominee_that_is_put_back_is_put_back() -> None:
    frontier, nominees = waiting(0.2, 0.9)
    nominees.choose(frontier, [1])
    assert taken(frontier, 1) == [1]
    nominees.choose(frontier, [])
    frontier.withdraw(1, 0.0)
    nominees.choose(frontier, [])
    assert frontier.urls.priority(1) == pytest.approx(0.1)
    assert taken(frontier) == [2, 1]


def test_of_several_links_the_most_promising_counts() -> None:
    frontier, nominees = waiting(0.2, 0.9, 0.4)
    frontier.offer("http://t.example/", 1.0)
    nominees.choose(frontier, [2])
    urls = [f"http://s.example/{place}" for place in (1, 2, 3, 9)] + ["http://t.example/", "http://s.example/"]
    places, numbers = nominees.offer_links(frontier, 3, urls, np.array([0.1, 0.95, 0.5, 0.3, 1.0, 1.0]))
    assert (places, numbers.tolist()) == ([1, 2, 3], [2, 3, 5])
    assert [nominees.promise(frontier, number) for number in (1, 2, 3, 5)] == pytest.approx([0.2, 0.95, 0.5, 0.3])
    assert frontier.urls.depth(5) == 2


def test_nominees_are_known_after_a_restart() -> None:
    frontier, nominees = waiting(0.2, 0.9, 0.4)
    nominees.choose(frontier, [3, 1])
    again, other = Frontier(FREE), Nominees()
    again.restore(rows_of(frontier))
    other.restore(dict(nominees.dirty_state()))
    other.choose(again, [2])
    assert again.urls.priorities(np.arange(1, 4)).tolist() == pytest.approx([0.1, 0.75, 0.2])
