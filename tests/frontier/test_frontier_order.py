"""Which URL is next: keys, equals, rules of merging, and hand-worked cases of hosts behind shared gates."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from honeyguide.frontier import NO_PARENT, Frontier, Limit, Merge, Politeness, State
from honeyguide.frontier.keys import sort_key, sort_keys

FREE = Limit(100, 0.0)
floats = st.floats(allow_nan=False)
numbers = st.integers(0, 2**32 - 1)


@given(floats, floats, numbers, numbers)
@example(0.0, -0.0, 1, 0)
@example(5e-324, -5e-324, 0, 0)
@example(float("inf"), 1.7976931348623157e308, 1, 0)
@example(float("-inf"), -1.7976931348623157e308, 0, 1)
def test_keys_sort_by_priority_downwards_then_by_number(a: float, b: float, first: int, second: int) -> None:
    assert (sort_key(a, first) < sort_key(b, second)) == ((-a, first) < (-b, second))
    assert (sort_key(a, first) == sort_key(b, second)) == ((a, first) == (b, second))


@given(st.lists(st.tuples(floats, numbers)))
@example([(0.0, 1), (-0.0, 2)])
def test_keys_made_at_once_are_those_made_one_by_one(offers: list[tuple[float, int]]) -> None:
    made = sort_keys([priority for priority, _ in offers], [number for _, number in offers])
    assert made == [sort_key(priority, number) for priority, number in offers]


@given(floats, numbers)
def test_a_key_tells_its_number(priority: float, number: int) -> None:
    assert sort_key(priority, number) & 0xFFFFFFFF == number


@given(st.lists(st.sampled_from([-1.5, -0.0, 0.0, 0.5, float("inf")]), max_size=30), st.integers(1, 5))
def test_best_first_and_equals_in_the_order_of_their_first_offer(priorities: list[float], hosts: int) -> None:
    frontier = Frontier(Politeness(FREE, FREE, FREE))
    for number, priority in enumerate(priorities):
        frontier.offer(f"https://h{number % hosts}.org/{number}", priority)
    expected = sorted(range(len(priorities)), key=lambda number: (-priorities[number], number))
    assert frontier.take(0.0, most=len(priorities)) == expected


@given(
    st.lists(st.sampled_from([-1.5, -0.0, 0.0, 0.5]), max_size=30),
    st.lists(numbers, min_size=30, max_size=30),
    st.integers(1, 5),
    st.booleans(),
)
def test_best_first_and_equals_by_their_rank(
    priorities: list[float], ranks: list[int], hosts: int, again: bool
) -> None:
    def rank(url: str, number: int) -> int:
        assert url.endswith(f"/{number}")
        return ranks[number]

    frontier = Frontier(Politeness(FREE, FREE, FREE), rank=rank)
    for number in range(len(priorities)):
        frontier.offer(f"https://h{number % hosts}.org/{number}", 7.0)
    for number, priority in enumerate(priorities):
        frontier.change(number, priority)
    if again:  # as after a restart
        rows = [row[1:] for row in frontier.dirty_rows().new]
        frontier = Frontier(Politeness(FREE, FREE, FREE), rank=rank)
        frontier.restore(rows)
    expected = sorted(range(len(priorities)), key=lambda number: (-priorities[number], ranks[number], number))
    assert frontier.take(0.0, most=len(priorities)) == expected


@pytest.mark.parametrize(
    ("merge", "second", "expected"),
    [(Merge.MAX, 1.0, 2.0), (Merge.MAX, 3.0, 3.0), (Merge.REPLACE, 1.0, 1.0), (Merge.ADD, 1.0, 3.0),
     (Merge.FIRST, 1.0, 2.0), (Merge.FIRST, 3.0, 2.0)],
)  # fmt: skip
def test_a_second_offer_is_merged_by_the_rule(merge: Merge, second: float, expected: float) -> None:
    frontier = Frontier(merge=merge)
    number = frontier.offer("https://a.org/", 2.0, depth=1)
    assert frontier.offer("https://a.org/", second, parent=7, depth=9) == number
    assert list(frontier.dirty_rows().new) == [(number, "https://a.org/", expected, State.WAITING, NO_PARENT, 1, 0)]


def test_an_offer_of_what_is_under_way_or_done_changes_nothing() -> None:
    frontier = Frontier(merge=Merge.REPLACE)
    number = frontier.offer("https://a.org/", 2.0)
    assert frontier.take(0.0) == [number]
    frontier.offer("https://a.org/", 9.0)
    frontier.settle(number, State.DONE, 1.0)
    frontier.offer("https://a.org/", 9.0)
    assert frontier.urls.priority(number) == 2.0
    assert frontier.urls.state(number) is State.DONE
    assert frontier.next_time() is None


def test_a_host_that_allows_two_at_once_is_asked_twice() -> None:
    frontier = Frontier(Politeness(Limit(2, 0.0), FREE, FREE))
    for page in range(3):
        frontier.offer(f"https://a.org/{page}", 1.0)
    assert frontier.take(0.0, most=3) == [0, 1]
    frontier.settle(0, State.DONE, 0.0)
    assert frontier.take(0.0) == [2]


def test_a_lowered_url_gives_way_to_a_better_one_behind_the_same_gate() -> None:
    frontier = Frontier(Politeness(FREE, Limit(1, 1.0), FREE))
    first, falls, better = (frontier.offer(f"https://{name}.x.org/", 9.0 - n) for n, name in enumerate("abc"))
    assert frontier.take(0.0, most=3) == [first]  # the domain's gate is shut for the two others
    frontier.change(falls, 0.0)
    frontier.settle(first, State.DONE, 0.0)
    assert frontier.next_time() == 1.0
    assert frontier.take(1.0) == [better]


def test_what_gets_better_while_it_is_parked_is_next() -> None:
    frontier = Frontier(Politeness(FREE, Limit(1, 1.0), FREE))
    first, second, third = (frontier.offer(f"https://{name}.x.org/", 9.0 - n) for n, name in enumerate("abc"))
    assert frontier.take(0.0) == [first]
    frontier.settle(first, State.DONE, 0.0)
    assert frontier.take(0.0) == []
    assert frontier.next_time() == 1.0
    assert frontier.take(1.0, most=0) == []  # the gate opens for the second
    frontier.change(third, 10.0)
    assert frontier.take(1.0) == [third]
    assert frontier.urls.state(second) is State.WAITING


def test_a_gate_opens_for_the_next_host_when_the_first_is_held_up_at_another() -> None:
    """Two hosts of one domain at two addresses; the better one's address is busy with a host of another domain."""
    frontier = Frontier(Politeness(FREE, Limit(1, 1.0), Limit(1, 0.0)))
    other = frontier.offer("https://other.net/", 9.0)
    first, held_up, goes_on = (frontier.offer(f"https://{name}.x.org/", 5.0 - n) for n, name in enumerate("abc"))
    for name, address in (("other.net", "192.0.2.1"), ("b.x.org", "192.0.2.1"), ("c.x.org", "192.0.2.2")):
        frontier.set_address(frontier.host_number(name), address)
    assert frontier.take(0.0, most=4) == [other, first]
    frontier.settle(first, State.DONE, 0.0)
    assert frontier.take(1.0, most=4) == [goes_on]
    frontier.settle(other, State.DONE, 1.0)
    frontier.settle(goes_on, State.DONE, 1.0)
    assert frontier.take(2.0, most=4) == [held_up]


