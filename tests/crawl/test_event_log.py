"""What a crawl logs: what happened to its URLs and hosts, and why."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

import pytest

from honeyguide.fetch.base import Failure
from honeyguide.relevance.learning import MILESTONES

from .jumping import run_jumping
from .kit import PaperWeb, about, answer, run, topic

HOME = "http://home.example/"
ROBOTS = "http://home.example/robots.txt"


def crawled(
    folder: Path, caplog: pytest.LogCaptureFixture, pages: dict[str, Any], **tables: Any
) -> list[logging.LogRecord]:
    """Crawl from HOME. Returns the records of the crawl."""
    caplog.set_level(logging.DEBUG, "honeyguide")
    run(topic([HOME], **tables), folder, lambda: PaperWeb(pages))
    return [record for record in caplog.records if record.name == "honeyguide.crawl"]


def of_kind(records: list[logging.LogRecord], event: str) -> list[dict[str, Any]]:
    return [vars(record) for record in records if vars(record)["event"] == event]


def test_every_visit_is_one_record_at_debug_or_info(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    links = [f"http://{name}.example/" for name in ("page", "gone", "moved", "file", "deaf")]
    pages: dict[str, Any] = {
        HOME: about("honey bee", *links),
        links[0]: about("honey"),
        links[2]: answer(links[2], b"", ("Location", HOME), status=301),
        links[3]: answer(links[3], b"", status=200),
        links[4]: Failure(links[4], "dns", "no such name", transient=False),
    }
    pages[links[3]].skipped = "type"
    pages[links[3]].headers = (("Content-Type", "application/pdf"),)
    records = crawled(tmp_path / "crawl", caplog, pages, fetch={"robots": False})
    assert {event["url"]: event["relevance"] > 0 for event in of_kind(records, "page")} == {HOME: True, links[0]: True}
    failed = {event["url"]: (event["kind"], event["detail"]) for event in of_kind(records, "failed")}
    assert failed == {links[1]: ("404", ""), links[4]: ("dns", "no such name")}
    (moved,) = of_kind(records, "redirect")
    assert (moved["url"], moved["target"], moved["status"]) == (links[2], HOME, 301)
    (refused,) = of_kind(records, "refused")
    assert (refused["url"], refused["reason"], refused["type"]) == (links[3], "type", "application/pdf")
    assert refused["msg"] % refused["args"] == f"refused: {links[3]}: type application/pdf"
    visits = [record for record in records if "url" in vars(record)]
    assert len(visits) == 1 + len(links)
    levels = {vars(record)["event"]: record.levelname for record in records}
    assert levels == {
        "start": "INFO", "commit": "DEBUG", "page": "DEBUG", "failed": "INFO", "redirect": "DEBUG", "refused": "DEBUG",
        "stop": "INFO",
    }  # fmt: skip


def test_the_messages(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    busy, moved = "http://home.example/busy", "http://home.example/moved"
    pages: dict[str, Any] = {
        HOME: about("honey bee", busy, moved),
        busy: answer(busy, b"", ("Retry-After", "1"), status=503, reason="Busy"),
        moved: answer(moved, b"", ("Location", "http://out.example/"), status=301),
    }
    pages[HOME] = answer(HOME, pages[HOME])
    pages[HOME].elapsed = 0.25
    settings: dict[str, Any] = {"retries": 1, "patience": 9.0}
    wanted = topic([HOME], fetch=settings, scope={"allow_domains": ["home.example"]})
    with caplog.at_level(logging.DEBUG, "honeyguide.crawl"):
        run_jumping(wanted, tmp_path / "crawl", PaperWeb(pages))
    found = [re.sub(r"\d\d:\d\d:\d\d", "TIME", record.getMessage()) for record in caplog.records]
    shown = [message for message in found if not message.startswith(("commit", "start", "page"))]
    assert sorted(set(shown)) == [
        f"attempt 1 failed, will try again: {busy}: 503: Busy",
        f"failed: {busy}: 503: Busy",
        "host home.example is not contacted until TIME: Retry-After",
        f"refused: {moved}: domain http://out.example/",
        "robots.txt of http://home.example: status 404",
        "stop: 1 pages, 1 relevant: nothing left to fetch within the scope",
    ]
    assert any(
        re.fullmatch(rf"page: {HOME}: relevance 0\.\d{{3}}, promised 1\.000, 250 ms", message) for message in found
    )
    assert any(re.fullmatch(r"commit: 1 pages, \d+ ms", message) for message in found)
    start = rf"start: {tmp_path / 'crawl'}, strategy guide, settings [0-9a-f]{{12}}"
    assert any(re.fullmatch(start, message) for message in found)


@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ({HOME: answer(HOME, b"", ("Retry-After", "7200"), status=503)}, "Retry-After"),
        ({ROBOTS: answer(ROBOTS, b"", status=500)}, "its robots.txt could not be fetched"),
        ({HOME: Failure(HOME, "connect", "refused", transient=True)}, "5 failures in a row"),
    ],
)
def test_a_host_rests_for_a_reason(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, pages: dict[str, Any], reason: str
) -> None:
    # Some other host answers, so that the seeds count as reached.
    pages = {"http://other.example/": about("honey"), **pages}
    caplog.set_level(logging.INFO, "honeyguide")
    wanted = topic([HOME, "http://other.example/"], fetch={"retries": 9 if "5" in reason else 0, "patience": 0.0})
    run(wanted, tmp_path / "crawl", lambda: PaperWeb(pages))
    rests = of_kind([record for record in caplog.records if record.name == "honeyguide.crawl"], "host rests")
    assert [(rest["host"], rest["reason"]) for rest in rests] == [("home.example", reason)]
    assert rests[0]["levelname"] == "INFO"


def test_robots_txt_is_logged_for_each_origin(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pages = {
        HOME: about("honey bee", "http://away.example/"),
        ROBOTS: answer(ROBOTS, b"User-agent: *\nDisallow: /no\nSitemap: http://home.example/map.xml\n"),
        "http://away.example/robots.txt": Failure("http://away.example/robots.txt", "dns", "no name", transient=False),
    }
    found = of_kind(crawled(tmp_path / "crawl", caplog, pages), "robots")
    assert [(event["origin"], event["status"], event["sitemaps"]) for event in found] == [
        ("http://home.example", 200, ["http://home.example/map.xml"]),
        ("http://away.example", 0, []),
    ]


def test_a_new_model_is_logged_at_each_milestone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    most = MILESTONES[1]
    urls = [f"http://home.example/{number}" for number in range(most)]
    pages = {HOME: about("honey bee", *urls), **{url: about(f"honey {url}") for url in urls}}
    records = crawled(
        tmp_path / "crawl", caplog, pages, relevance={"idf": "crawl"}, budget={"pages": most}, fetch={"robots": False}
    )
    assert [event["pages"] for event in of_kind(records, "model")] == list(MILESTONES[:2])


def test_nothing_is_formatted_when_nobody_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A visit costs a comparison or two: no record is made."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a record was made")

    monkeypatch.setattr(logging.Logger, "makeRecord", refuse)
    pages = {HOME: about("honey", "http://gone.example/")}
    assert run(topic([HOME]), tmp_path / "crawl", lambda: PaperWeb(pages)).tally.pages == 1
