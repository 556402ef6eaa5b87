"""Waiting for better URLs: when it is right, when it is wrong, and that it ends."""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.frontier import Frontier, Limit, Politeness, Reservation, State

LATENCY = 0.25
POLITE = Politeness(host=Limit(1, 1.0), domain=Limit(2, 0.0), ip=Limit(9, 0.0))


def frontier_of(
    promises: dict[str, list[float]], haste: float, floor: float = -inf, polite: Politeness = POLITE
) -> Frontier:
    frontier = Frontier(polite, reservation=Reservation(haste), floor=floor)
    for host, values in promises.items():
        for number, promise in enumerate(values):
            frontier.offer(f"http://{host}/{number}", promise)
    return frontier


def crawl(
    frontier: Frontier,
    pages: int,
    *,
    connections: int = 4,
    total: float | None = None,
    seconds: float = inf,
    begin: float = 0.0,
) -> list[tuple[float, str]]:
    """Fetch as the crawler does. The pages, with the time at which each was asked for."""
    now, asked, ending = begin, [], list[tuple[float, int]]()
    done = 0
    while done < pages and now - begin < seconds:
        left = pages - done - len(ending)
        if left:
            all_pages = pages if total is None else total
            frontier.plan(left if all_pages != inf else inf, all_pages, seconds - (now - begin))
            for number in frontier.take(now, min(connections - len(ending), left)):
                asked.append((now, frontier.urls.url(number)))
                heappush(ending, (now + LATENCY, number))
        times = [ending[0][0]] if ending else []
        following = frontier.next_time()
        if following is not None and left and len(ending) < connections:
            times.append(max(following, now))
        if not times:
            break
        assert len(asked) < 1000
        now = min(times)
        while ending and ending[0][0] <= now:
            frontier.settle(heappop(ending)[1], State.DONE, now)
            done += 1
    return asked


def hosts(asked: list[tuple[float, str]]) -> str:
    return "".join(url.split("/")[2][0] for _, url in asked)


RICH_AND_POOR = {"rich.org": [0.9] * 20, "poor.org": [0.1] * 20}


def test_waiting_is_right_when_pages_are_scarce() -> None:
    # Ten pages, and 20 good ones on a host that rests a second after each: never waiting, half of them are poor.
    never = crawl(frontier_of(RICH_AND_POOR, haste=1.0), 10)
    assert hosts(never).count("p") == 5
    for haste in (0.0, 0.25, 0.5):
        patient = crawl(frontier_of(RICH_AND_POOR, haste), 10)
        assert hosts(patient) == "r" * 10
        assert patient[-1][0] == pytest.approx(9 * (1 + LATENCY))


def test_haste_is_a_matter_of_degree() -> None:
    promises = {"rich.org": [0.9] * 20, "poor.org": [0.88 - 0.02 * place for place in range(20)]}
    poor = [hosts(crawl(frontier_of(promises, haste), 10)).count("p") for haste in (0.0, 0.3, 0.5, 0.6, 0.7, 1.0)]
    assert poor == sorted(poor)
    assert poor[0] == 0
    assert len(set(poor)) >= 3


def test_waiting_is_wrong_when_time_is_scarce() -> None:
    # 5 s for any number of pages: all that can be had.
    never = crawl(frontier_of(RICH_AND_POOR, haste=1.0), 99, total=inf, seconds=5.0)
    patient = crawl(frontier_of(RICH_AND_POOR, haste=0.0), 99, total=inf, seconds=5.0)
    assert patient == never


def test_of_two_limits_the_one_that_binds_counts() -> None:
    # 10 pages take 12.5 s from the rich host alone, and 6.25 s from both. In 100 s there is time for the better ones,
    # in 7 s there is not: poor ones are taken, too, so that all ten are fetched.
    assert hosts(crawl(frontier_of(RICH_AND_POOR, haste=0.25), 10, seconds=100.0)) == "r" * 10
    hurried = crawl(frontier_of(RICH_AND_POOR, haste=0.25), 10, seconds=7.0)
    assert len(hurried) >= 9
    assert hosts(hurried).count("p") >= 2


def test_a_page_that_is_nearly_as_good_is_not_made_to_wait() -> None:
    asked = crawl(frontier_of({"rich.org": [0.9] * 20, "good.org": [0.89] * 20}, haste=0.5), 10)
    assert hosts(asked).count("g") >= 4


