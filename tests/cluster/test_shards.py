"""Shards in one process: together they are the same crawl as one machine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from honeyguide.cluster import runner
from honeyguide.crawl import visits
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.errors import HoneyguideError, PluginError
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.frontier import Frontier, State
from honeyguide.store.commands import Command
from honeyguide.store.folder import CrawlFolder
from honeyguide.store.inbox import send
from honeyguide.strategy import registry
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.reading import Reading
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import inherited
from honeyguide.testing.web import SmallWeb, linked_pages
from honeyguide.topic import Topic

from .kit import LocalCluster, names, pages_of, run_alone, run_cluster, topic_of, until

SEEDS = ["http://bees.example/", "http://hives.example/"]


@pytest.mark.parametrize("strategy", ["best-first", "guide"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_shards_fetch_the_same_pages_as_one_machine(tmp_path: Path, count: int, strategy: str) -> None:
    web = SmallWeb(linked_pages())
    topic = topic_of(SEEDS, fetch={"connections": 4, "robots": False}, strategy={"name": strategy}, budget={"pages": 0})
    run_alone(topic, tmp_path / "one", lambda: web)
    coordinator, _, results = asyncio.run(run_cluster(topic, tmp_path / "many", lambda: web, count))
    assert {result.stop.kind for result in results} == {"exhausted"}
    folders = [tmp_path / "many" / "shards" / name for name in names(count)]
    assert pages_of(folders) == pages_of([tmp_path / "one"])
    assert coordinator.tally.pages == len(pages_of(folders))


def demo_topic(web: DemoWeb, pages: int) -> Topic:
    subject = web.subjects[0]
    tables = {"fetch": {"connections": 8}, "budget": {"pages": pages}}
    return topic_of(web.seeds(subject), keywords=",".join(web.keywords(subject)), **tables)


def test_the_same_over_a_bad_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "RETRY", 0.05)
    web = SmallWeb(linked_pages())
    topic = topic_of(SEEDS, fetch={"connections": 4, "robots": False}, budget={"pages": 0})
    run_alone(topic, tmp_path / "one", lambda: web)
    _, _, results = asyncio.run(run_cluster(topic, tmp_path / "many", lambda: web, 3, lost=0.2))
    folders = [tmp_path / "many" / "shards" / name for name in names(3)]
    assert {result.stop.kind for result in results} == {"exhausted"}
    assert pages_of(folders) == pages_of([tmp_path / "one"])


def test_never_more_pages_than_asked(tmp_path: Path) -> None:
    web = DemoWeb(pages=120, seed=1)
    topic = demo_topic(web, 30)
    _, _, results = asyncio.run(run_cluster(topic, tmp_path, lambda: DemoFetcher(web, topic.fetch), 3, lost=0.1))
    assert {result.stop.kind for result in results} == {"pages"}
    assert len(pages_of([tmp_path / "shards" / name for name in names(3)])) == 30


def test_pages_that_come_late_are_kept_until_the_shard_is_granted_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if every page took longer than usual: others are fetched in its place, and there are more than were granted.
    monkeypatch.setattr(visits, "_MIN_LATE", -1.0)
    monkeypatch.setattr(visits, "_LATE_FACTOR", 0)
    web = SmallWeb(linked_pages())
    settings: dict[str, Any] = {"fetch": {"connections": 8, "robots": False}}
    run_alone(topic_of(SEEDS, budget={"pages": 0}, **settings), tmp_path / "one", lambda: web)
    whole = pages_of([tmp_path / "one"])
    topic = topic_of(SEEDS, budget={"pages": len(whole)}, **settings)
    crawl = run_cluster(topic, tmp_path / "many", lambda: web, 3)
    _, _, results = asyncio.run(asyncio.wait_for(crawl, 60))
    assert {result.stop.kind for result in results} == {"pages"}
    assert pages_of([tmp_path / "many" / "shards" / name for name in names(3)]) == whole


class HeldWeb(SmallWeb):
    """Answers requests for pages only when it is told to."""

    def __init__(self) -> None:
        super().__init__(linked_pages())
        self.asked: set[str] = set()
        self.go_on = asyncio.Event()

    @override
    async def fetch(self, request: Request) -> Response | Failure:
        if request.url.endswith(".html"):
            self.asked.add(request.url)
            await self.go_on.wait()
        return await super().fetch(request)


def test_when_the_run_is_stopped_the_requests_in_flight_are_completed(tmp_path: Path) -> None:
    web = HeldWeb()

    async def stop(cluster: LocalCluster) -> None:
        await until(lambda: len(web.asked) == len(SEEDS))
        head, reported = cluster.network.head, cluster.network.reports
        head.request_stop("stopped")
        # By the sixth report, each shard knows it.
        await until(lambda: cluster.network.reports >= reported + 6 or head.coordinator.has_ended)
        web.go_on.set()

    topic = topic_of(SEEDS, fetch={"robots": False}, budget={"pages": 20})
    _, _, results = asyncio.run(run_cluster(topic, tmp_path, lambda: web, 2, meanwhile=stop))
    assert {result.stop.kind for result in results} == {"interrupted"}
    assert pages_of([tmp_path / "shards" / name for name in names(2)]) == sorted(web.asked)


def test_a_shard_that_cannot_receive_commands_ends_the_run_with_the_reason(tmp_path: Path) -> None:
    web = HeldWeb()

    async def tell(cluster: LocalCluster) -> None:
        await until(lambda: len(web.asked) == len(SEEDS))
        (tmp_path / "shards" / "00" / "inbox").touch()  # not a folder
        send(tmp_path, Command("pause"), by="me")
        reported = cluster.network.reports
        await until(lambda: cluster.network.reports >= reported + 8)
        web.go_on.set()

    topic = topic_of(SEEDS, fetch={"robots": False}, budget={"pages": 20})
    crawl = run_cluster(topic, tmp_path, lambda: web, 2, meanwhile=tell)
    with pytest.raises(HoneyguideError, match="00/inbox: is not a folder"):
        asyncio.run(asyncio.wait_for(crawl, 30))


def test_a_limit_that_ends_the_run_at_once_is_kept(tmp_path: Path) -> None:
    web = HeldWeb()

    async def tell(_: LocalCluster) -> None:
        await until(lambda: len(web.asked) == len(SEEDS))
        send(tmp_path, Command("budget", ("minutes=0.001",)), by="me")

    topic = topic_of(SEEDS, fetch={"robots": False}, budget={"pages": 20})
    _, _, results = asyncio.run(run_cluster(topic, tmp_path, lambda: web, 2, meanwhile=tell))
    assert {result.stop.kind for result in results} == {"minutes"}
    assert CrawlFolder(tmp_path, topic).topic.budget.minutes == 0.001


def test_links_on_which_a_strategy_fails_are_offered_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fails = True

    class Failing(PlainQueue):
        @override
        def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
            if fails and frontier.urls.state(number) is State.ELSEWHERE:
                raise ValueError("out of order")
            super().page(frontier, number, reading, max_depth)

    recipe = Recipe("mine", "test", "", lambda _: inherited, lambda _: Failing())
    monkeypatch.setitem(registry.REGISTRY._own, "mine", recipe)
    web = SmallWeb(linked_pages())
    topic = topic_of(SEEDS, fetch={"robots": False}, strategy={"name": "mine"}, budget={"pages": 0})
    with pytest.raises(PluginError, match="out of order"):
        asyncio.run(run_cluster(topic, tmp_path / "many", lambda: web, 2))
    fails = False
    asyncio.run(run_cluster(topic, tmp_path / "many", lambda: web, 2))
    run_alone(topic, tmp_path / "one", lambda: web)
    folders = [tmp_path / "many" / "shards" / name for name in names(2)]
    assert pages_of(folders) == pages_of([tmp_path / "one"])
