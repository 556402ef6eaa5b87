"""A real cluster of Ray on this machine: started, killed, resumed."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from honeyguide.cluster.broadcast import Broadcast
from honeyguide.cluster.drive import ClusterSession, Place
from honeyguide.cluster.ray_edge import ShardActor
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.errors import HoneyguideError
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.settings import FetchSettings
from honeyguide.relevance.models import make_model
from honeyguide.store.commands import Command
from honeyguide.store.crawl import Crawl
from honeyguide.store.folder import is_running
from honeyguide.store.inbox import send
from honeyguide.store.status import status_of
from honeyguide.teaching.labels import read_labels
from honeyguide.testing.texts import BEES, texts
from honeyguide.topic.material import material_of

from .kit import run_alone, topic_of, until

ray: Any = pytest.importorskip("ray", reason="Ray is not installed: pip install 'honeyguide[cluster]'")

WEB = DemoWeb(pages=200, seed=5)
PAGES = 60


@pytest.fixture(autouse=True)
def _without_ray_afterwards() -> Iterator[None]:
    try:
        yield
    finally:
        ray.shutdown()


class HeldFetcher(DemoFetcher):
    """Fetches some pages, and the others only when a file is there."""

    def __init__(self, web: DemoWeb, settings: FetchSettings, pages: int, file: Path) -> None:
        super().__init__(web, settings)
        self._left = pages
        self._file = file

    @override
    async def fetch(self, request: Request) -> Response | Failure:
        self._left -= not request.any_type
        await until(lambda: self._left >= 0 or self._file.exists())
        return await super().fetch(request)


@pytest.mark.cluster
def test_a_shard_that_was_never_started_gets_the_model_of_the_crawl(tmp_path: Path) -> None:
    examples = {"positive": ["https://bees.example/"]}
    topic = topic_of(WEB.seeds(WEB.subjects[0]), examples=examples, budget={"pages": 9})
    fetcher = partial(DemoFetcher, WEB, topic.fetch)
    models = [tmp_path / "crawl" / place / "model" / "model.json" for place in ("", "shards/00", "shards/01")]
    model = make_model(material_of(topic, texts(BEES, 3, 0)))
    for given in (model, None):
        session = ClusterSession(topic, tmp_path / "crawl", Place("", 2), model=given, workers=0, fetcher=fetcher)
        asyncio.run(session.run())
        assert len({path.read_bytes() for path in models}) == 1
        if given is not None:
            shutil.rmtree(models[2].parents[1])


@pytest.mark.cluster
def test_a_shard_that_cannot_be_started_is_an_error_that_says_why(tmp_path: Path) -> None:
    topic = topic_of(["http://bees.example/"], budget={"pages": 1})
    # Processes of Ray do not find the modules of the tests, as if a package were missing on their machine.
    fetcher = partial(HeldFetcher, WEB, topic.fetch, 1, tmp_path)
    session = ClusterSession(topic, tmp_path / "crawl", Place("", 1), workers=0, fetcher=fetcher)
    with pytest.raises(HoneyguideError, match=r"shard 00: cannot be started: .*No module named"):
        asyncio.run(session.run())
    assert not is_running(tmp_path / "crawl")


def test_a_shard_with_an_internal_error_fails_once_and_for_all(tmp_path: Path) -> None:
    def fetcher() -> Any:
        raise RuntimeError("out of order")

    shard = ShardActor("00", ("00",), tmp_path, topic_of(["http://bees.example/"]), "test", None, 0, fetcher, None)
    log = tmp_path / "shards" / "00" / "errors.log"
    log.parent.mkdir(parents=True)
    assert asyncio.run(shard.run()) == f"internal error: RuntimeError: out of order; traceback in {log}"
    assert "Traceback" in log.read_text()


def test_a_coordinator_that_cannot_write_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))  # for `HeldFetcher`, in the processes of Ray
    topic = topic_of(WEB.seeds(WEB.subjects[0]), ",".join(WEB.keywords(WEB.subjects[0])), budget={"pages": PAGES})
    fetcher = partial(HeldFetcher, WEB, topic.fetch, 5, tmp_path / "broken")
    session = ClusterSession(topic, tmp_path / "crawl", Place("", 1), workers=0, fetcher=fetcher)

    async def run() -> Any:
        crawl = asyncio.create_task(session.run())
        await until(lambda: session.tally.pages >= 2 or crawl.done(), 0.1)
        (tmp_path / "crawl" / "cluster.json").unlink()
        (tmp_path / "crawl" / "cluster.json").mkdir()
        (tmp_path / "broken").touch()
        return await asyncio.wait_for(crawl, 60)

    with pytest.raises(HoneyguideError, match=r"the coordinator has failed: .*cluster\.json"):
        asyncio.run(run())


def test_a_crawl_survives_the_death_of_its_shards_and_its_coordinator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))  # for `HeldFetcher`, in the processes of Ray
    subject = WEB.subjects[0]
    topic = topic_of(WEB.seeds(subject), ",".join(WEB.keywords(subject)), budget={"pages": PAGES})
    # Each shard fetches fewer than half of the pages before both kills.
    fetcher = partial(HeldFetcher, WEB, topic.fetch, PAGES // 3, tmp_path / "killed")
    session = ClusterSession(topic, tmp_path / "crawl", Place("", 2), workers=0, fetcher=fetcher)
    killed: list[int] = []

    async def kill() -> None:
        """Kill the coordinator, and a shard, each when there are some pages."""
        for lock, pages in (("crawl/.lock", 5), ("crawl/shards/00/.lock", 15)):
            while session.tally.pages < pages:  # noqa: ASYNC110 (in another process)
                await asyncio.sleep(0.05)
            pid = int((tmp_path / lock).read_text())
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        (tmp_path / "killed").touch()

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


@pytest.mark.cluster
def test_a_crawl_survives_the_death_of_a_node(tmp_path: Path) -> None:
    from ray.cluster_utils import Cluster

    subject = WEB.subjects[0]
    topic = topic_of(WEB.seeds(subject), ",".join(WEB.keywords(subject)), budget={"pages": 0}, cluster={"shards": 3})
    node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100_000_000, "include_dashboard": False}
    head = {**node, "_system_config": {"worker_niceness": 0, "health_check_period_ms": 500}}
    cluster: Any = Cluster(initialize_head=True, head_node_args=head)
    try:
        doomed = cluster.add_node(**node)
        session = ClusterSession(
            topic, tmp_path / "crawl", Place(cluster.address), workers=0, fetcher=partial(DemoFetcher, WEB, topic.fetch)
        )

        async def kill() -> None:
            while session.tally.pages < 20:  # noqa: ASYNC110 (in another process)
                await asyncio.sleep(0.05)
            cluster.remove_node(doomed, allow_graceful=False)
            cluster.add_node(**node)  # in the main thread, for it handles signals

        async def run() -> Any:
            killer = asyncio.create_task(kill())
            result = await session.run()
            await killer
            return result

        result = asyncio.run(run())
    finally:
        ray.shutdown()
        cluster.shutdown()
    run_alone(topic, tmp_path / "alone", partial(DemoFetcher, WEB, topic.fetch))
    assert result.stop.kind == "exhausted"
    with Crawl.open(tmp_path / "crawl") as crawl, Crawl.open(tmp_path / "alone") as alone:
        found = sorted(page.url for page in crawl.pages(relevant=False))
        assert found == sorted(page.url for page in alone.pages(relevant=False))


@pytest.mark.cluster
def test_labels_reach_all_shards_as_one_model(tmp_path: Path) -> None:
    web = DemoWeb(pages=20_000, seed=3)
    subject, folder = web.subjects[0], tmp_path / "crawl"
    fetch = {"delay": 0.2}
    topic = topic_of(web.seeds(subject), ",".join(web.keywords(subject)), fetch=fetch, budget={"pages": 0})
    session = ClusterSession(topic, folder, Place("", 2), workers=0, fetcher=partial(DemoFetcher, web, topic.fetch))
    labels = {True: 3, False: 3}

    def adopted() -> list[tuple[Any, ...]]:
        sql = "SELECT json_extract(detail, '$.version') FROM events WHERE kind = 'taught' ORDER BY id DESC LIMIT 1"
        done = "SELECT value FROM meta WHERE key = 'lesson_open'"
        found = []
        for name in ("00", "01"):
            with closing(sqlite3.connect(folder / "shards" / name / "crawl.sqlite")) as connection:
                found.append((*connection.execute(sql), *connection.execute(done)))
        return found

    async def teach() -> None:
        while session.tally.pages < 60:  # noqa: ASYNC110 (in another process)
            await asyncio.sleep(0.05)
        with Crawl.open(folder) as crawl:
            for page in crawl.pages(relevant=False):
                if labels[page.relevant]:
                    labels[page.relevant] -= 1
                    send(folder, Command("label", (page.url, "yes" if page.relevant else "no")), by="test")
        await until(lambda: (used := Broadcast.read(folder)) and adopted() == [((used.fitted.version,), (0,))] * 2, 0.1)
        session.request_stop()

    async def run() -> None:
        teacher = asyncio.create_task(teach())
        await session.run()
        await teacher

    asyncio.run(run())
    assert not any(labels.values())
    assert len(read_labels(folder)) == 6
    with Crawl.open(folder) as crawl:
        assert type(crawl.model).__name__ == "Taught"
