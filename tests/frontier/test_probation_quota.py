"""Hosts on probation: a share of what others get, all of it when nobody else is there, and never past any limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.frontier import Frontier, Limit, Politeness, State

FREE = Limit(1_000_000, 0.0)


def frontier_of(share: float, doubtful: int, others: int, *, host: Limit = FREE) -> Frontier:
    """Hosts on probation whose URLs are the best, and other hosts."""
    frontier = Frontier(Politeness(host, FREE, FREE, probation=share))
    for number in range(doubtful):
        frontier.offer(f"http://d{number}.doubtful.example/", 1.0)
        frontier.set_probation(frontier.host_number(f"d{number}.doubtful.example"), True)
    for number in range(others):
        frontier.offer(f"http://o{number}.example/", 0.1)
    return frontier


def order(frontier: Frontier) -> str:
    """The first letters of the hosts, in the order in which they are taken and settled, one at a time."""
    letters, now = "", 0.0
    while (time := frontier.next_time()) is not None:
        now = max(now, time)
        for number in frontier.take(now):
            letters += frontier.urls.host_name(number)[0]
            frontier.settle(number, State.DONE, now)
    return letters


def test_they_get_a_share_while_there_are_others_and_then_everything() -> None:
    assert order(frontier_of(0.25, 6, 8)) == "d" + "oooo" + "d" + "oooo" + "d" + "ddd"


def test_without_a_share_they_come_last() -> None:
    letters = order(frontier_of(0.0, 4, 4))
    assert letters.lstrip("d") == "oooo" + "ddd"  # the first was free


def test_a_share_is_not_saved_up_for_a_crowd() -> None:
    frontier = frontier_of(1.0, 0, 100)
    assert len(frontier.take(0.0, 100)) == 100
    for number in range(50):
        frontier.offer(f"http://d{number}.doubtful.example/", 1.0)
        frontier.set_probation(frontier.host_number(f"d{number}.doubtful.example"), True)
    assert len(frontier.take(0.0, 100)) == 4


def test_they_wait_for_hosts_that_rest_a_moment_but_not_for_an_hour() -> None:
    frontier = frontier_of(0.0, 2, 1)
    (first,) = frontier.take(0.0)
    frontier.settle(first, State.DONE, 0.0)
    other = frontier.host_number("o0.example")
    frontier.rest(other, 30.0)
    assert frontier.take(0.0) == []
    assert frontier.next_time() == 30.0
    frontier.rest(other, 3600.0)
    (second,) = frontier.take(30.0)
    assert frontier.urls.host_name(second).startswith("d")


def test_they_wait_for_what_is_under_way() -> None:
    frontier = frontier_of(0.0, 2, 1)
    (free,) = frontier.take(0.0)
    frontier.settle(free, State.DONE, 0.0)
    (other,) = frontier.take(0.0)
    assert frontier.take(0.0) == []
    frontier.settle(other, State.DONE, 0.0)
    assert len(frontier.take(0.0)) == 1


def test_a_url_that_is_withdrawn_earns_them_nothing() -> None:
    frontier = frontier_of(0.5, 4, 2)
    (free,) = frontier.take(0.0)
    frontier.settle(free, State.DONE, 0.0)
    for _ in range(20):
        (other,) = frontier.take(0.0)
        assert frontier.urls.host_name(other).startswith("o")
        frontier.withdraw(other, 0.0)


def test_a_host_whose_probation_ends_is_like_any_other() -> None:
    frontier = frontier_of(0.0, 3, 1)
    (free,) = frontier.take(0.0)
    frontier.settle(free, State.DONE, 0.0)
    frontier.set_probation(frontier.host_number("d2.doubtful.example"), False)
    (taken,) = frontier.take(0.0)
    assert frontier.urls.host_name(taken) == "d2.doubtful.example"


@given(
    share=st.sampled_from([0.0, 0.05, 0.25, 1.0]),
    doubtful=st.integers(0, 12),
    others=st.integers(0, 12),
    delay=st.sampled_from([0.0, 1.0]),
)
def test_everything_is_taken_in_the_end_and_no_more_than_the_share_before(
    share: float, doubtful: int, others: int, delay: float
) -> None:
    frontier = frontier_of(share, doubtful, others, host=Limit(1, delay))
    for number in range(others):
        frontier.offer(f"http://o{number}.example/more", 0.1)
    letters = order(frontier)
    assert sorted(letters) == ["d"] * doubtful + ["o"] * 2 * others
    for place, letter in enumerate(letters):
        if letter == "d" and "o" in letters[place:]:
            assert letters[:place].count("d") <= share * letters[:place].count("o") + 1
