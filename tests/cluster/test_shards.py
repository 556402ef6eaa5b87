"""Shards in one process: together they are the same crawl as one machine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from honeyguide.cluster import runner
from honeyguide.crawl import visits
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.testing.web import SmallWeb, linked_pages
from honeyguide.topic import Topic

from .kit import names, pages_of, run_alone, run_cluster, topic_of

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