def test_equal_promises_are_never_waited_for() -> None:
    asked = crawl(frontier_of({"a.org": [0.5] * 20, "b.org": [0.5] * 20}, haste=0.0), 10)
    assert hosts(asked).count("b") == 5


def test_a_host_that_does_not_come_back_is_not_waited_for() -> None:
    frontier = frontier_of(RICH_AND_POOR, haste=0.0)
    (first,) = frontier.take(0.0, 1)
    frontier.settle(first, State.DONE, LATENCY)
    frontier.rest(frontier.host_number("rich.org"), 3600.0)
    asked = crawl(frontier, 5, begin=1.0)
    assert hosts(asked) == "p" * 5
    assert asked[-1][0] == pytest.approx(1.0 + 4 * (1 + LATENCY))


def test_it_is_waited_for_again_when_it_is_back() -> None:
    frontier = frontier_of(RICH_AND_POOR, haste=0.0)
    frontier.rest(frontier.host_number("rich.org"), 100.0)
    assert hosts(crawl(frontier, 3)) == "ppp"
    assert hosts(crawl(frontier, 5, begin=100.0)) == "r" * 5


def test_a_better_host_behind_the_limit_of_its_domain_is_waited_for() -> None:
    frontier = Frontier(
        Politeness(host=Limit(1, 1.0), domain=Limit(1, 0.5), ip=Limit(9, 0.0)), reservation=Reservation(0.0)
    )
    for host, promise in (("a.rich.org", 0.9), ("b.rich.org", 0.8), ("poor.org", 0.1)):
        frontier.offer(f"http://{host}/", promise)
    frontier.plan(3, 3, inf)
    (first,) = frontier.take(0.0, 3)  # b.rich.org could be contacted, but for the request to its domain
    frontier.settle(first, State.DONE, LATENCY)
    assert frontier.take(LATENCY, 3) == []  # and now for its domain's rest
    assert frontier.hosts_awaited() == 1
    assert frontier.next_time() == pytest.approx(LATENCY + 0.5)
    second, third = frontier.take(LATENCY + 0.5, 3)
    assert frontier.urls.url(second) == "http://b.rich.org/"
    assert frontier.urls.url(third) == "http://poor.org/"


def others_asked_at(asked: list[tuple[float, str]]) -> list[float]:
    return [time for time, url in asked if "rich.org" not in url]


RICH_AND_TWO_POOR = {**RICH_AND_POOR, "pauper.org": [0.1] * 20}


def test_a_host_in_doubt_is_not_waited_for() -> None:
    frontier = frontier_of(RICH_AND_TWO_POOR, haste=0.0)
    frontier.set_probation(frontier.host_number("rich.org"), True)
    asked = crawl(frontier, 5)
    assert set(hosts(asked)) == {"p", "r"}  # one of the rich host is the share of hosts on probation
    assert others_asked_at(asked)[:2] == [0.0, 0.0]


def test_a_host_that_has_had_all_its_pages_is_not_waited_for() -> None:
    polite = Politeness(POLITE.host, POLITE.domain, POLITE.ip, pages_per_host=2)
    asked = crawl(frontier_of(RICH_AND_TWO_POOR, haste=0.0, polite=polite), 4)
    assert hosts(asked) == "rrpp"
    assert others_asked_at(asked) == [1 + LATENCY] * 2


def test_hosts_that_are_waited_for_are_counted() -> None:
    promises = {"rich.org": [0.9] * 5, "richer.org": [0.95] * 5, "poor.org": [0.1] * 5, "poorer.org": [0.05] * 5}
    frontier = frontier_of(promises, haste=0.0)
    frontier.plan(8, 8, inf)
    assert frontier.hosts_awaited() == 0
    taken = frontier.take(0.0, 4)
    assert len(taken) == 1  # richer.org, while rich.org waits for the rest of richer.org
    frontier.settle(taken[0], State.DONE, LATENCY)
    assert frontier.take(LATENCY, 4) == []
    assert frontier.hosts_awaited() == 1
    assert frontier.next_time() == pytest.approx(1 + LATENCY)


def test_a_frontier_that_weighs_hosts_does_not_wait() -> None:
    frontier = frontier_of(RICH_AND_POOR, haste=0.0)
    frontier.weigh(frontier.host_number("poor.org"), 2.0)
    assert hosts(crawl(frontier, 10)).count("p") == 5


