"""Crawls with a fetcher that knows addresses beforehand: no request goes to an address before its limit allows it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from honeyguide.crawl.session import Session
from honeyguide.fetch.base import Failure, Locator, Request, Response
from honeyguide.page.url import host_of

from .jumping import JumpingLoop, LoopClock, TimedWeb, run_jumping
from .kit import about, answer, rows, topic

HOME = "http://home.example/"


class LocatedWeb(TimedWeb):
    """A web whose hosts have addresses, each of which is to be looked up once; it counts requests by address."""

    def __init__(
        self, pages: Any, addresses: dict[str, str], takes: Callable[[str], float] = lambda _: 1.0, lookup: float = 0.5
    ) -> None:
        super().__init__(pages, takes)
        self.addresses = addresses
        """By host; what begins with "no" is the detail of a failure."""
        self.lookup = lookup
        self.looked_up: dict[str, str] = {}
        self.lookups: list[str] = []
        self._under_way: defaultdict[str, int] = defaultdict(int)
        self.most: defaultdict[str, int] = defaultdict(int)

    def known_address(self, url: str) -> str | None:
        return self.looked_up.get(host_of(url))

    async def find_address(self, url: str) -> str | Failure:
        host = host_of(url)
        self.lookups.append(host)
        await asyncio.sleep(self.lookup)
        found = self.addresses[host]
        if found.startswith("no"):
            return Failure(url, "dns", found, transient=False)
        self.looked_up[host] = found
        return found

    async def fetch(self, request: Request) -> Response | Failure:
        address = self.looked_up[host_of(request.url)]
        self._under_way[address] += 1
        self.most[address] = max(self.most[address], self._under_way[address])
        try:
            return await super().fetch(request)
        finally:
            self._under_way[address] -= 1


def linked(hosts: list[str], pages: int = 1) -> dict[str, Any]:
    """Pages of hosts, all of which the first page links to."""
    urls = [f"http://{host}/{number}" for number in range(pages) for host in hosts]
    return {HOME: about("honey", *urls)} | {url: about(f"bee {url}") for url in urls}


def test_the_first_requests_to_hosts_at_one_address_share_its_limit(tmp_path: Path) -> None:
    hosts = [f"host{number}.example" for number in range(30)]
    web = LocatedWeb(linked(hosts), dict.fromkeys(["home.example", *hosts], "192.0.2.1"))
    assert isinstance(web, Locator)
    outcome = run_jumping(topic([HOME], fetch={"connections": 16, "per_ip": 4}), tmp_path, web)
    assert (outcome.tally.pages, len(web.asked)) == (31, 62)
    assert web.most == {"192.0.2.1": 4}
    assert sorted(web.lookups) == sorted(["home.example", *hosts])  # once each


def test_addresses_of_one_network_share_a_limit(tmp_path: Path) -> None:
    hosts = [f"host{number}.example" for number in range(8)]
    web = LocatedWeb(
        linked(hosts), {host: f"2a00:1::{number:x}" for number, host in enumerate(["home.example", *hosts])}
    )
    seen: list[int] = []

    def takes(_: str) -> float:
        seen.append(sum(web._under_way.values()))
        return 1.0

    web._takes = takes
    run_jumping(topic([HOME], fetch={"connections": 8, "per_ip": 2}), tmp_path, web)
    assert max(seen) == 2


def test_a_host_that_moves_to_another_address_shares_the_limit_there(tmp_path: Path) -> None:
    hosts = ["a.example", "b.example", "c.example"]
    addresses = {host: f"192.0.2.{number}" for number, host in enumerate(["home.example", *hosts])}
    web = LocatedWeb(linked(hosts, pages=4), addresses)

    def move(request: Request, _: int) -> Response:
        # Between two requests, as when the cache has run out, or when an address has not answered.
        asyncio.get_running_loop().call_later(0.5, web.looked_up.update, dict.fromkeys(hosts, "192.0.2.99"))
        return answer(request.url, about("moved"))

    web.pages = {**web.pages, "http://a.example/1": move}
    outcome = run_jumping(topic([HOME], fetch={"connections": 8, "per_ip": 1}), tmp_path, web)
    assert outcome.tally.pages == 13
    assert web.most["192.0.2.99"] == 1
    assert set(web.most.values()) == {1}


def test_slow_lookups_hold_up_nobody_else(tmp_path: Path) -> None:
    dead = [f"dead{number}.example" for number in range(40)]
    good = [f"good{number}.example" for number in range(40)]
    pages = {HOME: about("honey", *(f"http://{host}/0" for host in dead + good))}
    pages |= {f"http://{host}/0": about(f"bee {host}") for host in good}
    web = LocatedWeb(pages, dict.fromkeys(dead, "no such name"), lambda _: 1.0)
    web.addresses |= {host: host for host in ["home.example", *good]}
    web.looked_up = {host: host for host in ["home.example", *good]}
    web.lookup = 100.0
    outcome = run_jumping(topic([HOME], fetch={"connections": 8}), tmp_path, web)
    assert (outcome.tally.pages, outcome.tally.errors["dns"]) == (41, 40)
    assert max(web.times) < 20.0
    assert not any("dead" in url for url in web.asked)


def test_lookups_at_once_are_limited(tmp_path: Path) -> None:
    hosts = [f"host{number}.example" for number in range(200)]
    web = LocatedWeb(linked(hosts), {"home.example": "home", **dict.fromkeys(hosts, "no such name")})
    at_once: list[int] = []
    find = web.find_address

    async def counted(url: str) -> str | Failure:
        at_once.append(len(web.lookups))
        found = await find(url)
        web.lookups.remove(host_of(url))
        return found

    web.find_address = counted  # type: ignore[method-assign]
    outcome = run_jumping(topic([HOME]), tmp_path, web)
    assert outcome.tally.errors["dns"] == 200
    assert max(at_once) == 63


def test_a_robots_file_elsewhere_is_asked_for_under_the_limit_of_its_address(tmp_path: Path) -> None:
    def elsewhere(request: Request, _: int) -> Response:
        return answer(request.url, b"", ("Location", "http://far.example/robots.txt"), status=301)

    pages = linked(["near.example"], 3) | {"http://near.example/robots.txt": elsewhere}
    addresses = {"home.example": "192.0.2.1", "near.example": "192.0.2.2", "far.example": "192.0.2.3"}
    web = LocatedWeb(pages, addresses)
    assert run_jumping(topic([HOME]), tmp_path, web).tally.pages == 4
    assert web.lookups == ["home.example", "near.example", "far.example"]
    addresses["far.example"] = "no such name"
    web = LocatedWeb(pages, addresses)
    outcome = run_jumping(topic([HOME]), tmp_path / "other", web)
    assert "http://far.example/robots.txt" not in web.asked
    assert outcome.tally.errors["dns"] > 0


def test_a_stop_starts_no_request_for_what_was_looked_up(tmp_path: Path) -> None:
    web = LocatedWeb(linked(["a.example"]), {"home.example": "192.0.2.1", "a.example": "192.0.2.2"}, lookup=5.0)
    session = Session(topic([HOME]), tmp_path, workers=0, fetcher=lambda: web, clock=LoopClock())

    async def main() -> str:
        asyncio.get_running_loop().call_at(9.0, session.request_stop)
        return (await session.run()).stop.kind

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        assert runner.run(main()) == "interrupted"
    assert "a.example" in web.lookups
    assert not any("a.example" in url for url in web.asked)
    assert rows(tmp_path, "SELECT count(*) FROM urls WHERE state < 2") == [(1,)]