def test_a_refused_url_takes_back_its_own_delay_and_no_other() -> None:
    frontier = Frontier(Politeness(FREE, Limit(3, 1.0), FREE))
    first, second, third = (frontier.offer(f"https://{name}.x.org/", 9.0 - n) for n, name in enumerate("abc"))
    assert frontier.take(0.0) == [first]
    assert frontier.take(1.0) == [second]
    frontier.refuse(first, 1.5)
    assert frontier.take(1.5) == []
    frontier.refuse(second, 1.5)
    assert frontier.take(1.5) == [third]


def test_a_refused_url_does_not_take_back_what_its_host_has_asked_for() -> None:
    frontier = Frontier(Politeness(Limit(1, 9.0), FREE, FREE))
    first, second = frontier.offer("https://a.org/0", 1.0), frontier.offer("https://a.org/1", 1.0)
    assert frontier.take(0.0) == [first]
    frontier.rest(frontier.urls.host(first), 5.0)  # Retry-After, from an answer that came meanwhile
    frontier.refuse(first, 1.0)
    assert frontier.next_time() == 5.0
    assert frontier.take(4.0) == []
    assert frontier.take(5.0) == [second]


def test_a_url_that_is_to_wait_waits_even_if_an_older_entry_says_otherwise() -> None:
    frontier = Frontier(Politeness(FREE, FREE, FREE))
    number, other = frontier.offer("https://a.org/0", 1.0), frontier.offer("https://a.org/1", 0.5)
    frontier.change(number, 2.0)
    frontier.change(number, 1.0)  # two entries of its queue have this priority now
    assert frontier.take(0.0) == [number]
    frontier.put_back(number, 0.0, not_before=10.0)
    assert frontier.take(5.0, most=2) == [other]
    assert frontier.next_time() == 10.0
    assert frontier.take(10.0) == [number]


