"""Crawls with a JOBDIR: stopped, killed, and resumed."""

from __future__ import annotations

import pickle
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request

from honeyguide.scrapy import job, scheduler

from .kit import HONEY, TOPIC, TRAINS, ASpider, Crawl

A, B, C = "http://a.example/1", "http://a.example/2", "http://b.example/3"


@pytest.fixture
def jobdir(tmp_path: Path) -> str:
    return str(tmp_path / "job")


def kept(jobdir: str) -> int:
    """How many requests are on disk."""
    with closing(sqlite3.connect(Path(jobdir, job.FILE))) as connection:
        ((count,),) = connection.execute("SELECT COUNT(*) FROM requests")
    return int(count)


def test_requests_wait_for_the_next_run(tmp_path: Path, jobdir: str) -> None:
    crawl = Crawl(tmp_path, JOBDIR=jobdir)
    for url, priority in ((A, -2), (B, 1), (C, 0)):
        crawl.enqueue(url, priority=priority)
    assert crawl.crawler.stats.get_value("scheduler/enqueued/disk") == 3
    crawl.close()
    again = Crawl(tmp_path, JOBDIR=jobdir)
    assert again.scheduler.has_pending_requests()
    assert len(again.scheduler) == 3
    assert again.rest() == [B, C, A]
    assert again.crawler.stats.get_value("scheduler/dequeued/disk") == 3
    again.close()
    assert kept(jobdir) == 0
    assert len(Crawl(tmp_path, JOBDIR=jobdir).scheduler) == 0


def test_requests_come_back_complete(tmp_path: Path, jobdir: str) -> None:
    crawl = Crawl(tmp_path, JOBDIR=jobdir)
    request = Request(A, crawl.spider.parse, method="POST", body=b"x", meta={"kind": "list"}, cb_kwargs={"page": 2})
    crawl.scheduler.enqueue_request(request)
    crawl.close()
    again = Crawl(tmp_path, JOBDIR=jobdir)
    found = again.next()
    assert found is not None
    assert (found.url, found.method, found.body, found.cb_kwargs) == (A, "POST", b"x", {"page": 2})
    assert found.meta["kind"] == "list"
    assert found.callback == again.spider.parse


def test_duplicates_are_known_to_the_next_run(tmp_path: Path, jobdir: str) -> None:
    crawl = Crawl(tmp_path, JOBDIR=jobdir)
    crawl.enqueue(A)
    crawl.close()
    assert not Crawl(tmp_path, JOBDIR=jobdir).enqueue(A)


def test_requests_that_cannot_be_written_wait_in_memory(
    tmp_path: Path, jobdir: str, caplog: pytest.LogCaptureFixture
) -> None:
    crawl = Crawl(tmp_path, JOBDIR=jobdir)
    crawl.enqueue(A, callback=lambda response: None)
    crawl.enqueue(B, meta={"class": pickle.Pickler})
    crawl.enqueue(C, meta={"generator": (number for number in range(3))})
    warnings = [record for record in caplog.records if record.name == "honeyguide.scrapy"]
    assert [record.levelname for record in warnings] == ["WARNING"]
    assert A in warnings[0].getMessage()
    stats = crawl.crawler.stats
    assert stats.get_value("scheduler/unserializable") == stats.get_value("scheduler/enqueued/memory") == 2
    assert len(crawl.scheduler) == 3
    assert sorted(crawl.rest()) == [A, B, C]


