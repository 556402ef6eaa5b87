"""Hosts at one IP address share its limit, whichever shards they belong to."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest

from honeyguide.cluster.ring import Ring
from honeyguide.cluster.shard_addresses import ShardAddresses
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.frontier import Frontier, Limit, Politeness
from honeyguide.frontier.host_controls import HostControls

from .kit import names, pages_of, run_cluster, topic_of

ADDRESS = "192.0.2.7"
HOSTS = [f"site{number}.example" for number in range(6)]
PAGES = 8
DELAY = 0.02


class OneServer:
    """Six sites at one address. It notes when requests begin and end."""

    def __init__(self) -> None:
        self.visits: list[tuple[float, float]] = []

    def known_address(self, _url: str) -> str | None:
        return ADDRESS

    async def find_address(self, _url: str) -> str | Failure:
        return ADDRESS

    async def fetch(self, request: Request) -> Response | Failure:
        loop = asyncio.get_running_loop()
        request.sent()
        began = loop.time()
        await asyncio.sleep(0.005)
        self.visits.append((began, loop.time()))
        links = "".join(f'<a href="http://{other}/{page}">honey</a>' for other in HOSTS for page in range(PAGES))
        body = f"<title>{request.url}</title><p>honey bee {request.url} {links}".encode()
        kind = (("Content-Type", "text/html"),)
        return Response(request.url, 200, "OK", kind, body, body, (), started=1.7e9, ip=ADDRESS)

    async def close(self) -> None:
        pass


def test_an_address_is_asked_by_one_shard_at_a_time(tmp_path: Path) -> None:
    server = OneServer()
    fetch = {"robots": False, "ip_delay": DELAY, "per_ip": 1}
    topic = topic_of([f"http://{HOSTS[0]}/0"], fetch=fetch, budget={"pages": 0})
    asyncio.run(run_cluster(topic, tmp_path, lambda: server, 3))
    assert len({Ring(names(3)).owner(f"http://{host}/") for host in HOSTS}) > 1
    assert len(pages_of([tmp_path / "shards" / name for name in names(3)])) == PAGES * len(HOSTS)
    visits = sorted(server.visits)
    gaps = [after[0] - before[1] for before, after in pairwise(visits)]
    assert min(gaps) >= DELAY * 0.99


def test_addresses_that_nobody_needs_any_more_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    frontier, ring, now = Frontier(Politeness()), Ring(["00"]), 0.0
    addresses = ShardAddresses("00", ring, frontier, Limit(1, 0.0), 1, lambda: now)
    for number in range(300):
        addresses.locate(frontier.host_number(f"site{number}.example"), f"192.0.2.{number}")
    addresses.requests()
    assert not addresses.is_waiting  # all were lent
    now = 60.0
    addresses.requests()  # and have ended
    with monkeypatch.context() as patch:
        patch.setattr(HostControls, "address_use", None)
        addresses.requests()
    number = frontier.offer("http://site7.example/", 0.5)
    assert frontier.take(now) == []
    addresses.requests()
    assert frontier.take(now) == [number]
