"""What things cost, counted rather than timed: entries kept, heap operations made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

from honeyguide.frontier import Frontier, Limit, Merge, Politeness, State
from honeyguide.frontier.gates import Line

FREE = Limit(1000, 0.0)


@contextmanager
def counted_puts(patch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How often anybody takes a place in a line, which is what each waking and each parking costs."""
    count, put = [0], Line.put

    def counting(line: Line[Any], member: Any, key: int) -> None:
        count[0] += 1
        put(line, member, key)

    with patch.context() as patched:
        patched.setattr(Line, "put", counting)
        yield count


def entries(frontier: Frontier) -> int:
    """Heap entries of all kinds, outdated ones too."""
    hosts = frontier._hosts
    lines: list[Line[Any]] = [hosts._ready, *hosts._lanes.values()]
    lines += [gate.parked for gate in (*hosts._domains.values(), *hosts._addresses.values())]
    return sum(len(line.entries) for line in lines) + sum(len(host.queue) for host in hosts.all) + len(hosts._timers)


@pytest.mark.parametrize("way", ["up", "down", "to and fro", "random"])
@pytest.mark.parametrize("parked", [False, True])
def test_outdated_entries_do_not_pile_up(way: str, parked: bool) -> None:
    frontier = Frontier(Politeness(FREE, Limit(1, 1e9) if parked else FREE, FREE))
    urls = [frontier.offer(f"https://h{n % 5}.x.org/{n}", 0.0) for n in range(50)]
    if parked:
        urls.remove(*frontier.take(0.0))
        assert frontier.take(0.0) == []
    random = Random(1)
    for step in range(1, 20_001):
        priority = {"up": step, "down": -step, "to and fro": step % 2, "random": random.random()}[way]
        frontier.change(urls[0] if way == "to and fro" else random.choice(urls), float(priority))
    assert entries(frontier) < 2 * len(urls) + 5 * 64 + 200


def test_cash_that_moves_around_does_not_pile_up() -> None:
    """Added-up priorities change with every link, and pages are taken in between: both for a long time."""
    frontier, random = Frontier(Politeness(FREE, FREE, FREE), Merge.ADD), Random(1)
    for _ in range(3000):
        for number in frontier.take(0.0):
            frontier.settle(number, State.DONE, 0.0)
        for _ in range(10):
            page = random.randrange(10_000)
            frontier.offer(f"https://h{page % 20}.org/{page}", random.random())
    assert entries(frontier) < 2 * frontier.count(State.WAITING) + 20 * 64 + 200


@pytest.mark.parametrize("domain", [FREE, Limit(1, 1.0)])
@pytest.mark.parametrize("delay", [0.0, 0.5])
def test_urls_that_come_and_go_leave_nothing_behind(delay: float, domain: Limit) -> None:
    """Two hosts of each domain are asked for the same URLs again and again; a gate that shuts parks them in between."""
    frontier, now = Frontier(Politeness(Limit(1, delay), domain, FREE)), 0.0
    for n in range(12):
        frontier.offer(f"https://h{n % 6}.{'xyz'[n % 3]}.org/{n}", float(n))
    tries = 0
    for _ in range(5000):
        now += 0.25
        for number in frontier.take(now):
            tries += 1
            frontier.put_back(number, now)
    assert tries > 2000
    assert entries(frontier) < 200


@pytest.mark.parametrize("addresses", [0, 1, 4])
def test_a_thousand_hosts_behind_one_gate_cost_no_more_than_one(
    addresses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half the hosts are of one domain and half of another, at shared addresses: all gates shut and open in turn."""
    frontier = Frontier(Politeness(Limit(1, 50.0), Limit(2, 0.5), Limit(3, 0.25)))
    random = Random(1)
    for n in range(2000):
        name = f"h{n}.{'xy'[n % 2]}.org"
        for page in range(2):
            frontier.offer(f"https://{name}/{page}", random.random())
        if addresses:
            frontier.set_address(frontier.host_number(name), f"192.0.2.{n % addresses}")
    takes, now = 0, 0.0
    under_way: list[int] = []
    with counted_puts(monkeypatch) as puts:
        for step in range(2000):
            now += 0.125
            if step % 2 and under_way:
                frontier.settle(under_way.pop(0), State.DONE, now)
            taken = frontier.take(now, most=2)
            takes += len(taken)
            under_way += taken
    assert takes > 300
    assert puts[0] < (6 + 2 * addresses) * takes


def test_a_change_far_from_the_best_costs_no_place_in_any_line(monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = Frontier()
    for n in range(100):
        frontier.offer(f"https://a.org/{n}", 100.0 - n)
    with counted_puts(monkeypatch) as puts:
        for n in range(50, 100):
            frontier.change(n, 1.5 + n / 100)
    assert puts[0] == 0


def test_the_next_siblings_cost_the_same_however_many_there_are() -> None:
    frontier = Frontier()
    seed = frontier.offer("https://a.org/", 1.0)
    frontier.offer_all([f"https://a.org/{n}" for n in range(1000)], [0.5] * 1000, seed, 1)
    looks = [0]

    class Counted(list[int]):
        def __getitem__(self, place: Any) -> Any:
            looks[0] += 1
            return super().__getitem__(place)

    view: Any = frontier.urls
    view._previous, view._next = Counted(view._previous), Counted(view._next)
    assert frontier.urls.siblings(500, within=3) == [497, 498, 499, 501, 502, 503]
    assert looks[0] <= 8
