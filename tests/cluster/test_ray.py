"""A real cluster of Ray on this machine: started, killed, resumed."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from honeyguide.cluster.drive import ClusterSession, Place
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.store.crawl import Crawl
from honeyguide.store.status import status_of

from .kit import topic_of

ray: Any = pytest.importorskip("ray", reason="Ray is not installed: pip install 'honeyguide[cluster]'")

WEB = DemoWeb(pages=200, seed=5)
PAGES = 60


@pytest.fixture(autouse=True)
def _without_ray_afterwards() -> Iterator[None]:
    try:
        yield
    finally:
        ray.shutdown()


def test_a_crawl_survives_the_death_of_its_shards_and_its_coordinator(tmp_path: Path) -> None:
    subject = WEB.subjects[0]
    topic = topic_of(WEB.seeds(subject), ",".join(WEB.keywords(subject)), budget={"pages": PAGES})
    session = ClusterSession(
        topic, tmp_path / "crawl", Place("", 2), workers=0, fetcher=partial(DemoFetcher, WEB, topic.fetch)
    )
    killed: list[int] = []

    async def kill() -> None:
        """Kill the coordinator, and a shard, each when there are some pages."""
        for lock, pages in (("crawl/.lock", 5), ("crawl/shards/00/.lock", 15)):
            while session.tally.pages < pages:  # noqa: ASYNC110 (in another process)
                await asyncio.sleep(0.05)
            pid = int((tmp_path / lock).read_text())
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    async def run() -> Any:
        killer = asyncio.create_task(kill())
        try:
            return await session.run()
        finally:
            killer.cancel()

    result = asyncio.run(run())
    assert len(killed) == 2
    assert result.stop.kind == "pages"
    assert result.tally.pages == PAGES
    with Crawl.open(tmp_path / "crawl") as crawl:
        urls = [page.url for page in crawl.pages(relevant=False)]
        assert all(page.text for page in crawl.pages(relevant=False))
    assert len(urls) == len(set(urls)) == PAGES
    assert not status_of(tmp_path / "crawl").running
