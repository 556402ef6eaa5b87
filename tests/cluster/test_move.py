"""A crawl goes on with another number of shards, or on one machine, and fetches what it would have fetched anyway."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from honeyguide.cluster.move import prepare
from honeyguide.cluster.ring import Ring
from honeyguide.store.commands import Command
from honeyguide.store.crawl import Crawl
from honeyguide.store.inbox import deliver, pending, send
from honeyguide.store.shards import read_layout
from honeyguide.testing.web import SmallWeb, linked_pages

from .kit import names, run_alone, run_cluster, settled_in, topic_of

SEEDS = ["http://bees.example/", "http://hives.example/"]


@pytest.mark.parametrize(("first", "then"), [(3, 2), (2, 0), (0, 2)])
def test_hosts_move_with_all_that_is_known_of_them(tmp_path: Path, first: int, then: int) -> None:
    web, pages = SmallWeb(linked_pages()), 20

    def run(count: int, budget: int) -> None:
        topic = topic_of(SEEDS, fetch={"robots": False}, budget={"pages": budget})
        if count:
            asyncio.run(run_cluster(topic, tmp_path / "crawl", lambda: web, count))
        else:
            (tmp_path / "crawl").mkdir(exist_ok=True)
            if read_layout(tmp_path / "crawl").shards:
                prepare(tmp_path / "crawl", topic, 0)
            run_alone(topic, tmp_path / "crawl", lambda: web)

    run(first, pages)
    with Crawl.open(tmp_path / "crawl") as crawl:
        before = {page.url: page.text for page in crawl.pages(relevant=False)}
        fetched = {page.url: page.fetched for page in crawl.pages(relevant=False)}
        counts = {name: crawl.meta[name] for name in ("pages", "relevant", "size")}
    assert len(before) == pages
    run(then, pages)  # nothing is left of the budget: nothing happens but the move
    with Crawl.open(tmp_path / "crawl") as crawl:
        assert {page.url: page.text for page in crawl.pages(relevant=False)} == before
        assert {name: crawl.meta[name] for name in ("pages", "relevant", "size")} == counts
    run(then, 0)
    run_alone(topic_of(SEEDS, fetch={"robots": False}, budget={"pages": 0}), tmp_path / "alone", lambda: web)
    with Crawl.open(tmp_path / "alone") as alone, Crawl.open(tmp_path / "crawl") as crawl:
        found = [page.url for page in crawl.pages(relevant=False)]
        assert sorted(found) == sorted(page.url for page in alone.pages(relevant=False))
        assert fetched == {page.url: page.fetched for page in crawl.pages(relevant=False) if page.url in fetched}


def test_commands_that_a_shard_could_not_apply_any_more_are_not_lost(tmp_path: Path) -> None:
    web, folder = SmallWeb(linked_pages()), tmp_path / "crawl"
    topic = topic_of(SEEDS, fetch={"robots": False}, budget={"pages": 5})
    asyncio.run(run_cluster(topic, folder, lambda: web, 2))
    number = send(folder, Command("block", ("rails.example",)), by="me")
    (message,) = pending(folder)
    for name in names(2):
        deliver(folder / "shards" / name, message)
    (folder / "inbox" / f"{number}.json").unlink()  # both had it when they were killed
    prepare(folder, topic, 3)
    assert pending(folder) == [message]


@pytest.mark.parametrize("then", [0, 3])
@pytest.mark.parametrize("begun", [0, 1])
def test_a_crawl_whose_shards_have_not_all_begun_can_be_moved(tmp_path: Path, begun: int, then: int) -> None:
    web, folder = SmallWeb(linked_pages()), tmp_path / "crawl"
    # The other shard has nothing to fetch, so it might as well never have begun.
    topic = topic_of(SEEDS[:1], fetch={"robots": False}, scope={"allow_domains": ["bees.example"]}, budget={"pages": 0})
    if begun:
        asyncio.run(run_cluster(topic, folder, lambda: web, 2))
        owner = Ring(names(2)).owner(SEEDS[0])
        shutil.rmtree(next(folder / "shards" / name for name in names(2) if name != owner))
    else:
        settled_in(topic, folder, 2).close()
    if then:
        asyncio.run(run_cluster(topic, folder, lambda: web, then))
    else:
        prepare(folder, topic, 0)
        run_alone(topic, folder, lambda: web)
    run_alone(topic, tmp_path / "alone", lambda: web)
    with Crawl.open(tmp_path / "alone") as alone, Crawl.open(folder) as crawl:
        urls = sorted(page.url for page in crawl.pages(relevant=False))
        assert urls == sorted(page.url for page in alone.pages(relevant=False)) != []