def test_a_shorter_crawl_delay_is_not_held_up_by_the_timer_of_a_longer_one() -> None:
    frontier = Frontier(Politeness(Limit(2, 50.0), FREE, FREE))
    for page in range(3):
        frontier.offer(f"https://a.org/{page}", 1.0)
    assert frontier.take(0.0, most=3) == [0]
    frontier.refuse(0, 0.0)
    frontier.set_delay(frontier.host_number("a.org"), 1.0)
    assert frontier.take(0.0, most=3) == [1]
    assert frontier.next_time() == 1.0
    assert frontier.take(1.0, most=3) == [2]


def test_a_host_gives_no_more_pages_than_it_should() -> None:
    frontier = Frontier(Politeness(FREE, FREE, FREE, pages_per_host=2))
    for page in range(5):
        frontier.offer(f"https://a.org/{page}", 1.0)
    assert frontier.take(0.0, most=5) == [0, 1]
    frontier.refuse(0, 0.0)  # never asked for: another may have its place
    assert frontier.take(0.0, most=5) == [2]
    frontier.settle(1, State.REFUSED, 0.0)  # nor does what turned out to be unwanted count
    assert frontier.take(0.0, most=5) == [3]
    frontier.settle(2, State.FAILED, 0.0)
    frontier.settle(3, State.DONE, 0.0)
    assert frontier.next_time() is None
    assert frontier.urls.state(4) is State.WAITING


def test_time_does_not_run_backwards() -> None:
    frontier = Frontier(Politeness(Limit(1, 1.0), FREE, FREE))
    frontier.offer("https://a.org/0", 1.0)
    frontier.offer("https://a.org/1", 1.0)
    assert frontier.take(10.0) == [0]
    frontier.settle(0, State.DONE, 5.0)  # a clock that was set back: it ended when it began, at the earliest
    assert frontier.take(10.5) == []
    assert frontier.take(11.0) == [1]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_one_host_is_asked_one_page_at_a_time_best_first(priorities: list[float]) -> None:
    frontier = Frontier(Politeness(Limit(1, 2.0), FREE, FREE))
    for page, priority in enumerate(priorities):
        frontier.offer(f"https://a.org/{page}", priority)
    taken, now = [], 0.0
    while (time := frontier.next_time()) is not None:
        now = max(now, time)
        (number,) = frontier.take(now, most=5)
        frontier.settle(number, State.DONE, now)
        taken.append((priorities[number], now))
    assert len(taken) == len(priorities)
    for (better, earlier), (worse, later) in pairwise(taken):
        assert better >= worse
        assert later == earlier + 2.0


def test_delays_count_from_when_a_request_leaves() -> None:
    # Hosts of one domain, whose requests are half a second apart. The first was taken at 10 s, and left at 12 s.
    frontier = Frontier(Politeness(Limit(1, 1.0), Limit(3, 0.5), FREE))
    first, second, third = (frontier.offer(f"https://{name}.site.org/", 0.5) for name in ("a", "b", "c"))
    assert frontier.take(10.0) == [first]
    frontier.sent(first, 12.0)
    assert frontier.take(12.4, 9) == []
    assert frontier.next_time() == 12.5
    assert frontier.take(12.5, 9) == [second]
    # One that leaves before the next may be taken changes nothing; a borrowed slot counts in the same way.
    frontier.sent(second, 12.5)
    loan = frontier.borrow(frontier.urls.host(third), 13.0)
    assert loan is not None
    frontier.sent(loan, 15.0)
    frontier.settle(first, State.DONE, 13.0)
    frontier.settle(second, State.DONE, 13.0)
    frontier.give_back(loan, 15.2)
    assert frontier.next_time() == 16.2
    assert frontier.take(16.2, 9) == [third]
