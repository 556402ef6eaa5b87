"""How crawls end: every stop reason, what a second run does, and what is said when nothing was found."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest
import uvloop

from honeyguide.crawl.budget import StopReason, spent
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.store.tally import Tally
from honeyguide.topic import Topic
from honeyguide.topic.budget import BudgetSettings

from .kit import PaperWeb, about, answer, check_archive, check_tables, html, rows, run, topic

HOME = "http://a.example/"


def chain(length: int, relevant: Callable[[int], bool] = lambda _: True) -> dict[str, str]:
    """Pages that link each to the next; those about honey are relevant."""
    return {
        f"{HOME}{place or ''}": about("honey bee honey bee" if relevant(place) else "granite basalt", f"/{place + 1}")
        for place in range(length)
    }


def crawl(folder: Path, pages: dict[str, Any] | None = None, **tables: Any) -> CrawlResult:
    web = PaperWeb(chain(30) if pages is None else pages)
    return run(topic([HOME], **tables), folder, lambda: web)


def count(folder: Path) -> int:
    return len(rows(folder, "SELECT 1 FROM pages"))


# ---- each reason ----


@pytest.mark.parametrize("connections", [1, 8])
def test_pages_are_counted_exactly(tmp_path: Path, connections: int) -> None:
    pages = {HOME: about("honey", *(f"/{place}" for place in range(40)))}
    pages |= {f"{HOME}{place}": about(f"bee {place}") for place in range(40)}
    outcome = crawl(tmp_path, pages, budget={"pages": 7}, fetch={"connections": connections})
    assert outcome.stop.kind == "pages"
    assert outcome.stop.text == "the budget of 7 pages is used up"
    assert count(tmp_path) == outcome.tally.pages == 7


def test_relevant_pages(tmp_path: Path) -> None:
    outcome = crawl(tmp_path, chain(30, lambda place: place % 3 == 0), budget={"relevant": 4})
    assert outcome.stop.kind == "relevant"
    assert (outcome.tally.relevant, outcome.tally.pages) == (4, 10)  # pages 0, 3, 6 and 9


def test_bytes(tmp_path: Path) -> None:
    size = len(chain(1)[HOME].encode())
    outcome = crawl(tmp_path, budget={"bytes": 3 * size, "pages": 0})
    assert outcome.stop.kind == "bytes"
    assert outcome.tally.size >= 3 * size
    assert outcome.tally.pages <= 4


def test_minutes(tmp_path: Path) -> None:
    class Quick:
        """A clock on which every look takes two seconds."""

        time = 1.7e9

        def now(self) -> float:
            self.time += 2.0
            return self.time

    web = PaperWeb(chain(1000))
    wanted = topic([HOME], budget={"minutes": 1, "pages": 0})
    outcome = run(wanted, tmp_path, lambda: web, clock=Quick())
    assert outcome.stop.kind == "minutes"
    assert outcome.tally.seconds >= 60
    assert 0 < outcome.tally.pages < 30
    again = run(wanted, tmp_path, lambda: web, clock=Quick())  # each run has its minutes
    assert again.stop == outcome.stop
    assert not again.stop.finished
    assert again.tally.pages > outcome.tally.pages
    assert again.tally.seconds >= 120


def test_a_harvest_that_dries_up(tmp_path: Path) -> None:
    budget = {"harvest_window": 4, "harvest_floor": 0.3}
    outcome = crawl(tmp_path, chain(30, lambda place: place < 5), budget=budget)
    assert outcome.stop.kind == "harvest"
    # Pages 0 to 4 are relevant. Of the last four before page 7: two; before page 8 (4, 5, 6, 7): one, a quarter.
    assert outcome.tally.pages == 8


def test_a_harvest_at_its_floor_goes_on(tmp_path: Path) -> None:
    outcome = crawl(
        tmp_path, chain(12, lambda place: place % 4 == 0), budget={"harvest_window": 4, "harvest_floor": 0.25}
    )
    assert (outcome.stop.kind, outcome.tally.pages) == ("exhausted", 12)


def test_nothing_left(tmp_path: Path) -> None:
    outcome = crawl(tmp_path)
    assert outcome.stop.kind == "exhausted"
    assert outcome.tally.pages == 30


def test_nothing_but_hosts_that_want_to_be_left_alone(tmp_path: Path) -> None:
    pages: dict[str, Any] = {
        HOME: about("honey bee", "/busy"),
        f"{HOME}busy": lambda request, _: answer(request.url, b"", ("Retry-After", "3600"), status=503),
    }
    outcome = crawl(tmp_path, pages)
    assert outcome.stop.kind == "waiting"
    assert "run the same command again" in outcome.stop.text
    assert rows(tmp_path, "SELECT url FROM urls WHERE state = 0") == [(f"{HOME}busy",)]
    # The wait is kept: a second run knows of it and asks for nothing.
    web = PaperWeb(pages)
    assert run(topic([HOME]), tmp_path, lambda: web).stop.kind == "waiting"
    assert web.asked == []


def test_a_robots_file_on_a_host_that_rests_is_not_asked_for_again_and_again(tmp_path: Path) -> None:
    def to_b(request: Request, _: int) -> Response:
        return answer(request.url, b"", ("Location", "http://b.example/robots.txt"), status=301)

    def busy(request: Request, _: int) -> Response:
        return answer(request.url, b"", ("Retry-After", "86400"), status=503)

    web = PaperWeb({"http://b.example/robots.txt": busy, f"{HOME}robots.txt": to_b})
    session = Session(topic(["http://b.example/", HOME]), tmp_path, fetcher=lambda: web, workers=0)
    outcome = asyncio.run(asyncio.wait_for(session.run(), 30))
    assert outcome.stop.kind == "waiting"
    assert web.asked == ["http://b.example/robots.txt", f"{HOME}robots.txt"]


class Stopping(PaperWeb):
    """A web that asks the session to stop at its fifth page."""

    session: Session
    times = 1

    async def fetch(self, request: Request) -> Response | Failure:
        if len(self.asked_pages) == 4:
            for _ in range(self.times):
                self.session.request_stop()
        return await super().fetch(request)


@pytest.mark.parametrize("times", [1, 2])
def test_interrupted(tmp_path: Path, times: int) -> None:
    web = Stopping(chain(30))
    web.session = Session(topic([HOME]), tmp_path, fetcher=lambda: web, workers=0)
    web.times = times
    outcome = uvloop.run(web.session.run())
    assert outcome.stop.kind == "interrupted"
    assert not outcome.stop.finished
    assert count(tmp_path) in (4, 5)  # asked once, it waits for the page under way
    check_tables(tmp_path)
    outcome = crawl(tmp_path)
    assert (outcome.stop.kind, outcome.tally.pages) == ("exhausted", 30)
    check_tables(tmp_path)
    check_archive(tmp_path)


@pytest.mark.parametrize(
    ("budget", "kind", "text"),
    [
        ({"pages": 1500}, "pages", "the budget of 1,500 pages is used up"),
        ({"relevant": 1200}, "relevant", "the target of 1,200 relevant pages is reached"),
        ({"bytes": 3_000_000}, "bytes", "the budget of 3,000,000 bytes is used up"),
        ({"minutes": 1.5}, "minutes", "this run has taken its 1.5 minutes; run the same command again to continue"),
        (
            {"harvest_window": 4, "harvest_floor": 0.333},
            "harvest",
            "only 25.0% of the last 4 pages were relevant, less than 33.3%",
        ),
    ],
    ids=lambda value: value if value in ("pages", "relevant", "bytes", "minutes", "harvest") else "",
)
def test_what_is_said_at_each_limit_and_not_before_it(budget: dict[str, Any], kind: str, text: str) -> None:
    settings = BudgetSettings(**{"pages": 0, **budget})
    below = Tally(
        pages=1499, relevant=1199, size=2_999_999, run_seconds=89.9, recent=deque([True, False, False], maxlen=4)
    )
    assert spent(settings, below) is None
    at = Tally(
        pages=1500, relevant=1200, size=3_000_000, run_seconds=90.0, recent=deque([True, *[False] * 3], maxlen=4)
    )
    assert spent(settings, at) == StopReason(kind, text)
    assert spent(BudgetSettings(pages=0), at) is None


def test_a_crawl_that_is_asked_to_stop_before_it_begins_asks_for_nothing(tmp_path: Path) -> None:
    web = PaperWeb(chain(3))
    session = Session(topic([HOME]), tmp_path, fetcher=lambda: web, workers=0)
    session.request_stop()
    assert uvloop.run(session.run()).stop.kind == "interrupted"
    assert web.asked == []
    assert crawl(tmp_path, chain(3)).tally.pages == 3


# ---- a second run ----


@pytest.mark.parametrize(
    "budget",
    [{"pages": 7}, {"relevant": 4}, {"bytes": 4000}, {"harvest_window": 4, "harvest_floor": 1.0}, {}],
    ids=["pages", "relevant", "bytes", "harvest", "exhausted"],
)
def test_a_finished_crawl_run_again_does_nothing_and_says_the_same(tmp_path: Path, budget: dict[str, Any]) -> None:
    pages = chain(30, lambda place: place != 10)
    first = crawl(tmp_path, pages, budget=budget)
    web = PaperWeb(pages)
    second = run(topic([HOME], budget=budget), tmp_path, lambda: web)
    assert web.asked == []
    assert second.stop == first.stop
    assert second.stop.finished
    seconds = first.tally.seconds
    second.tally.seconds = seconds
    assert second.tally == first.tally


def test_a_larger_budget_goes_on(tmp_path: Path) -> None:
    crawl(tmp_path, budget={"pages": 7})
    web = PaperWeb(chain(30))
    outcome = run(topic([HOME], budget={"pages": 12}), tmp_path, lambda: web)
    assert (outcome.stop.kind, outcome.tally.pages) == ("pages", 12)
    assert web.asked == [f"{HOME}{place}" for place in range(7, 12)]  # robots.txt is known
    check_tables(tmp_path)
    check_archive(tmp_path)


def test_new_seeds_are_crawled_too(tmp_path: Path) -> None:
    pages = chain(3) | {"http://b.example/": about("honey")}
    crawl(tmp_path, pages)
    web = PaperWeb(pages)
    assert run(topic([HOME, "http://b.example/"]), tmp_path, lambda: web).tally.pages == 4
    assert web.asked_pages == ["http://b.example/"]


@pytest.mark.parametrize(
    "changed",
    [{"keywords": "granite"}, {"urls": {"sort_query": True}}, {"strategy": {"name": "breadth-first"}}],
    ids=lambda changed: next(iter(changed)),
)
def test_another_topic_is_refused_and_nothing_changes(tmp_path: Path, changed: dict[str, Any]) -> None:
    crawl(tmp_path, budget={"pages": 3})
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    with pytest.raises(InputError, match=f"was crawled with other settings for {next(iter(changed))}"):
        crawl(tmp_path, **changed)
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    web = PaperWeb(chain(3))

    async def twice() -> None:
        first = Session(topic([HOME]), tmp_path, fetcher=lambda: web, workers=0)
        first.folder.settle_in()
        with pytest.raises(InputError, match=r"is being crawled by process \d+; wait for it or stop it first"):
            await Session(topic([HOME]), tmp_path, fetcher=lambda: web, workers=0).run()
        first.folder.leave()

    asyncio.run(twice())
    assert web.asked == []
    assert crawl(tmp_path).tally.pages == 30


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="exists and is not a crawl"):
        crawl(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_crawl_killed_before_it_had_a_database_is_begun_again(tmp_path: Path) -> None:
    session = Session(topic([HOME]), tmp_path, fetcher=lambda: PaperWeb({}), workers=0)
    session.folder.settle_in()
    session.folder.leave()
    (tmp_path / ".topic.toml.0123456789abcdef.part").write_text("half a topi")
    assert crawl(tmp_path).tally.pages == 30


def test_a_crawl_killed_while_it_made_its_database_is_begun_again(tmp_path: Path) -> None:
    session = Session(topic([HOME]), tmp_path, fetcher=lambda: PaperWeb({}), workers=0)
    session.folder.settle_in()
    session.folder.leave()
    (tmp_path / "crawl.sqlite").touch()
    assert crawl(tmp_path).tally.pages == 30
    check_tables(tmp_path)


def test_an_archive_that_lost_its_end_is_not_written_to(tmp_path: Path) -> None:
    crawl(tmp_path, budget={"pages": 5})
    archive = tmp_path / "pages-00000.warc.gz"
    archive.write_bytes(archive.read_bytes()[:-10])
    with pytest.raises(HoneyguideError, match="bytes were recorded, but the file has only"):
        crawl(tmp_path)


def test_a_full_disk_is_said_in_one_line_and_what_was_committed_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl(tmp_path, budget={"pages": 5})

    def full(_: int) -> None:
        raise OSError(ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(HoneyguideError, match=rf"^{re.escape(str(tmp_path))}: cannot be written: .*No space left"):
            crawl(tmp_path)
    assert count(tmp_path) == 5
    assert crawl(tmp_path).tally.pages == 30
    check_tables(tmp_path)
    check_archive(tmp_path)


# ---- nothing found ----


def test_no_seed_answers(tmp_path: Path) -> None:
    def gone(request: Request, _: int) -> Failure:
        return Failure(request.url, "dns", "no such name", transient=False)

    pages = {url: gone for host in "ab" for url in (f"http://{host}.example/", f"http://{host}.example/robots.txt")}
    folder = tmp_path / "crawls" / "test"
    with pytest.raises(InputError) as caught:
        run(topic([HOME, "http://b.example/"]), folder, lambda: PaperWeb(pages))
    assert str(caught.value) == (
        "seeds: none of the 2 seeds could be reached (a.example, b.example: name does not resolve (2)); "
        "check the addresses, the network and fetch.proxy"
    )
    assert list(tmp_path.iterdir()) == []


def test_an_unreachable_seed_is_refused_after_its_retries(tmp_path: Path) -> None:
    def silent(request: Request, _: int) -> Failure:
        return Failure(request.url, "connect", "no answer", transient=True)

    web = PaperWeb({HOME: silent, f"{HOME}robots.txt": silent})
    with pytest.raises(InputError, match=r"a\.example/ could not be reached"):
        run(topic([HOME], fetch={"retries": 2}), tmp_path / "crawl", lambda: web)
    assert web.asked == [f"{HOME}robots.txt"] * 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("pages", "tables", "words"),
    [
        ({}, {}, ["no page could be read", "failed fetches: status 404 (1)"]),
        (
            {HOME: about("honey"), f"{HOME}robots.txt": "User-agent: *\nDisallow: /"},
            {},
            ["no page could be read", "not followed: robots (1)"],
        ),
        (
            {HOME: about("granite", "http://b.example/")},
            {"scope": {"allow_domains": ["a.example"]}},
            ["none of 1 pages reached relevance 0.15", "not followed: domain (1)"],
        ),
        (
            {HOME: about("honey", "/1"), f"{HOME}1": about("granite")},
            {"relevance": {"threshold": 0.99}},
            ["none of 2 pages reached relevance 0.99 (best: 0.", "lower relevance.threshold"],
        ),
    ],
    ids=["failed", "robots", "scope", "threshold"],
)
def test_a_crawl_that_finds_nothing_says_why(
    tmp_path: Path, pages: dict[str, Any], tables: dict[str, Any], words: list[str]
) -> None:
    outcome = crawl(tmp_path, pages, **tables)
    assert outcome.tally.relevant == 0
    assert [part for part in words if part not in outcome.explanation] == []


def test_a_crawl_that_finds_something_explains_nothing(tmp_path: Path) -> None:
    assert crawl(tmp_path).explanation == ""


# ---- what must not end a crawl ----


def test_an_answer_that_is_no_text_is_recorded_all_the_same(tmp_path: Path) -> None:
    pages: dict[str, Any] = {
        HOME: html("honey bee", "/lost"),
        # As aiohttp hands on a reason phrase in Latin-1: "Não encontrado".
        f"{HOME}lost": lambda request, _: answer(request.url, b"", status=404, reason="N\udce3o encontrado"),
    }
    outcome = crawl(tmp_path, pages)
    assert outcome.stop.kind == "exhausted"
    check_tables(tmp_path)
    check_archive(tmp_path)


def to(url: str) -> Callable[[Request, int], Response]:
    """A redirect."""
    return lambda request, _: answer(request.url, b"", ("Location", url), status=301)


def out_of_scope() -> tuple[Topic, dict[str, Any]]:
    """A seed that leads out of the scope in two steps, and a page that is like the last of them."""
    pages: dict[str, Any] = {
        HOME: to("http://b.example/"),
        "http://b.example/": to("http://c.example/"),
        "http://c.example/": about("honey bee", f"{HOME}link"),
        f"{HOME}link": to("http://d.example/"),
    }
    return topic([HOME], scope={"allow_domains": ["a.example"]}), pages


def test_a_redirect_of_a_seed_is_followed_out_of_scope_and_that_of_a_link_is_not(tmp_path: Path) -> None:
    wanted, pages = out_of_scope()
    web = PaperWeb(pages)
    outcome = run(wanted, tmp_path, lambda: web)
    assert web.asked_pages == [HOME, "http://b.example/", "http://c.example/", f"{HOME}link"]
    assert dict(outcome.tally.refused) == {"domain": 1}


def test_a_redirect_of_a_seed_is_followed_out_of_scope_even_after_a_break(tmp_path: Path) -> None:
    wanted, pages = out_of_scope()
    # The first run ends after the first redirect, since the second host wants to be asked again much later.
    busy = PaperWeb({**pages, "http://b.example/": lambda request, _: answer(request.url, b"", status=503)})
    run(wanted.with_settings(fetch={"retries": 1, "backoff": 1000.0}), tmp_path, lambda: busy)
    assert busy.asked_pages == [HOME, "http://b.example/"]
    web = PaperWeb(pages)
    assert run(wanted, tmp_path, lambda: web).tally.pages == 1
    assert web.asked_pages == ["http://b.example/", "http://c.example/", f"{HOME}link"]
