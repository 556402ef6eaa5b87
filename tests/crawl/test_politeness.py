"""No host, domain or address is asked more often than its rules allow: from the logs of those who were asked."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import ProxyHandler, build_opener

import pytest
import uvloop
from aiohttp.abc import AbstractResolver, ResolveResult

from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.demo import DemoWeb, ServedRequest, read_visits, run_in_process
from honeyguide.fetch.http import HttpFetcher
from honeyguide.page.domains import registered_domain

from .kit import crawlers_in, html, rows, topic

GRAIN = 0.002  # seconds by which two clocks may differ on what is one moment
LATE = 0.05  # seconds a busy machine may keep the demo server from noting that an answer has left
PATIENCE = 60.0


class Seen(NamedTuple):
    """A request as its server saw it."""

    began: float
    ended: float
    host: str
    target: str


@dataclass
class Site:
    """A server for many hosts, each with `pages` pages that link to all of all; every answer takes its time."""

    hosts: tuple[str, ...]
    pages: int = 4
    takes: float = 0.0
    robots: dict[str, str] = field(default_factory=dict)
    answers: dict[str, list[str]] = field(default_factory=dict)
    """Heads to answer a URL with instead, one a time, while there are any."""
    log: list[Seen] = field(default_factory=list)
    address: str = ""

    def urls(self) -> list[str]:
        return [f"http://{host}/{number}" for number in range(self.pages) for host in self.hosts]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                began = time.monotonic()
                host = next(line[6:] for line in lines if line.lower().startswith("host: ")).partition(":")[0]
                target = "/" + first.split()[1].removeprefix("http://").partition("/")[2]
                await asyncio.sleep(self.takes)
                self.log.append(Seen(began, time.monotonic(), host, target))
                writer.write(self.answer(host, target))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def answer(self, host: str, target: str) -> bytes:
        waiting = self.answers.get(f"http://{host}{target}")
        head, kind = "200 OK", "text/html"
        if waiting:
            head, body = waiting.pop(0), ""
        elif target == "/robots.txt":
            kind, body = "text/plain", self.robots.get(host, "")
        else:
            body = html(f"page {target} of {host}", *self.urls())
        content = body.encode()
        return f"HTTP/1.1 {head}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content


class Elsewhere(AbstractResolver):
    """Says that each host is at an address of this machine, and at the port of the site."""

    def __init__(self, addresses: dict[str, str], port: int) -> None:
        self._addresses = addresses
        self._port = port

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        address = self._addresses[host]
        return [ResolveResult(hostname=host, host=address, port=self._port, family=socket.AF_INET, proto=0, flags=0)]

    async def close(self) -> None:
        pass


def crawl_site(site: Site, folder: Path, addresses: dict[str, str] | None = None, **fetch: Any) -> CrawlResult:
    """Crawl all of a site, through it as a proxy; or directly, when its hosts have addresses of their own."""

    async def main() -> CrawlResult:
        server = await asyncio.start_server(site.serve, "0.0.0.0")
        port = server.sockets[0].getsockname()[1]
        settings = {"connections": 16, "allow_networks": ["127.0.0.0/8"], "patience": 20.0, **fetch}
        if addresses is None:
            settings["proxy"] = f"http://127.0.0.1:{port}"
        wanted = topic(site.urls()[: len(site.hosts)], "page", budget={"pages": 0}, fetch=settings)
        resolver = Elsewhere(addresses, port) if addresses else None
        session = Session(wanted, folder, fetcher=lambda: HttpFetcher(wanted.fetch, "1", resolver=resolver), workers=0)
        try:
            return await session.run()
        finally:
            server.close()

    return uvloop.run(main())


def grouped(
    visits: Iterable[Seen | ServedRequest], key: Callable[[str], str] = str
) -> dict[str, list[Seen | ServedRequest]]:
    """Visits in the order they began, by host or by what the hosts share."""
    groups: dict[str, list[Seen | ServedRequest]] = defaultdict(list)
    for visit in sorted(visits, key=lambda visit: visit.began):
        groups[key(visit.host)].append(visit)
    return groups


def pauses(visits: list[Seen | ServedRequest]) -> list[float]:
    """From the end of each to the beginning of the next; negative where two were under way at once."""
    return [after.began - before.ended for before, after in pairwise(visits)]


def most_at_once(visits: list[Seen | ServedRequest]) -> int:
    """How many were under way at the same time, at most."""
    moments = [(visit.began, 1) for visit in visits] + [(visit.ended, -1) for visit in visits]
    under_way = most = 0
    for _, change in sorted(moments):
        under_way += change
        most = max(most, under_way)
    return most


def assert_paused(visits: list[Seen | ServedRequest], delay: float, late: float = 0.0) -> None:
    """Between the end of each and the beginning of the next is a delay; ends may have been noted `late`."""
    assert all(pause >= delay - late - GRAIN for pause in pauses(visits)), (delay, pauses(visits))
    # A beginning is noted before its answer is given, so here nothing can be late.
    begun = [after.began - before.began for before, after in pairwise(visits)]
    assert all(since >= delay - GRAIN for since in begun), (delay, begun)


# ---- delays ----


def test_hosts_and_domains_of_the_demo_web_have_their_pauses(tmp_path: Path) -> None:
    web = DemoWeb(pages=100, page_kb=1.0)
    log = tmp_path / "visits"
    fetch: dict[str, Any] = {"delay": 0.15, "domain_delay": 0.06, "per_domain": 1, "connections": 16}
    with run_in_process(web, log=log) as server:
        fetch |= {"proxy": server.address, "allow_networks": ["127.0.0.0/8"]}
        wanted = topic(web.seeds(web.subjects[0]), "page", budget={"pages": 60}, fetch=fetch)
        assert uvloop.run(Session(wanted, tmp_path / "crawl", workers=0).run()).tally.pages == 60
    visits = read_visits(log)
    hosts, domains = grouped(visits), grouped(visits, registered_domain)
    assert any(len({visit.host for visit in group}) > 1 for group in domains.values()), "no domain has sub-domains"
    for group in hosts.values():
        assert_paused(group, 0.15, LATE)
        assert [visit.target for visit in group].count("/robots.txt") == 1
        assert group[0].target == "/robots.txt"
    for group in domains.values():
        assert_paused(group, 0.06, LATE)


def test_crawl_delay_is_honoured_up_to_its_ceiling(tmp_path: Path) -> None:
    rules = {host: f"User-agent: *\nCrawl-delay: {delay}\n" for host, delay in (("a.example", 0.3), ("b.example", 60))}
    site = Site(("a.example", "b.example", "c.example"), pages=3, robots=rules)
    crawl_site(site, tmp_path / "crawl", delay=0.05, max_crawl_delay=0.5)
    hosts = grouped(site.log)
    for host, delay in (("a.example", 0.3), ("b.example", 0.5), ("c.example", 0.05)):
        assert len(hosts[host]) == 4
        assert_paused(hosts[host], delay)


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_retry_after_holds_for_the_whole_host(tmp_path: Path, status: str) -> None:
    site = Site(("a.example", "b.example"), pages=3)
    site.answers["http://a.example/1"] = [f"{status}\r\nRetry-After: 1"]
    outcome = crawl_site(site, tmp_path / "crawl", delay=0.01)
    assert outcome.tally.pages == 6
    visits = grouped(site.log)["a.example"]
    asked_to_wait = next(place for place, visit in enumerate(visits) if visit.target == "/1")
    assert pauses(visits)[asked_to_wait] >= 1.0 - GRAIN
    ((name,),) = rows(tmp_path / "crawl", "SELECT name FROM hosts")
    assert name == "a.example"  # kept, so that another run would know


# ---- how many at once ----


def test_never_more_at_once_than_a_host_or_a_domain_allows(tmp_path: Path) -> None:
    hosts = tuple(f"{name}.{domain}.example" for domain in ("one", "two") for name in "abcd")
    site = Site(hosts, pages=4, takes=0.02)
    crawl_site(site, tmp_path / "crawl", per_host=1, per_domain=2)
    assert {most_at_once(group) for group in grouped(site.log).values()} == {1}
    assert {most_at_once(group) for group in grouped(site.log, registered_domain).values()} == {2}


def test_never_more_at_once_than_an_address_allows(tmp_path: Path) -> None:
    addresses = {f"{name}.example": f"127.0.0.{place % 2 + 1}" for place, name in enumerate("abcdefgh")}
    site = Site(tuple(addresses), pages=4, takes=0.02)
    crawl_site(site, tmp_path / "crawl", addresses, per_ip=1, ip_delay=0.03)
    assert len(site.log) == 8 + 32
    for group in grouped(site.log, addresses.__getitem__).values():
        assert most_at_once(group) == 1
        assert_paused(group, 0.03)


def test_many_domains_at_one_address_have_one_limit_from_the_first_request_on(tmp_path: Path) -> None:
    addresses = {f"name{number}.example": "127.0.0.1" for number in range(24)}
    site = Site(tuple(addresses), pages=1, takes=0.01)
    crawl_site(site, tmp_path / "crawl", addresses, per_ip=4, connections=16)
    assert len(site.log) == 2 * 24
    assert most_at_once(grouped(site.log, lambda _: "all")["all"]) == 4


def test_the_whole_crawl_has_no_more_connections_than_it_may(tmp_path: Path) -> None:
    site = Site(tuple(f"{name}.example" for name in "abcdefgh"), pages=2, takes=0.02)
    crawl_site(site, tmp_path / "crawl", connections=3)
    assert most_at_once(grouped(site.log, lambda _: "all")["all"]) == 3


# ---- across a kill ----


def settle(proxy: str) -> None:
    """Let the server end what it was asked for before the crawler died: that is not to be counted from later on."""
    opener = build_opener(ProxyHandler({"http": proxy}))
    for _ in range(3):
        opener.open("http://faults.example/").close()


def test_pauses_hold_across_kills(tmp_path: Path) -> None:
    web = DemoWeb(pages=100, page_kb=1.0)
    log, folder = tmp_path / "visits", tmp_path / "out" / "demo"
    log.touch()
    slow = "robots-delay.example"  # its robots.txt asks for a second between two requests
    seeds = [f"http://{slow}/open", *web.seeds(web.subjects[0])]
    with run_in_process(web, log=log) as server, crawlers_in(tmp_path) as crawlers:
        (tmp_path / "topic.toml").write_text(
            f"""
            name = "demo"
            seeds = {json.dumps(seeds)}
            keywords = ["page"]
            budget = {{ pages = 30 }}
            [fetch]
            proxy = "{server.address}"
            allow_networks = ["127.0.0.0/8"]
            delay = 0.4
            domain_delay = 0.1
            per_domain = 1
            """
        )
        knows = "SELECT count(*) FROM robots WHERE origin = ?"
        for _ in range(3):
            before = len(read_visits(log))
            pid = crawlers.start("out")
            give_up = time.monotonic() + PATIENCE
            while time.monotonic() < give_up:
                enough = len(read_visits(log)) >= before + 4
                if enough and (folder / "crawl.sqlite").exists() and rows(folder, knows, f"http://{slow}") == [(1,)]:
                    break
                time.sleep(0.001)
            crawlers.kill(pid)
            settle(server.address)
        crawlers.start("out")
        assert crawlers.wait()[0] == 0
    visits = [visit for visit in read_visits(log) if visit.host != "faults.example"]
    hosts = grouped(visits)
    for group in hosts.values():
        assert_paused(group, 0.4, LATE)
    for group in grouped(visits, registered_domain).values():
        assert_paused(group, 0.1, LATE)
    first, *others = (visit.target for visit in hosts[slow])
    assert first == "/robots.txt"
    assert set(others) == {"/open"}  # more than once if a kill came between the answer and the commit
    assert_paused(hosts[slow], 1.0, LATE)
