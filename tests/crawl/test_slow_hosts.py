"""Hosts that are slow cannot keep a crawl from the pages of those that are not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from honeyguide.fetch.base import Failure, Request, Response

from .jumping import TimedWeb, run_jumping
from .kit import about, answer, check_tables, rows, topic

HOME = "http://home.example/"
SLOW = [f"http://slow{number}.example/" for number in range(20)]


class SlowWeb(TimedWeb):
    """Some of its hosts never answer in time, and a patient request waits for a minute."""

    def __init__(self, pages: Any) -> None:
        super().__init__(pages, lambda _: 0.2)
        self.patient: list[int] = []
        """How many patient requests were under way whenever one began."""
        self._waiting = 0

    async def fetch(self, request: Request) -> Response | Failure:
        if "slow" not in request.url:
            return await super().fetch(request)
        self._waiting += request.patient
        if request.patient:
            self.patient.append(self._waiting)
        await asyncio.sleep(60.0 if request.patient else 10.0)
        self._waiting -= request.patient
        return Failure(request.url, "timeout", "no answer in time", transient=True)


def test_slow_hosts_leave_connections_to_the_others(tmp_path: Path) -> None:
    good = [f"http://good{host}.example/{number}" for number in range(10) for host in range(10)]
    pages = {HOME: about("honey", *SLOW, *good)} | {url: about(f"bee {url}") for url in good}
    web = SlowWeb(pages)
    fetch = {"connections": 8, "delay": 1.0, "backoff": 0.0}  # so that what timed out may be tried again at once
    outcome = run_jumping(topic([HOME], fetch=fetch, budget={"pages": 101, "haste": 1.0}), tmp_path, web)
    assert outcome.tally.pages == 101
    assert max(web.patient) == 2  # a quarter of the connections
    # Each of the slow hosts, which come first, is met once, for ten seconds; after that the good ones have the most.
    assert max(web.times) < 20 * 10 / 6 + 20


def test_a_slow_page_is_tried_twice_and_a_slow_host_then_left_alone(tmp_path: Path) -> None:
    web = SlowWeb({HOME: about("honey", *(f"{SLOW[0]}{number}" for number in range(20)))})
    asked: list[str] = []
    fetch = web.fetch

    async def counted(request: Request) -> Response | Failure:
        asked.append(request.url)
        return await fetch(request)

    web.fetch = counted  # type: ignore[method-assign]
    settings = {"connections": 8, "delay": 1.0, "backoff": 5.0, "robots": False}
    outcome = run_jumping(topic([HOME], fetch=settings), tmp_path, web)
    assert outcome.stop.kind == "waiting"
    assert sum("slow" in url for url in asked) == 2


def test_a_host_that_hangs_does_not_hold_the_last_page_of_a_budget(tmp_path: Path) -> None:
    good = [f"http://good{number}.example/" for number in range(8)]
    pages = {HOME: about("honey", SLOW[0], *good)} | {url: about(f"bee {url}") for url in (SLOW[0], *good)}
    web = TimedWeb(pages, lambda url: 60.0 if "slow" in url else 0.5)
    fetch = {"connections": 4, "robots": False}
    outcome = run_jumping(topic([HOME], fetch=fetch, budget={"pages": 6}), tmp_path, web)
    assert (outcome.tally.pages, outcome.stop.kind) == (6, "pages")
    assert SLOW[0] in web.asked
    assert outcome.tally.seconds < 5
    check_tables(tmp_path)
    # Nothing is lost: the page that did not come is one of those that wait.
    more = run_jumping(topic([HOME], fetch=fetch, budget={"pages": 10}), tmp_path, web)
    assert (more.tally.pages, more.stop.kind) == (10, "pages")
    assert sorted(url for (url,) in rows(tmp_path, "SELECT url FROM pages JOIN urls USING (id)")) == sorted(pages)


def test_pages_that_come_late_and_together_do_not_exceed_the_budget(tmp_path: Path) -> None:
    """Those of four hosts that all answer at the same moment, when there is room for one more page."""
    pages = {HOME: about("honey", *SLOW[:4])} | {url: about(f"bee {url}") for url in SLOW[:4]}
    web = TimedWeb(pages, lambda url: max(5.0 - asyncio.get_running_loop().time(), 0.0) if "slow" in url else 0.0)
    wanted = topic([HOME], fetch={"connections": 4, "robots": False}, budget={"pages": 2})
    outcome = run_jumping(wanted, tmp_path, web)
    assert outcome.tally.pages == 2
    assert len(web.asked) > 2
    check_tables(tmp_path)
    again = topic([HOME], fetch={"connections": 4, "robots": False}, budget={"pages": 5})
    assert run_jumping(again, tmp_path, TimedWeb(pages)).tally.pages == 5


def test_pages_that_are_no_later_than_usual_are_waited_for(tmp_path: Path) -> None:
    pages = {HOME: about("honey", *SLOW)} | {url: about(f"bee {url}") for url in SLOW}

    def timed(request: Request, _times: int) -> Response:
        response = answer(request.url, pages[request.url])
        response.elapsed = 6.0
        return response

    web = TimedWeb(dict.fromkeys(pages, timed), lambda _: 6.0)
    wanted = topic([HOME], fetch={"connections": 4, "robots": False}, budget={"pages": 12})
    assert run_jumping(wanted, tmp_path, web).tally.pages == 12
    assert len(web.asked) <= 13  # one while nobody knows yet what is usual
