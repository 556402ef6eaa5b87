"""Labels and keywords for a crawl on several machines: one model for all shards, whatever dies or is lost."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from typing_extensions import override

from honeyguide.cluster import lessons as cluster_lessons
from honeyguide.cluster import runner
from honeyguide.cluster.broadcast import Broadcast
from honeyguide.cluster.ring import Ring
from honeyguide.crawl import model_schedule
from honeyguide.crawl.arrivals import Arrivals
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.relevance import saved
from honeyguide.relevance.base import whole as spans
from honeyguide.relevance.feedback import Feedback
from honeyguide.relevance.text import Text
from honeyguide.store.commands import Command
from honeyguide.store.crawl import Crawl
from honeyguide.store.inbox import send
from honeyguide.strategy.reading import Reading
from honeyguide.teaching.labels import read_labels
from honeyguide.testing.web import SmallWeb

from .kit import LocalCluster, names, run_alone, run_cluster, topic_of, until

SHARDS = 3
BEES = [f"http://bees{number}.example/" for number in range(8)]
BADGERS = [f"http://badgers{number}.example/" for number in range(8)]
LASTS = [f"http://last{number}.example/" for number in range(4)]
FETCHED = [*BEES, *BADGERS]


def behind(url: str) -> str:
    """What a page links to, which is in another shard as a rule, and never fetched."""
    return url.replace(".", "-next.", 1)


def page(words: str, url: str) -> bytes:
    own = " ".join(f"filler{crc32(f'{url} {place}'.encode())}" for place in range(40))
    return f'<title>{url}</title><p>{words} {own} <a href="{behind(url)}">next</a>'.encode()


def rows(folder: Path, sql: str, *values: object) -> list[Any]:
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as connection:
        return connection.execute(sql, values).fetchall()


def events(folder: Path, kind: str) -> list[dict[str, Any]]:
    return [json.loads(text) for (text,) in rows(folder, "SELECT detail FROM events WHERE kind = ? ORDER BY id", kind)]


class SchoolWeb(SmallWeb):
    """Pages about bees and about badgers, all of which contain "honey". The last ones wait until `is_ready`."""

    def __init__(self, is_ready: Callable[[], bool]) -> None:
        bees = {url: page("honey hive queen nectar pollen swarm", url) for url in BEES}
        badgers = {url: page("honey sett claws nocturnal mammal burrow", url) for url in BADGERS}
        super().__init__({**bees, **badgers, **{url: page("honey pollen", url) for url in LASTS}})
        self._is_ready = is_ready

    @override
    async def fetch(self, request: Request) -> Response | Failure:
        await until(lambda: request.url not in LASTS or self._is_ready())
        return await super().fetch(request)


def is_taught(folder: Path, labels: tuple[int, int]) -> bool:
    lessons = events(folder, "taught")
    is_last = bool(lessons) and (lessons[-1]["relevant"], lessons[-1]["others"]) == labels
    return is_last and rows(folder, "SELECT value FROM meta WHERE key = 'lesson_open'") == [(0,)]


def shards(folder: Path) -> list[Path]:
    return [folder / "shards" / name for name in names(SHARDS)]


def crawl(
    folder: Path,
    pages: int,
    *,
    taught: tuple[int, int] | None = None,
    alone: bool = False,
    meanwhile: Callable[[LocalCluster], Coroutine[Any, Any, None]] | None = None,
) -> None:
    """Crawl so many pages, the last of which arrive when all parts were taught, by so many labels of each kind."""
    parts = [folder] if alone else shards(folder)
    web = SchoolWeb(lambda: taught is None or all(is_taught(part, taught) for part in parts))
    tables = {"budget": {"pages": pages}, "relevance": {"model": "auto", "threshold": 0.05}, "fetch": {"robots": False}}
    topic = topic_of([*FETCHED, *LASTS][:pages], "honey", **tables)
    if alone:
        run_alone(topic, folder, lambda: web)
    else:
        asyncio.run(run_cluster(topic, folder, lambda: web, SHARDS, lost=0.15, meanwhile=meanwhile))


def teach(folder: Path) -> None:
    for url, answer in [*((url, "yes") for url in BEES[:5]), *((url, "no") for url in BADGERS[:5])]:
        send(folder, Command("label", (url, answer)), by="test")


def relevances(folder: Path) -> dict[str, float]:
    with Crawl.open(folder) as whole:
        return {page.url: page.relevance for page in whole.pages(relevant=False) if page.url in FETCHED}


def relevant(folder: Path) -> set[str]:
    with Crawl.open(folder) as whole:
        return {page.url for page in whole.pages()}


def version(folder: Path) -> int:
    used = Broadcast.read(folder)
    return 0 if used is None else used.fitted.version


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "RETRY", 0.05)
    monkeypatch.setattr(runner, "TALK_EVERY", 0.1)


def test_labels_make_one_model_for_all_shards_the_same_as_on_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    revised: set[str] = set()

    def revision(self: Arrivals, reading: Reading, *notes: bytes, links: bool) -> None:
        revised.update(reading.links.urls)
        correct(self, reading, *notes, links=links)

    correct = Arrivals.revision
    monkeypatch.setattr(Arrivals, "revision", revision)
    one, many = tmp_path / "one", tmp_path / "many"
    for folder, alone in ((one, True), (many, False)):
        crawl(folder, len(FETCHED), alone=alone)
        assert relevant(folder) >= set(FETCHED)
        teach(folder)
        crawl(folder, len(FETCHED) + 1, taught=(5, 5), alone=alone)
    assert relevances(many) == pytest.approx(relevances(one))
    assert relevant(many) >= set(BEES)
    assert not relevant(many) & set(BADGERS)
    ring = Ring(names(SHARDS))
    assert revised >= {behind(url) for url in BADGERS if ring.owner(behind(url)) != ring.owner(url)}
    assert set(read_labels(many)) == {*BEES[:5], *BADGERS[:5]}
    taught = [events(part, "taught") for part in shards(many)]
    assert {of[-1]["version"] for of in taught} == {version(many)}
    assert len(events(many, "taught")) == len(taught[0])  # as on one machine, not once for every shard
    assert sum(one["ok"] for part in shards(many) for one in events(part, "told")) == 10
    with Crawl.open(many) as whole:
        assert type(whole.model).__name__ == "Taught"

    before, judged = version(many), [len(events(part, "judged again")) for part in shards(many)]
    crawl(many, len(FETCHED) + 2)  # another coordinator, and other lives of the shards: nothing is done again
    assert version(many) == before
    assert [len(events(part, "judged again")) for part in shards(many)] == judged

    send(many, Command("label", ("all", "forget")), by="test")
    crawl(many, len(FETCHED) + 3, taught=(0, 0))
    assert not read_labels(many)
    assert relevant(many) >= set(FETCHED)
    assert version(many) > before
    assert not (many / "taught").exists()


def test_a_shard_and_a_coordinator_that_die_in_a_lesson_catch_up(tmp_path: Path) -> None:
    crawl(tmp_path, len(FETCHED))
    learnt = version(tmp_path)  # from the first pages
    teach(tmp_path)

    async def kill(cluster: LocalCluster) -> None:
        """Two shards die before they hear of the model, one of them with labels; then the coordinator."""
        label = "SELECT 1 FROM events WHERE kind = 'label'"
        await until(lambda: all(rows(part, label) for part in shards(tmp_path)[:2]), 0)
        await cluster.kill("00")
        await cluster.kill("02")
        cluster.start("00")
        await until(lambda: version(tmp_path) > learnt)
        await cluster.replace_coordinator()
        await until(lambda: events(shards(tmp_path)[1], "taught"))
        cluster.start("02")

    crawl(tmp_path, len(FETCHED) + 1, taught=(5, 5), meanwhile=kill)
    assert {events(part, "taught")[-1]["version"] for part in shards(tmp_path)} == {version(tmp_path)}
    assert not relevant(tmp_path) & set(BADGERS)
    assert relevant(tmp_path) >= set(BEES)


def test_keywords_are_learnt_by_all_shards(tmp_path: Path) -> None:
    crawl(tmp_path, len(FETCHED))
    before = relevances(tmp_path)
    send(tmp_path, Command("keywords", ("hive, queen, nectar, pollen, swarm",)), by="test")
    crawl(tmp_path, len(FETCHED) + 1, taught=(0, 0))
    now = relevances(tmp_path)
    assert all(now[url] > 2 * before[url] for url in BEES)
    assert all(now[url] < before[url] for url in BADGERS)
    assert {tuple(one["keywords"]) for part in shards(tmp_path) for one in events(part, "taught")} == {
        ("honey", "hive", "queen", "nectar", "pollen", "swarm")
    }


@pytest.mark.parametrize(
    ("keywords", "relevance"),
    [("honey, hive", {"idf": "crawl"}), ("swarm, apiary, smoker, drone, comb, honeydew", {"model": "auto"})],
    ids=["frequencies", "words"],
)
def test_first_pages_of_all_shards_make_one_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keywords: str, relevance: dict[str, str]
) -> None:
    for module in (model_schedule, cluster_lessons):
        monkeypatch.setattr(module, "MILESTONES", (4, 10))
    monkeypatch.setattr(Feedback, "milestones", (4, 10))

    def go_on(pages: int, meanwhile: Callable[[LocalCluster], Coroutine[Any, Any, None]] | None = None) -> None:
        parts = shards(tmp_path)
        web = SchoolWeb(lambda: all([one["pages"] for one in events(part, "model")][-1:] == [10] for part in parts))
        tables = {"budget": {"pages": pages}, "relevance": relevance, "fetch": {"robots": False}}
        topic = topic_of([*FETCHED, *LASTS][:pages], keywords, **tables)
        asyncio.run(run_cluster(topic, tmp_path, lambda: web, SHARDS, lost=0.15, meanwhile=meanwhile))

    async def kill(cluster: LocalCluster) -> None:
        await until(lambda: version(tmp_path), 0)
        await cluster.replace_coordinator()
        await cluster.kill("01")
        cluster.start("01")

    go_on(9)
    assert version(tmp_path) <= 1  # more pages are needed
    go_on(len(FETCHED) + 2, kill)
    used = Broadcast.read(tmp_path)
    assert used is not None
    assert used.pages == 10
    assert {events(part, "model")[-1]["version"] for part in shards(tmp_path)} == {used.fitted.version}
    assert not any(events(part, "judged again") for part in shards(tmp_path))  # as on one machine
    model = used.model()
    with Crawl.open(tmp_path) as whole:
        last = [page for page in whole.pages(relevant=False) if page.url in LASTS]
        texts = [Text(page.page.words, page.url, page.page.title) for page in last]
        assert [page.relevance for page in last] == pytest.approx([model.score(one, spans(one))[0] for one in texts])
        first = [saved.load(tmp_path / "model").score(one, spans(one))[0] for one in texts]
        assert first != pytest.approx([page.relevance for page in last])
    assert len(last) == 2
