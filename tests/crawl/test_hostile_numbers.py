"""Numbers that a server wrote to break the crawl: it goes on, and one that they broke resumes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from honeyguide.fetch.base import Request, Response
from honeyguide.fetch.numbers import LONGEST_WAIT

from .jumping import BEGAN, TimedWeb, run_jumping
from .kit import about, answer, rows, topic

HOME = "http://a.example/"
OTHER = "http://b.example/"
DAY = 86_400.0
NINES = "9" * 400
HUGE = [NINES, "1000000000000000000", "-" + NINES, "9" * 4000, "nan", "inf", "1e400"]


@pytest.mark.parametrize("number", [*HUGE, f"1/{NINES}", f"{NINES}/1", f"1/{NINES}d", f"1/{'9' * 4290}h"])
@pytest.mark.parametrize("directive", ["Crawl-delay", "Request-rate"])
def test_no_number_in_robots_txt_ends_a_crawl(tmp_path: Path, directive: str, number: str) -> None:
    robots = f"User-agent: *\n{directive}: {number}\n"
    web = TimedWeb({f"{HOME}robots.txt": robots, HOME: about("honey", "/next", OTHER), OTHER: about("bee")})
    web.pages = {**web.pages, f"{HOME}next": about("bees")}
    outcome = run_jumping(topic([HOME], fetch={"max_crawl_delay": 30.0}), tmp_path, web)
    assert (outcome.stop.kind, outcome.tally.pages) == ("exhausted", 3)


def test_a_crawl_that_holds_such_a_robots_txt_resumes(tmp_path: Path) -> None:
    pages = {HOME: about("honey", "/next"), f"{HOME}next": about("bee")}
    wanted = topic([HOME])
    run_jumping(wanted.with_settings(budget={"pages": 1}), tmp_path, TimedWeb(pages))
    with closing(sqlite3.connect(tmp_path / "crawl.sqlite")) as database, database:
        body = f"User-agent: *\nRequest-rate: 1/{NINES}\n".encode()
        assert database.execute("UPDATE robots SET body = ?, status = 200", (body,)).rowcount == 1
    outcome = run_jumping(wanted, tmp_path, TimedWeb(pages))
    assert (outcome.stop.kind, outcome.tally.pages) == ("exhausted", 2)


DATES = ["Fri, 31 Dec 9999 23:59:59 GMT", f"Fri, 31 Dec {NINES} 23:59:59 GMT", f"Fri, 31 Dec 2024 {NINES}:00:00 GMT"]


@pytest.mark.parametrize("value", [*HUGE, *DATES])
@pytest.mark.parametrize("path", ["robots.txt", "busy"])
def test_no_retry_after_ends_a_crawl(tmp_path: Path, value: str, path: str) -> None:
    def busy(request: Request, _: int) -> Response:
        return answer(request.url, b"", ("Retry-After", value), status=503)

    web = TimedWeb({HOME: about("honey", "/busy"), HOME + path: busy, OTHER: about("bee")})
    run_jumping(topic([HOME, OTHER]), tmp_path, web)
    assert OTHER in web.asked
    for (until,) in rows(tmp_path, "SELECT not_before FROM hosts"):
        assert until <= BEGAN + LONGEST_WAIT + 1000
    assert run_jumping(topic([HOME, OTHER]), tmp_path, TimedWeb(web.pages)).tally.pages >= 1


def test_a_crawl_that_was_told_to_wait_forever_resumes(tmp_path: Path) -> None:
    pages = {HOME: about("honey", "/next", OTHER), f"{HOME}next": about("bee"), OTHER: about("bees")}
    wanted = topic([HOME])
    run_jumping(wanted.with_settings(budget={"pages": 1}), tmp_path, TimedWeb(pages))
    with closing(sqlite3.connect(tmp_path / "crawl.sqlite")) as database, database:
        database.execute("INSERT INTO hosts (name, not_before) VALUES ('a.example', 1e18)")
    outcome = run_jumping(wanted, tmp_path, TimedWeb(pages))
    assert (outcome.stop.kind, outcome.tally.pages) == ("waiting", 2)


def test_a_clock_that_was_set_back_does_not_make_robots_txt_eternal(tmp_path: Path) -> None:
    pages = {HOME: about("honey", "/next"), f"{HOME}next": about("bee")}
    wanted = topic([HOME])
    run_jumping(wanted.with_settings(budget={"pages": 1}), tmp_path, TimedWeb(pages), began=BEGAN + 400 * DAY)
    web = TimedWeb(pages)
    run_jumping(wanted, tmp_path, web)
    assert web.asked == [f"{HOME}robots.txt", f"{HOME}next"]
