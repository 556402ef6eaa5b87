"""What Scrapy asks of a scheduler, and the order that this one is for."""

from __future__ import annotations

import logging
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.core.scheduler import BaseScheduler
from scrapy.http import HtmlResponse, TextResponse

from honeyguide.scrapy import Scheduler

from .kit import HONEY, TOPIC, TRAINS, Crawl

A, B, C = "http://a.example/1", "http://a.example/2", "http://b.example/3"


# ---- what Scrapy asks of any scheduler ----


def test_it_is_a_scheduler() -> None:
    assert issubclass(Scheduler, BaseScheduler)


def test_every_request_is_handed_out_once(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    assert not crawl.scheduler.has_pending_requests()
    assert crawl.scheduler.next_request() is None
    for url in (A, B, C):
        assert crawl.enqueue(url)
    assert crawl.scheduler.has_pending_requests()
    assert len(crawl.scheduler) == 3
    assert sorted(crawl.rest()) == [A, B, C]
    assert not crawl.scheduler.has_pending_requests()
    assert len(crawl.scheduler) == 0
    stats = crawl.crawler.stats.get_stats()
    assert stats["scheduler/enqueued"] == stats["scheduler/dequeued"] == stats["scheduler/dequeued/memory"] == 3


def test_the_request_itself_is_handed_out(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    request = Request(A, method="POST", body=b"x", cb_kwargs={"page": 3})
    crawl.scheduler.enqueue_request(request)
    assert crawl.next() is request


def test_priorities_that_a_spider_sets_come_first(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.start("http://a.example/start")
    crawl.fetch(HONEY, {"/good": "honey bee hive", "/bad": "wagon rail", "/early": "wagon", "/late": "honey hive"})
    crawl.enqueue("http://a.example/late", priority=-1)
    crawl.enqueue("http://a.example/bad")
    crawl.enqueue("http://a.example/good")
    crawl.enqueue("http://a.example/early", priority=2)
    assert [url.rpartition("/")[2] for url in crawl.rest()] == ["early", "good", "bad", "late"]


def test_equal_requests_come_in_the_order_in_which_they_were_made(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    urls = [f"http://a.example/{number}" for number in (3, 1, 2, 5, 4)]
    for url in urls:
        crawl.enqueue(url)
    assert crawl.rest() == urls


def test_duplicates_are_refused_unless_the_spider_wants_them(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    assert crawl.enqueue(A)
    assert not crawl.enqueue(A)
    assert crawl.enqueue(A, dont_filter=True)
    assert crawl.crawler.stats.get_value("dupefilter/filtered") == 1
    assert crawl.rest() == [A, A]
    assert not crawl.enqueue(A)


def test_the_duplicate_filter_of_the_settings_is_used(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, DUPEFILTER_CLASS="scrapy.dupefilters.BaseDupeFilter")
    assert crawl.enqueue(A)
    assert crawl.enqueue(A)
    assert len(crawl.scheduler) == 2


def test_urls_that_only_scrapy_can_fetch_are_scheduled_too(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    for url in ("data://x/text/plain,1", "s3://bucket/file"):
        assert crawl.enqueue(url)
    assert len(crawl.rest()) == 2


# ---- slots of the downloader ----


def test_a_busy_slot_gets_no_more_requests(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, CONCURRENT_REQUESTS_PER_DOMAIN=2)
    for url in (A, B, "http://a.example/4", C):
        crawl.enqueue(url)
    first, second, third = crawl.next(), crawl.next(), crawl.next()
    assert first is not None
    assert second is not None
    assert third is not None
    assert [first.url, second.url, third.url] == [A, C, B]  # the slot with fewer requests in progress first
    assert crawl.next() is None
    assert crawl.scheduler.has_pending_requests()
    crawl.done(first)
    assert crawl.rest() == ["http://a.example/4"]


def test_a_slot_may_have_a_limit_of_its_own(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, CONCURRENT_REQUESTS_PER_DOMAIN=8, DOWNLOAD_SLOTS={"a.example": {"concurrency": 1}})
    crawl.enqueue(A)
    crawl.enqueue(B)
    assert crawl.next() is not None
    assert crawl.next() is None


def test_requests_made_without_the_scheduler_count(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, CONCURRENT_REQUESTS_PER_DOMAIN=2)
    robots = {Request("http://a.example/robots.txt")}
    for url in (A, B):
        crawl.enqueue(url)
    crawl.downloads.slots["a.example"] = SimpleNamespace(active=robots)
    assert crawl.next() is not None
    assert crawl.next() is None
    robots.clear()
    assert crawl.next() is not None


def test_spiders_can_name_slots(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, CONCURRENT_REQUESTS_PER_DOMAIN=1)
    crawl.enqueue(A, meta={"download_slot": "x"})
    crawl.enqueue(B, meta={"download_slot": "x"})
    crawl.enqueue("http://a.example/4", meta={"download_slot": "y"})
    found = [crawl.next(), crawl.next(), crawl.next()]
    assert [request and request.url for request in found] == [A, "http://a.example/4", None]


def test_slots_of_equal_promise_take_turns(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    for slot in "abc":
        for number in range(2):
            crawl.enqueue(f"http://{slot}.example/{number}")
    hosts = [request.url[7] for _ in range(6) if (request := crawl.next()) is not None]
    assert sorted(hosts[:3]) == sorted(hosts[3:]) == ["a", "b", "c"]


# ---- the order ----


def test_the_most_promising_link_is_next(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.start("http://a.example/start")
    crawl.fetch(TRAINS, {"/bad": "wagon timetable", "/good": "honey and the bee hive", "/worse": "bridge"})
    for name in ("bad", "worse", "good"):
        crawl.enqueue(f"http://a.example/{name}")
    assert crawl.rest()[0] == "http://a.example/good"


def test_requests_that_wait_change_their_places(tmp_path: Path) -> None:
    """What waits is judged again when a later page says more about it, or the strategy has learnt."""
    crawl = Crawl(tmp_path)
    crawl.start("http://a.example/start", "http://b.example/start")
    crawl.fetch(TRAINS, {"http://c.example/x": "here", "http://c.example/y": "there"})
    crawl.enqueue("http://c.example/x")
    crawl.enqueue("http://c.example/y")
    before = crawl.scheduler.promise("http://c.example/y")
    crawl.fetch(HONEY, {"http://c.example/y": "honey bee hive nectar"})
    after = crawl.scheduler.promise("http://c.example/y")
    assert before is not None
    assert after is not None
    assert after > before
    assert crawl.rest() == ["http://c.example/y", "http://c.example/x"]


def test_links_that_the_spider_does_not_request_are_not_fetched(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.start("http://a.example/start")
    crawl.fetch(HONEY, {"/best": "honey bee hive", "/other": "wagon"})
    crawl.enqueue("http://a.example/other")
    assert crawl.scheduler.promise("http://a.example/best") is not None
    assert crawl.rest() == ["http://a.example/other"]


def test_a_request_that_is_no_link_counts_as_its_page_does(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.start("http://a.example/1", "http://b.example/1")
    crawl.fetch(TRAINS)
    crawl.fetch(HONEY)
    crawl.enqueue("http://a.example/api", headers={"Referer": "http://a.example/1"})
    crawl.enqueue("http://c.example/from-nowhere")
    crawl.enqueue("http://b.example/api", headers={"Referer": "http://b.example/1"})
    assert crawl.rest()[0] == "http://b.example/api"


def test_a_redirect_promises_what_its_source_did(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.start("http://a.example/start")
    crawl.fetch(HONEY, {"/good": "honey bee hive"})
    crawl.enqueue("http://a.example/good")
    request = crawl.next()
    assert request is not None
    crawl.done(request)
    crawl.enqueue("http://a.example/better", meta={"redirect_urls": ["http://a.example/good"]}, dont_filter=True)
    assert crawl.scheduler.promise("http://a.example/better") == crawl.scheduler.promise("http://a.example/good")


def test_a_request_that_is_tried_again_keeps_its_promise(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.start("http://a.example/start")
    crawl.fetch(HONEY, {"/good": "honey bee hive", "/bad": "wagon"})
    crawl.enqueue("http://a.example/good")
    request = crawl.next()
    assert request is not None
    crawl.done(request)
    crawl.enqueue("http://a.example/bad")
    crawl.enqueue("http://a.example/good", dont_filter=True)
    assert crawl.rest() == ["http://a.example/good", "http://a.example/bad"]


def test_a_request_that_is_tried_again_is_judged_again(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.start("http://a.example/start", "http://b.example/start")
    crawl.fetch(TRAINS, {"http://c.example/x": "here"})
    crawl.enqueue("http://c.example/x", priority=1)
    request = crawl.next()
    assert request is not None
    crawl.done(request)
    crawl.enqueue("http://c.example/x", dont_filter=True)
    before = crawl.scheduler.promise("http://c.example/x")
    crawl.fetch(HONEY, {"http://c.example/x": "honey bee hive nectar"})
    after = crawl.scheduler.promise("http://c.example/x")
    assert before is not None
    assert after is not None
    assert after > before


def test_other_strategies_can_be_used(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, TOPIC + '[strategy]\nname = "breadth-first"\n')
    crawl.start("http://a.example/start")
    links = {"/bad": "wagon", "/good": "honey bee hive"}
    crawl.fetch(HONEY, links)
    for url in links:
        crawl.enqueue(f"http://a.example{url}")
    assert crawl.rest() == ["http://a.example/bad", "http://a.example/good"]


# ---- pages ----


def test_a_spider_is_told_how_relevant_its_page_is(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.start(A, B)
    good, bad = crawl.fetch(HONEY), crawl.fetch(TRAINS)
    assert good.meta["honeyguide_relevant"]
    assert not bad.meta["honeyguide_relevant"]
    assert good.meta["honeyguide_relevance"] > bad.meta["honeyguide_relevance"]
    assert crawl.crawler.stats.get_value("honeyguide/pages") == 2
    assert crawl.crawler.stats.get_value("honeyguide/relevant") == 1


def test_what_is_no_page_teaches_that_its_place_is_no_good(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.start("http://a.example/start")
    crawl.fetch(HONEY, {f"/{kind}/{number}": "honey" for kind in "xy" for number in range(6)})
    for number in range(6):
        crawl.enqueue(f"http://a.example/x/{number}")
    for status in (404, 404, 500):
        crawl.fetch("gone", status=status)
    request = crawl.next()
    assert request is not None
    crawl.done(request, TextResponse(request.url, body=b"{}", headers={"Content-Type": "application/json"}))
    assert crawl.crawler.stats.get_value("honeyguide/pages") == 1
    assert "honeyguide_relevance" not in request.meta


def test_downloads_that_were_not_scheduled_are_not_read(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.start(A)
    request = Request("http://a.example/robots.txt")
    crawl.downloads.active.add(request)
    crawl.done(request, HtmlResponse(request.url, body=HONEY.encode()))
    assert crawl.crawler.stats.get_value("honeyguide/pages") is None


def test_a_page_that_is_fetched_again_teaches_nothing_new(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.start(A)
    crawl.fetch(HONEY, {"/good": "honey bee"})
    before = crawl.scheduler.promise("http://a.example/good")
    crawl.enqueue(A, dont_filter=True)
    assert crawl.fetch(HONEY, {"/good": "honey bee"}).meta["honeyguide_relevant"]
    assert crawl.scheduler.promise("http://a.example/good") == before


# ---- mistakes ----


@pytest.mark.parametrize(
    ("topic", "problem"),
    [
        ("keywords = 3\n", "keywords"),
        (TOPIC + '[strategy]\nname = "nothing"\n', "nothing"),
        (TOPIC + '[strategy]\nname = "host-bandit"\n', "chooses between hosts"),
        (TOPIC + '[examples]\npositive = ["https://example.org/"]\n', "honeyguide train"),
    ],
)
def test_a_topic_that_cannot_be_used_closes_the_spider_with_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, topic: str, problem: str
) -> None:
    assert Crawl(tmp_path, topic).is_given_up()
    (record,) = (record for record in caplog.records if record.name == "honeyguide.scrapy")
    assert record.levelno == logging.ERROR
    assert problem in record.getMessage()
    assert "\n" not in record.getMessage()
    assert record.exc_info is None


@pytest.mark.parametrize(("name", "problem"), [(None, "HONEYGUIDE_TOPIC: is not set"), ("none.toml", "none.toml")])
def test_there_must_be_a_topic(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str | None, problem: str
) -> None:
    assert Crawl(tmp_path, HONEYGUIDE_TOPIC=name).is_given_up()
    assert problem in caplog.text


def test_examples_in_files_are_learnt_from(tmp_path: Path) -> None:
    (tmp_path / "good.html").write_text(f"<p>{HONEY}")
    (tmp_path / "bad.html").write_text(f"<p>{TRAINS}")
    crawl = Crawl(tmp_path, '[examples]\npositive = ["good.html"]\nnegative = ["bad.html"]\n')
    crawl.start(A, B)
    assert crawl.fetch(HONEY).meta["honeyguide_relevance"] > crawl.fetch(TRAINS).meta["honeyguide_relevance"]