def test_resumed_in_the_middle() -> None:
    whole = hosts(crawl(frontier_of(RICH_AND_POOR, haste=0.5), 12))
    first = frontier_of(RICH_AND_POOR, haste=0.5)
    before = hosts(crawl(first, 6, total=12))
    resumed = Frontier(POLITE, reservation=Reservation(0.5))
    resumed.restore([row[1:] for row in first.dirty_rows().new])
    assert before + hosts(crawl(resumed, 6, total=12, begin=1000.0)) == whole == "r" * 12


def test_floor() -> None:
    frontier = frontier_of({"a.org": [0.5, 0.3, 0.1], "b.org": [0.2]}, haste=1.0, floor=0.3)
    assert len(crawl(frontier, 9, total=inf)) == 2
    assert frontier.next_time() is None
    assert frontier.is_unpromising()
    frontier.change(3, 0.4)
    assert not frontier.is_unpromising()
    assert len(crawl(frontier, 9, total=inf, begin=100.0)) == 1


def test_the_rule_by_hand() -> None:
    # Better than 0.5 are 0.9 and 0.7, by 0.4 + 0.2 = 0.6. At a haste of 0.5 the rate is 0.006; what was taken promised
    # 1.0; of 100 pages: a loss of 0.006 * 1.0 * 100 = 0.6 is tolerated per second. So after one second. With one page
    # left, 0.4 would be lost: after 2/3 s.
    reservation = Reservation(0.5)
    reservation.waiting.add_all([0.9, 0.7, 0.5])
    reservation.plan(10, 100, inf)
    assert reservation.time_for(0.5, now=7.0) == 7.0  # nothing was taken before
    reservation.take(1.0, now=7.0)
    assert reservation.time_for(0.5, now=7.5) == pytest.approx(8.0, abs=0.02)
    assert reservation.time_for(0.9, now=7.5) == 7.5
    reservation.plan(1, 100, inf)
    assert reservation.time_for(0.5, now=7.5) == pytest.approx(7.0 + 2 / 3, abs=0.02)
    # At 0.75 the rate is 9 times as high, (3/1)².
    hasty = Reservation(0.75)
    hasty.waiting.add_all([0.9, 0.7, 0.5])
    hasty.plan(10, 100, inf)
    hasty.take(1.0, now=7.0)
    assert hasty.time_for(0.5, now=7.0) == pytest.approx(7.0 + 1 / 9, abs=0.01)


def test_all_that_was_taken_is_the_measure_of_a_loss() -> None:
    # Nine pages that promised 1.0, and then one 0.0: 0.9 on average, however long ago the others were.
    reservation = Reservation(0.5)
    reservation.waiting.add_all([0.9, 0.5])
    reservation.plan(10, 100, inf)
    for promise in (*[1.0] * 9, 0.0):
        reservation.take(promise, now=7.0)
    assert reservation.taken == pytest.approx(0.9)
    assert reservation.time_for(0.5, now=7.0) == pytest.approx(7.0 + 0.4 / (0.006 * 0.9 * 100), abs=0.02)


def test_what_earlier_runs_took_counts() -> None:
    first = frontier_of({"a.org": [0.9, 0.5, 0.1]}, haste=0.5)
    crawl(first, 2)
    resumed = Frontier(POLITE, reservation=Reservation(0.5))
    resumed.restore([row[1:] for row in first.dirty_rows().new])
    assert resumed.taken_promise == first.taken_promise == pytest.approx(0.7)


@given(
    st.dictionaries(
        st.sampled_from(["a.org", "b.org", "c.org", "x.b.org"]),
        st.lists(st.floats(-1, 1), min_size=1, max_size=8),
        min_size=1,
    ),
    st.floats(0, 1),
    st.integers(1, 4),
    st.integers(1, 40),
    st.one_of(st.just(inf), st.floats(0.5, 20)),
)
def test_nothing_starves(
    promises: dict[str, list[float]], haste: float, connections: int, total: int, seconds: float
) -> None:
    count = sum(map(len, promises.values()))
    pages = min(total, count)
    asked = crawl(frontier_of(promises, haste), pages, connections=connections, seconds=seconds)
    assert len({url for _, url in asked}) == len(asked)
    if seconds == inf:
        assert len(asked) == pages
