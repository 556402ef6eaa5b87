"""Waiting: for hosts that fail or ask to wait, for what is under way at the end, and how much a crash can cost."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from errno import ENOSPC
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from honeyguide.crawl.session import Session
from honeyguide.errors import HoneyguideError
from honeyguide.fetch.base import Failure, Request, Response

from .jumping import BEGAN, JumpingLoop, LoopClock, TimedWeb, run_jumping
from .kit import about, answer, rows, topic

HOME = "http://a.example/"
OTHER = "http://b.example/"
HOUR, DAY = 3600.0, 86_400.0

Answer = Callable[[Request, int], Response | Failure]


def silent(request: Request, _: int) -> Failure:
    return Failure(request.url, "connect", "no answer", transient=False)


def busy(times: int, *headers: tuple[str, str], status: int = 503) -> Answer:
    """Says so a number of times, and then gives a page."""
    return lambda request, asked: (
        answer(request.url, b"", *headers, status=status) if asked <= times else answer(request.url, about(request.url))
    )


def gaps(times: list[float]) -> list[float]:
    return [after - before for before, after in pairwise(times)]


# ---- hosts that fail ----


def failing(*answering: int) -> TimedWeb:
    """A page whose links to another host fail but for some."""
    pages: dict[str, Any] = {HOME: about("honey", *(f"{OTHER}{number}" for number in range(12)))}
    pages |= {f"{OTHER}{number}": about("bee") if number in answering else silent for number in range(12)}
    return TimedWeb(pages)


def test_a_host_that_fails_five_times_in_a_row_is_left_alone_for_an_hour(tmp_path: Path) -> None:
    web = failing()
    assert run_jumping(topic([HOME]), tmp_path, web).stop.kind == "waiting"
    assert len(web.asked_at(OTHER)) == 1 + 5  # robots.txt, which was answered, and five pages
    ((name, until),) = rows(tmp_path, "SELECT name, not_before FROM hosts")
    assert (name, until) == ("b.example", pytest.approx(BEGAN + HOUR, abs=1))
    soon, later = failing(), failing()
    assert run_jumping(topic([HOME]), tmp_path, soon, began=until - 400).stop.kind == "waiting"
    assert soon.asked == []
    run_jumping(topic([HOME]), tmp_path, later, began=until + 1)
    assert len(later.asked) == 5


def test_an_answer_ends_a_row_of_failures(tmp_path: Path) -> None:
    web = failing(4, 9)  # four failures, an answer, four failures, an answer, two failures
    outcome = run_jumping(topic([HOME]), tmp_path, web)
    assert (outcome.stop.kind, outcome.tally.pages, outcome.tally.errors["connect"]) == ("exhausted", 3, 10)
    assert rows(tmp_path, "SELECT * FROM hosts") == []


def test_a_host_that_always_says_too_many_requests_is_soon_left_alone(tmp_path: Path) -> None:
    pages: dict[str, Any] = {f"{OTHER}{number}": busy(99, status=429) for number in range(30)}
    web = TimedWeb({HOME: about("honey", *pages), **pages})
    outcome = run_jumping(topic([HOME], fetch={"delay": 1.0, "backoff": 5.0}), tmp_path, web)
    assert outcome.stop.kind == "waiting"
    times = web.asked_at(OTHER)[1:]  # without robots.txt
    assert len(times) < 10  # and not 30 pages, three times each
    waits = gaps(times)
    assert all(after >= 2 * before for before, after in pairwise(waits[1:]))
    ((until,),) = rows(tmp_path, "SELECT not_before FROM hosts")
    assert until > BEGAN + times[-1] + 300.0


# ---- tries ----


def test_each_try_waits_twice_as_long_as_the_one_before_give_or_take_a_half(tmp_path: Path) -> None:
    web = TimedWeb({HOME: about("honey", "/busy"), f"{HOME}busy": busy(5)})
    outcome = run_jumping(topic([HOME], fetch={"retries": 5, "backoff": 1.0}), tmp_path, web)
    assert outcome.tally.pages == 2
    waits = gaps(web.asked_at("busy"))
    assert len(waits) == 5
    for wait, usual in zip(waits, (1, 2, 4, 8, 16), strict=True):
        assert 0.5 * usual <= wait <= 1.5 * usual


def test_after_its_tries_a_url_has_failed(tmp_path: Path) -> None:
    web = TimedWeb({HOME: about("honey", "/busy", "/other"), f"{HOME}busy": busy(9), f"{HOME}other": about("bee")})
    outcome = run_jumping(topic([HOME], fetch={"retries": 2, "backoff": 1.0}), tmp_path, web)
    assert len(web.asked_at("busy")) == 3
    assert (outcome.tally.pages, outcome.tally.errors["503"]) == (2, 3)
    assert web.asked_at("other")[0] < web.asked_at("busy")[1]  # the host itself need not wait


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [("20", 20), ("Tue, 14 Nov 2023 22:13:50 GMT", 30)],  # the crawl begins at 22:13:20
    ids=["seconds", "date"],
)
def test_retry_after_is_obeyed_by_the_whole_host(tmp_path: Path, asked: str, seconds: float) -> None:
    web = TimedWeb(
        {
            HOME: about("honey bee", "/busy", "/other", OTHER),
            f"{HOME}busy": busy(1, ("Retry-After", asked), status=429),
            f"{HOME}other": about("bee"),
            OTHER: about("honey"),
        }
    )
    run_jumping(topic([HOME], fetch={"backoff": 0.1}), tmp_path, web)
    first, second = web.asked_at("busy")
    assert seconds <= second - first < seconds + 2
    assert web.asked_at("other")[0] >= first + seconds
    assert web.asked_at(OTHER)[0] < first + seconds


def test_a_last_try_that_asks_to_wait_is_obeyed_too(tmp_path: Path) -> None:
    pages = {HOME: about("honey", "/busy", "/other"), f"{HOME}busy": busy(9, ("Retry-After", "30"))}
    web = TimedWeb({**pages, f"{HOME}other": about("bee")})
    run_jumping(topic([HOME], fetch={"retries": 0}), tmp_path, web)
    assert len(web.asked_at("busy")) == 1
    assert web.asked_at("other")[0] >= web.asked_at("busy")[0] + 30


def test_a_host_without_a_robots_file_to_rely_on_is_tried_again_ever_later(tmp_path: Path) -> None:
    web = TimedWeb({f"{HOME}robots.txt": busy(9), HOME: about("honey"), OTHER: about("bee")})
    wanted = topic([HOME, OTHER], fetch={"retries": 3, "backoff": 1.0, "patience": HOUR - 1})
    outcome = run_jumping(wanted, tmp_path, web)
    assert (outcome.stop.kind, outcome.tally.pages, outcome.tally.errors["robots"]) == ("waiting", 1, 4)
    waits = gaps(web.asked_at(f"{HOME}robots.txt"))
    for wait, usual in zip(waits, (1, 2, 4), strict=True):
        assert 0.5 * usual <= wait <= 1.5 * usual
    ((name, until),) = rows(tmp_path, "SELECT name, not_before FROM hosts")
    assert (name, until) == ("a.example", pytest.approx(BEGAN + web.times[-1] + HOUR, abs=1))


# ---- robots.txt ----


def test_robots_txt_is_asked_for_again_after_a_day(tmp_path: Path) -> None:
    clock = LoopClock()

    def hours_later(request: Request, _: int) -> Response:
        clock.ahead += 0.45 * DAY
        return answer(request.url, about("honey", f"/{int(request.url[-1]) + 1}"))

    web = TimedWeb({f"{HOME}{number}": hours_later for number in range(5)})
    run_jumping(topic([f"{HOME}0"]), tmp_path, web, clock=clock)
    last = [url.rpartition("/")[2] for url in web.asked]
    assert last == ["robots.txt", "0", "1", "2", "robots.txt", "3", "4", "5"]


@pytest.mark.parametrize(("after", "asks"), [(DAY - 10, False), (DAY + 10, True)])
def test_robots_txt_of_an_earlier_run_is_good_for_a_day(tmp_path: Path, after: float, asks: bool) -> None:
    pages = {f"{HOME}{number}": about("honey", f"/{number + 1}") for number in range(5)}
    wanted = topic([f"{HOME}0"])
    run_jumping(wanted.with_settings(budget={"pages": 2}), tmp_path, TimedWeb(pages))
    web = TimedWeb(pages)
    run_jumping(wanted, tmp_path, web, began=BEGAN + after)
    assert (f"{HOME}robots.txt" in web.asked) is asks


# ---- the end ----


def stopped(folder: Path, web: TimedWeb, *at: float) -> tuple[float, list[str]]:
    """When a crawl ends that is asked to stop at some times, and the pages that it has by then."""
    session = Session(
        topic([HOME], fetch={"connections": 8}), folder, fetcher=lambda: web, workers=0, clock=LoopClock()
    )

    async def main() -> float:
        loop = asyncio.get_running_loop()
        for time in at:
            loop.call_at(time, session.request_stop)
        outcome = await session.run()
        assert outcome.stop.kind == "interrupted"
        return loop.time()

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        ended = runner.run(main())
    return ended, [url for (url,) in rows(folder, "SELECT url FROM pages JOIN urls USING (id) ORDER BY seq")]


@pytest.mark.parametrize(
    ("stops", "ends", "has"),
    [((5.0,), 15.0, ["", "9"]), ((5.0, 7.0), 7.0, [""]), ((5.0, 11.0), 11.0, ["", "9"])],
    ids=["asked once", "asked twice", "asked twice, later"],
)
def test_what_is_under_way_may_end_for_ten_seconds_unless_asked_again(
    tmp_path: Path, stops: tuple[float, ...], ends: float, has: list[str]
) -> None:
    # One page takes until 9 s and comes in, the other would take until 19 s.
    pages = {HOME: about("honey", f"{OTHER}9", "http://c.example/19", "/new")}
    pages |= {url: about(url) for url in (f"{OTHER}9", "http://c.example/19")}
    web = TimedWeb(pages, lambda url: float("0" + url.rpartition("/")[2]) if url[-1].isdigit() else 0.0)
    ended, urls = stopped(tmp_path, web, *stops)
    assert ended == pytest.approx(ends, abs=0.01)
    assert [url.rpartition("/")[2] for url in urls] == has
    run_jumping(topic([HOME]), tmp_path, web)  # what was given up waits as before
    assert web.asked.count("http://c.example/19") == 2


def test_no_page_is_asked_for_beyond_the_budget(tmp_path: Path) -> None:
    # Pages take from one to two seconds, so that some are always under way when others come in; some fail.
    links = [f"http://{host}.example/{number}" for number in range(10) for host in "bcdef"]
    pages: dict[str, Any] = {url: about(url) if url[-1] != "3" else answer(url, b"", status=404) for url in links}
    web = TimedWeb({HOME: about("honey", *links), **pages}, lambda url: 1.0 + "bcdef".find(url[7]) / 4)
    outcome = run_jumping(topic([HOME], budget={"pages": 23}, fetch={"connections": 5}), tmp_path, web)
    assert (outcome.stop.kind, outcome.tally.pages) == ("pages", 23)
    assert len(web.asked_pages) == 23 + outcome.tally.errors["404"]


# ---- disk ----


def test_no_more_than_a_second_of_work_is_ever_unwritten(tmp_path: Path) -> None:
    chain: dict[str, Any] = {f"{HOME}{number}": about("honey", f"/{number + 1}") for number in range(10)}
    seen: list[int] = []

    def look(request: Request, _: int) -> Response:
        seen.extend(number for (number,) in rows(tmp_path, "SELECT count(*) FROM pages"))
        return answer(request.url, about("honey", "/8"))

    web = TimedWeb({**chain, f"{HOME}7": look}, lambda _: 0.4)
    run_jumping(topic([f"{HOME}0"]), tmp_path, web)
    assert seen in ([5], [6])  # of seven that came in, the last two within the last second


def test_what_has_come_in_is_written_down_while_others_are_waited_for(tmp_path: Path) -> None:
    slow = "http://c.example/"
    web = TimedWeb(
        {HOME: about("honey", OTHER), OTHER: about("bee"), slow: about("comb")}, lambda url: 9.0 * (url == slow)
    )
    session = Session(
        topic([slow, HOME], fetch={"connections": 8}), tmp_path, fetcher=lambda: web, workers=0, clock=LoopClock()
    )
    seen: list[int] = []

    async def main() -> None:
        look = "SELECT count(*) FROM pages"
        asyncio.get_running_loop().call_at(5.0, lambda: seen.extend(count for (count,) in rows(tmp_path, look)))
        await session.run()

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        runner.run(main())
    assert seen == [2]


@pytest.mark.parametrize("last", range(2, 6))
def test_no_row_points_at_what_may_not_be_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: int) -> None:
    # The disk is full from one moment on, as far as the archive is concerned. Topic and model are there already.
    pages = {f"{HOME}{number}": about("honey", f"/{number + 1}") for number in range(20)}
    run_jumping(topic([f"{HOME}0"], budget={"pages": 1}), tmp_path, TimedWeb(pages, lambda _: 0.4))
    on_disk = {(stat := (tmp_path / "pages-00000.warc.gz").stat()).st_ino: stat.st_size}
    synced, sync = 0, os.fsync

    def fill(file: int) -> None:
        nonlocal synced
        synced += 1
        if synced > last:
            raise OSError(ENOSPC, "No space left on device")
        sync(file)
        stat = os.fstat(file)
        on_disk[stat.st_ino] = stat.st_size

    monkeypatch.setattr("os.fsync", fill)
    with pytest.raises(HoneyguideError, match="No space left"):
        run_jumping(topic([f"{HOME}0"]), tmp_path, TimedWeb(pages, lambda _: 0.4))
    ((end,),) = rows(tmp_path, "SELECT coalesce(max(warc_offset + warc_length), 0) FROM pages")
    assert 0 <= end <= on_disk[(tmp_path / "pages-00000.warc.gz").stat().st_ino]
