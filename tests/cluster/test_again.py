"""Pages that several shards visit again: each its own, within one budget, and nothing is lost or visited twice."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from hashlib import sha1
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from honeyguide.cluster.coordinator import Coordinator
from honeyguide.cluster.drive import ClusterSession, Place
from honeyguide.cluster.mail import Parcel, Receipt
from honeyguide.cluster.move import prepare
from honeyguide.cluster.runner import UnreachableError
from honeyguide.crawl.again.revisits import RevisitOptions
from honeyguide.crawl.clock import Clock
from honeyguide.errors import InputError
from honeyguide.fetch.base import Request, Response
from honeyguide.store.changes import changes_since
from honeyguide.store.crawl import Crawl
from honeyguide.store.shards import read_layout
from honeyguide.store.soundness import examine

from .kit import LocalCluster, LocalNetwork, run_alone, run_cluster, topic_of

HOSTS = [f"http://{name}.example" for name in ("bees", "hives", "honey", "wax", "queens", "drones")]
SEEDS = [f"{host}/" for host in HOSTS[:2]]
HTML = (("Content-Type", "text/html"),)
MONTH = 30 * 86_400.0


class LaterClock(Clock):
    """Goes on like any other, and jumps when a test lets it."""

    def __init__(self) -> None:
        self.ahead = 1.7e9 - monotonic()

    def now(self) -> float:
        return self.ahead + monotonic()


def page(text: str, *links: str) -> str:
    return f"<title>{text}</title><p>{text} honey bee. " + " ".join(f'<a href="{link}">honey bee</a>' for link in links)


class LivingWeb:
    """Sites that link to each other, whose pages can be replaced."""

    def __init__(self) -> None:
        self.clock = LaterClock()
        self.asked: list[str] = []
        self.dies_after: dict[str, Any] = {}
        self.pages: dict[str, str] = {}
        for place, host in enumerate(HOSTS):
            other = HOSTS[(place + 1) % len(HOSTS)]
            self.pages[f"{host}/"] = page(f"front of {host}", f"{host}/1", f"{host}/2", f"{other}/")
            for number in (1, 2):
                self.pages[f"{host}/{number}"] = page(f"article {number} of {host}", f"{other}/{number}")

    async def fetch(self, request: Request) -> Response:
        url = request.url
        if not url.endswith("/robots.txt"):
            self.asked.append(url)
        await asyncio.sleep(0.005)
        body = self.pages.get(url, "").encode()
        etag = f'"{sha1(body).hexdigest()[:8]}"'
        headers, status = (*HTML, ("ETag", etag)), 200 if body else 404
        if body and request.etag == etag:
            status, body = 304, b""
        return Response(url, status, "", headers, body, body, (), started=self.clock.now())

    async def close(self) -> None:
        pass


def topic(**tables: Any) -> Any:
    return topic_of(SEEDS, **{"revisit": {"chance": 0.0}, "budget": {"pages": 0}, **tables})


def crawled(web: LivingWeb, folder: Path, shards: int = 3, **options: Any) -> Coordinator:
    tables = options.pop("tables", {})
    result = asyncio.run(run_cluster(topic(**tables), folder, lambda: web, shards, clock=web.clock, **options))
    return result[0]


def again(web: LivingWeb, folder: Path, shards: int = 3, **options: Any) -> Coordinator:
    web.clock.ahead += MONTH
    web.asked.clear()
    return crawled(web, folder, shards, again=RevisitOptions(), **options)


def changed(web: LivingWeb) -> None:
    """One page has a link to a new page of another site, one is gone."""
    web.pages[f"{HOSTS[0]}/1"] = page("changed article", f"{HOSTS[3]}/new", f"{HOSTS[0]}/own")
    web.pages[f"{HOSTS[3]}/new"] = page("new article")
    web.pages[f"{HOSTS[0]}/own"] = page("another new article")
    del web.pages[f"{HOSTS[4]}/2"]


def rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for name in read_layout(folder).shards:
        with closing(sqlite3.connect(folder / "shards" / name / "crawl.sqlite")) as connection:
            found += connection.execute(sql).fetchall()
    return found


def test_shards_visit_their_pages_again_and_find_what_is_new_on_any_of_them(tmp_path: Path) -> None:
    web, folder = LivingWeb(), tmp_path / "crawl"
    assert crawled(web, folder).tally.pages == 18
    changed(web)
    coordinator = again(web, folder)
    assert coordinator.stop is not None
    assert coordinator.stop.kind == "exhausted"
    assert "revisited" in coordinator.stop.text
    tally = coordinator.tally
    assert (tally.again, tally.changed, tally.gone, tally.pages) == (18, 1, 1, 20)
    assert sorted(web.asked) == sorted({*web.pages, f"{HOSTS[4]}/2"})
    with Crawl.open(folder) as crawl:
        assert len([*crawl.pages(relevant=False)]) == 20
        (version,) = [one for one in crawl.pages(relevant=False) if one.url == f"{HOSTS[0]}/1"]
        assert [one.title for one in crawl.versions(version)] == [f"article 1 of {HOSTS[0]}", "changed article"]
        kinds = sorted(change.kind for change in changes_since(crawl, web.clock.now() - MONTH / 2))
    assert kinds == ["changed", "gone", "new", "new"]


def test_the_same_as_on_one_machine(tmp_path: Path) -> None:
    web = LivingWeb()
    crawled(web, tmp_path / "several")
    run_alone(topic(), tmp_path / "alone", lambda: web, clock=web.clock)
    changed(web)
    several = again(web, tmp_path / "several").tally
    alone = run_alone(topic(), tmp_path / "alone", lambda: web, clock=web.clock, again=RevisitOptions()).tally
    for name in ("pages", "relevant", "again", "changed", "gone"):
        assert getattr(several, name) == getattr(alone, name), name


@pytest.mark.parametrize("budget", [1, 5, 11])
def test_the_budget_is_that_of_all_shards_together_and_exact(tmp_path: Path, budget: int) -> None:
    web, folder = LivingWeb(), tmp_path / "crawl"
    crawled(web, folder)
    web.clock.ahead += MONTH
    changed(web)
    for _ in range(2):  # each run has the whole budget
        coordinator = again(web, folder, tables={"budget": {"pages": budget}})
        assert coordinator.stop is not None
        assert coordinator.stop.kind == "pages"
        assert len(web.asked) == budget
    # A run without --again counts pages alone, those of all runs.
    pages = sum(count for (count,) in rows(folder, "SELECT count(*) FROM pages"))
    web.asked.clear()
    stop = crawled(web, folder, tables={"budget": {"pages": pages}}).stop
    assert stop is not None
    assert stop.kind == "pages"
    assert not web.asked


def test_urls_that_waited_before_keep_waiting(tmp_path: Path) -> None:
    web, folder = LivingWeb(), tmp_path / "crawl"
    crawled(web, folder, tables={"budget": {"pages": 9}})
    known = {url for (url,) in rows(folder, "SELECT url FROM pages JOIN urls USING (id)")}
    again(web, folder)
    assert sorted(web.asked) == sorted(known)
    assert crawled(web, folder).tally.pages == 18


def find_undelivered(folder: Path) -> list[int]:
    """How many items each shard has for others."""
    found = []
    for shard in (folder / "shards").iterdir():
        with closing(sqlite3.connect(shard / "crawl.sqlite")) as connection:
            found += [count for (count,) in connection.execute("SELECT count(*) FROM outbox")]
    return found


def test_links_that_had_not_arrived_keep_waiting_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web, folder = LivingWeb(), tmp_path / "crawl"

    async def fail(_network: LocalNetwork, parcel: Parcel) -> Receipt:
        raise UnreachableError(parcel.receiver)

    with monkeypatch.context() as patched:
        patched.setattr(LocalNetwork, "deliver", fail)
        crawled(web, folder, tables={"budget": {"pages": 3}})
    known = {url for (url,) in rows(folder, "SELECT url FROM pages JOIN urls USING (id)")}
    assert any(find_undelivered(folder))
    again(web, folder)
    assert sorted(web.asked) == sorted(known)
    assert crawled(web, folder).tally.pages == 18


def test_pages_are_visited_again_beside_new_ones_if_the_topic_says_so(tmp_path: Path) -> None:
    web, folder = LivingWeb(), tmp_path / "crawl"
    crawled(web, folder, tables={"budget": {"pages": 9}})
    web.clock.ahead += MONTH
    web.asked.clear()
    tables = {"revisit": {"chance": 0.0, "always": True}, "budget": {"pages": 27}}
    coordinator = crawled(web, folder, tables=tables)
    assert len(web.asked) == 18  # 9 of 27 were there before
    assert coordinator.tally.visits == 27


def test_a_shard_or_coordinator_that_dies_visits_nothing_twice(tmp_path: Path) -> None:
    web, folder = LivingWeb(), tmp_path / "crawl"
    crawled(web, folder)
    changed(web)

    async def kill(cluster: LocalCluster) -> None:
        while len(web.asked) < 6:  # noqa: ASYNC110 (counted by the web)
            await asyncio.sleep(0.005)
        victim = cluster.shards[0]
        await cluster.kill(victim)
        await cluster.replace_coordinator()
        cluster.start(victim)

    coordinator = again(web, folder, meanwhile=kill)
    visits = rows(folder, "SELECT url, count(*) FROM events WHERE kind = 'again' GROUP BY 1")
    assert len(visits) == 18
    assert {count for _, count in visits} == {1}
    assert (coordinator.tally.again, coordinator.tally.pages) == (18, 20)


@pytest.mark.parametrize(("first", "then"), [(3, 2), (2, 0), (0, 2)])
def test_versions_move_with_their_pages(tmp_path: Path, first: int, then: int) -> None:
    web, folder = LivingWeb(), tmp_path / "crawl"
    folder.mkdir()

    def run(count: int, **options: Any) -> None:
        if count:
            crawled(web, folder, count, **options)
        else:
            if read_layout(folder).shards:
                prepare(folder, topic(), 0)
            run_alone(topic(), folder, lambda: web, clock=web.clock, **options)

    def versions() -> dict[str, list[str]]:
        with Crawl.open(folder) as crawl:
            return {one.url: [old.text for old in crawl.versions(one)] for one in crawl.pages(relevant=False)}

    run(first)
    changed(web)
    web.clock.ahead += MONTH
    run(first, again=RevisitOptions())
    before = versions()
    assert len(before[f"{HOSTS[0]}/1"]) == 2
    web.pages[f"{HOSTS[0]}/1"] = page("changed once more")
    web.clock.ahead += MONTH
    web.asked.clear()
    run(then, again=RevisitOptions())
    assert len(web.asked) == 20
    after = versions()
    assert len(after.pop(f"{HOSTS[0]}/1")) == 3
    assert after == {url: texts for url, texts in before.items() if url in after}
    assert [finding.text for finding in examine(folder, full=True) if not finding.sound] == []


def test_there_must_be_a_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.cluster.drive.ray_module", lambda: None)
    with pytest.raises(InputError, match="there is no crawl"):
        ClusterSession(topic(), tmp_path / "crawl", Place("", 2), again=RevisitOptions())
    assert not list(tmp_path.iterdir())