def test_a_crawl_in_two_runs_is_the_same_as_in_one(tmp_path: Path) -> None:
    links = {f"http://{host}.example/{number}": f"{'honey bee' if number % 3 else 'wagon'} {number}"
             for number in range(8) for host in "ab"}  # fmt: skip

    def run(name: str, stops: bool) -> list[str]:
        settings: dict[str, Any] = {"JOBDIR": str(tmp_path / name), "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
        crawl = Crawl(tmp_path, **settings)
        crawl.start("http://a.example/start", "http://b.example/start")
        order = []
        for step in range(14):
            if stops and step in (1, 5):
                crawl.close()
                crawl = Crawl(tmp_path, **settings)
            request = crawl.fetch(HONEY if step % 2 else TRAINS, links)
            order.append(request.url)
            for url in links:
                crawl.enqueue(url)
        promises = [crawl.scheduler.promise(url) for url in links]
        crawl.close()
        return [*order, *map(str, promises)]

    assert run("two", stops=True) == run("one", stops=False)


def test_a_model_that_learns_from_the_first_pages_goes_on(tmp_path: Path, jobdir: str) -> None:
    topic = TOPIC + '[relevance]\nmodel = "vsm"\nidf = "crawl"\n'
    mixed = HONEY[:150] + TRAINS[:200]
    crawl = Crawl(tmp_path, topic, JOBDIR=jobdir)
    crawl.start(*(f"http://a.example/{number}" for number in range(110)))
    for number in range(102):
        crawl.fetch(f"{TRAINS} {number}" if number % 5 else HONEY)
    before = crawl.fetch(mixed).meta["honeyguide_relevance"]
    crawl.close()
    again = Crawl(tmp_path, topic, JOBDIR=jobdir)
    assert again.fetch(mixed).meta["honeyguide_relevance"] == before
    fresh = Crawl(tmp_path, topic)
    fresh.start(A)
    assert fresh.fetch(mixed).meta["honeyguide_relevance"] != before


# ---- when the process is killed ----


def test_requests_in_progress_are_made_again_after_a_crash(tmp_path: Path, jobdir: str) -> None:
    crawl = Crawl(tmp_path, JOBDIR=jobdir)
    for url in (A, B, C):
        crawl.enqueue(url)
    assert crawl.next() is not None
    assert crawl.next() is not None
    crawl.kill()
    assert sorted(Crawl(tmp_path, JOBDIR=jobdir).rest()) == [A, B, C]


def test_what_is_done_is_not_made_again_after_a_crash(
    tmp_path: Path, jobdir: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(scheduler, "monotonic", lambda: clock[0])
    crawl = Crawl(tmp_path, JOBDIR=jobdir)
    crawl.start(A, B, C)
    crawl.fetch(HONEY, {"/found": "honey"})
    crawl.enqueue("http://a.example/found")
    for clock[0] in (2.0, 4.0, 6.0):
        request = crawl.next()
        assert request is not None
    crawl.kill()
    again = Crawl(tmp_path, JOBDIR=jobdir)
    assert sorted(again.rest()) == ["http://a.example/2", "http://a.example/found", C]


def test_a_request_for_a_url_that_was_not_saved_is_made_all_the_same(tmp_path: Path, jobdir: str) -> None:
    crawl = Crawl(tmp_path, JOBDIR=jobdir)
    crawl.start(A)
    crawl.fetch(HONEY, {"/x": "honey", "/y": "wagon"})  # its links are found after the last save
    crawl.enqueue("http://a.example/x")
    crawl.scheduler._store.commit()  # type: ignore[union-attr]
    crawl.kill()
    again = Crawl(tmp_path, JOBDIR=jobdir)
    again.start("http://b.example/1")
    assert again.scheduler.promise("http://a.example/x") is None
    assert "http://a.example/x" in again.rest()


# ---- mistakes ----


def test_a_job_goes_on_with_the_strategy_that_it_began_with(
    tmp_path: Path, jobdir: str, caplog: pytest.LogCaptureFixture
) -> None:
    Crawl(tmp_path, JOBDIR=jobdir).close()
    assert Crawl(tmp_path, TOPIC + '[strategy]\nname = "best-first"\n', JOBDIR=jobdir).is_given_up()
    assert "was made with the strategy guide; use that instead of best-first" in caplog.text


@pytest.mark.parametrize("content", [b"nothing of ours" * 1000, b"PRAGMA"])
def test_a_damaged_job_is_not_overwritten(
    tmp_path: Path, jobdir: str, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    Path(jobdir).mkdir()
    path = Path(jobdir, job.FILE)
    path.write_bytes(content)
    assert Crawl(tmp_path, JOBDIR=jobdir).is_given_up()
    assert str(path) in caplog.text
    assert path.read_bytes() == content


def test_a_job_of_another_version_is_refused(tmp_path: Path, jobdir: str, caplog: pytest.LogCaptureFixture) -> None:
    Crawl(tmp_path, JOBDIR=jobdir).close()
    with closing(sqlite3.connect(Path(jobdir, job.FILE))) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert Crawl(tmp_path, JOBDIR=jobdir).is_given_up()
    assert "another version" in caplog.text


def test_a_spider_without_pages_leaves_a_job_that_can_be_resumed(tmp_path: Path, jobdir: str) -> None:
    crawl = Crawl(tmp_path, JOBDIR=jobdir)
    crawl.close()
    assert isinstance(Crawl(tmp_path, JOBDIR=jobdir).spider, ASpider)
