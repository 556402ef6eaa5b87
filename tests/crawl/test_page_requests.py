"""What a rendered page requests: by robots.txt, within the limits of hosts, and never past the guard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from honeyguide.crawl.blocking import Blocking
from honeyguide.crawl.clock import Clock
from honeyguide.crawl.neighbours import Alone
from honeyguide.crawl.pacing import StandardPacing
from honeyguide.crawl.page_requests import PageRequests, RequestParts
from honeyguide.crawl.robots import RobotsCache
from honeyguide.fetch.base import Fetcher, Request, Response
from honeyguide.fetch.http import HttpFetcher
from honeyguide.fetch.settings import FetchSettings
from honeyguide.frontier import Frontier
from honeyguide.frontier.settings import Limit, Politeness
from honeyguide.lab.memory_recorder import MemoryRecorder
from honeyguide.page.scope import Scope
from honeyguide.page.settings import ScopeSettings, UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.version import VERSION

from .kit import PaperWeb, answer

PAGE, API = "http://www.shop.example/page", "http://api.shop.example"
ROBOTS = f"{API}/robots.txt"


class QuickClock(Clock):
    """Every look at it takes a second, so that nothing is waited for in real time for long."""

    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        self.time += 1.0
        return self.time


class Kit:
    """The requests of one page, and everything that they touch."""

    def __init__(self, fetcher: Fetcher, allows: Callable[[str], bool] = lambda _: True, **scope: Any) -> None:
        urls = UrlRules(UrlSettings())
        self.clock = QuickClock()
        self.frontier = Frontier(Politeness(Limit(1, 10.0), Limit(9, 0.0), Limit(9, 0.0)))
        journal = MemoryRecorder(self.frontier, self.clock.now)
        self.tally = journal.tally
        pacing = StandardPacing(FetchSettings(), self.frontier, journal)
        robots = RobotsCache("honeyguide", urls)
        self.blocking = Blocking(self.frontier, journal)
        denied = Scope(ScopeSettings(**scope))
        parts = RequestParts(
            fetcher, self.frontier, robots, pacing, journal, self.blocking, Alone(), self.clock, denied, urls, True
        )  # fmt: skip
        self.requests = PageRequests(parts, PAGE, allows)

    def host(self, name: str) -> int:
        return self.frontier.host_number(name)


def asked(kit: Kit, *urls: str, kind: str = "fetch") -> list[Response | str]:
    """Ask for some URLs at once, and end the page."""

    async def ask() -> list[Response | str]:
        found = await asyncio.gather(*(kit.requests.fetch(url, kind) for url in urls))
        await kit.requests.finish()
        return list(found)

    return asyncio.run(ask())


def test_the_robots_txt_of_another_host_is_asked_for_once_and_obeyed() -> None:
    web = PaperWeb({ROBOTS: "User-agent: *\nDisallow: /private", f"{API}/data": "data", f"{API}/private/x": "secret"})
    kit = Kit(web)
    data, private, more = asked(kit, f"{API}/data", f"{API}/private/x", f"{API}/private/y")
    assert isinstance(data, Response)
    assert (private, more) == ("robots", "robots")
    assert web.asked == [ROBOTS, f"{API}/data"]
    assert dict(kit.requests.sent) == {"api.shop.example": 2}
    assert kit.tally.answers == 2


@pytest.mark.parametrize("status", [500, 503])
def test_where_robots_txt_cannot_be_had_nothing_is_requested(status: int) -> None:
    web = PaperWeb({ROBOTS: answer(ROBOTS, "", status=status), f"{API}/data": "data"})
    assert asked(Kit(web), f"{API}/data") == ["robots"]
    assert web.asked == [ROBOTS]


def test_hosts_get_one_request_at_a_time_and_rest_for_each_of_them() -> None:
    class Counting(PaperWeb):
        now = most = 0

        async def fetch(self, request: Request) -> Any:
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0)
            found = await super().fetch(request)
            self.now -= 1
            return found

    web = Counting({f"{API}/{number}": "data" for number in range(9)})
    kit = Kit(web)
    assert all(isinstance(one, Response) for one in asked(kit, *web.pages))
    assert web.most == 1
    other = kit.host("api.shop.example")
    # Nine requests and a robots.txt, with ten seconds for each
    assert kit.frontier.hosts.next_time(other) == pytest.approx(kit.clock.time + 100.0, abs=3.0)
    assert kit.frontier.borrow(other, kit.clock.time) is None
    assert kit.frontier.borrow(other, kit.clock.time + 101.0) is not None, "the slot was not given back"


def test_a_host_that_is_being_asked_is_not_asked_by_a_page() -> None:
    web = PaperWeb({f"{API}/data": "data"})
    kit = Kit(web)
    assert kit.frontier.borrow(kit.host("api.shop.example"), kit.clock.now()) is not None
    assert asked(kit, f"{API}/data") == ["busy"]
    assert web.asked == []


def test_the_page_itself_holds_the_slot_of_its_host() -> None:
    web = PaperWeb({"http://www.shop.example/data": "data"})
    kit = Kit(web)
    own = kit.host("www.shop.example")
    assert kit.frontier.borrow(own, kit.clock.now()) is not None
    (data,) = asked(kit, "http://www.shop.example/data")
    assert isinstance(data, Response)
    # Its robots.txt, the data, and the request for the page
    assert kit.frontier.hosts.next_time(own) == pytest.approx(kit.clock.time + 30.0, abs=3.0)


def test_addresses_that_are_not_public_are_refused_by_the_guard_and_nothing_is_sent() -> None:
    """Also if somebody has listed such a host in browser.hosts, and if a name leads there."""

    async def ask() -> list[Response | str]:
        fetcher = HttpFetcher(FetchSettings(), VERSION)
        kit = Kit(fetcher)
        try:
            found = [
                await kit.requests.fetch("http://169.254.169.254/latest/meta-data/", "fetch"),
                await kit.requests.fetch("http://localhost:1/", "fetch"),
                await kit.requests.fetch("http://[::1]/", "fetch"),
            ]
            await kit.requests.finish()
        finally:
            await fetcher.close()
        assert kit.requests.sent.total() == 0
        assert kit.tally.answers == 0
        return found

    # Of literal addresses it is the robots.txt that is refused.
    assert asyncio.run(ask()) == ["robots", "address", "robots"]


def test_redirects_are_judged_like_requests() -> None:
    def to(url: str, target: str) -> Response:
        return answer(url, "", ("Location", target), status=302)

    web = PaperWeb(
        {
            f"{API}/away": to(f"{API}/away", "http://tracker.example/"),
            f"{API}/on": to(f"{API}/on", "/data"),
            f"{API}/data": "data",
            f"{API}/round": to(f"{API}/round", "/round"),
        }
    )
    kit = Kit(web, lambda url: "shop.example" in url)
    away, on, around = asked(kit, f"{API}/away", f"{API}/on", f"{API}/round")
    assert (away, around) == ("site", "redirects")
    assert isinstance(on, Response)
    assert on.url == f"{API}/data"
    assert not any("tracker" in url for url in web.asked)


def test_what_the_topic_denies_or_a_user_has_blocked_is_not_requested() -> None:
    web = PaperWeb({f"{API}/data": "data", "http://cdn.example/a.js": "script"})
    kit = Kit(web, deny_domains=("cdn.example",))
    kit.blocking.block(["api.shop.example"])
    assert asked(kit, f"{API}/data", "http://cdn.example/a.js") == ["blocked", "blocked"]
    assert web.asked == []


def test_scripts_are_requested_once_and_data_each_time() -> None:
    web = PaperWeb({f"{API}/a.js": "script", f"{API}/data": "data"})
    kit = Kit(web)

    async def ask() -> None:
        for kind, name in (("script", "a.js"), ("script", "a.js"), ("fetch", "data"), ("fetch", "data")):
            assert isinstance(await kit.requests.fetch(f"{API}/{name}", kind), Response)
        await kit.requests.finish()

    asyncio.run(ask())
    assert web.asked == [ROBOTS, f"{API}/a.js", f"{API}/data", f"{API}/data"]


def test_a_page_that_is_done_gets_nothing_any_more() -> None:
    hanging = asyncio.Event()

    class Hanging(PaperWeb):
        async def fetch(self, request: Request) -> Any:
            hanging.set()
            await asyncio.Event().wait()

    web = Hanging({})
    kit = Kit(web)

    async def ask() -> list[Response | str]:
        waiting = asyncio.create_task(kit.requests.fetch(f"{API}/data", "fetch"))
        await hanging.wait()
        await kit.requests.finish()
        return [await waiting, await kit.requests.fetch(f"{API}/data", "fetch")]

    assert asyncio.run(ask()) == ["late", "late"]
    assert kit.frontier.borrow(kit.host("api.shop.example"), kit.clock.time + 100.0) is not None
