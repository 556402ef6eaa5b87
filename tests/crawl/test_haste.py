"""Waiting for better pages in live crawls: across runs, with workers, and on hosts that do not come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from honeyguide.fetch.base import Failure, Request
from honeyguide.topic import Topic

from .jumping import BEGAN, TimedWeb, run_jumping
from .kit import PaperWeb, about, run, topic

GOOD, POOR = "http://good.example/", "http://poor.example/"
COUNT = 20


def pages() -> dict[str, Any]:
    """A good page with links to good pages of its host, and a poor one with links to poor pages of another."""
    good = [f"{GOOD}{number}" for number in range(COUNT)]
    poor = [f"{POOR}{number}" for number in range(COUNT)]
    return {
        f"{GOOD}start": about("honey bee " * 20, *good),
        f"{POOR}start": about("honey stone", *poor),
        **{url: about(f"honey bee {url}") for url in good},
        **{url: about(f"stone {url}") for url in poor},
    }


def wanted(haste: float, delay: float = 1.0, **budget: Any) -> Topic:
    return topic(
        [f"{GOOD}start", f"{POOR}start"],
        strategy={"name": "best-first"},
        relevance={"model": "vsm"},
        budget={"haste": haste, **budget},
        fetch={"connections": 4, "delay": delay, "robots": False},
    )


def poor_pages(web: PaperWeb) -> int:
    """How many of the pages that the crawl chose are poor."""
    return sum(url.startswith(POOR) for url in web.asked[2:])


def test_a_crawl_that_was_resumed_waits_as_before(tmp_path: Path) -> None:
    webs = {}
    for haste in (0.5, 1.0):
        folder = tmp_path / str(haste)
        first, second = TimedWeb(pages()), TimedWeb(pages())
        run_jumping(wanted(haste, pages=6), folder, first)
        run_jumping(wanted(haste, pages=14), folder, second, began=BEGAN + 1000)
        assert len(first.asked) == 6
        assert len(second.asked) == 8
        webs[haste] = first.asked + second.asked
    assert sum(url.startswith(POOR) for url in webs[0.5][2:]) <= 1
    assert sum(url.startswith(POOR) for url in webs[1.0][2:]) >= 5


@pytest.mark.parametrize("workers", [0, 2])
def test_it_waits_whoever_reads_the_pages(tmp_path: Path, workers: int) -> None:
    web = PaperWeb(pages())
    outcome = run(wanted(0.25, delay=0.05, pages=10), tmp_path, lambda: web, workers=workers)
    assert outcome.tally.pages == 10
    assert poor_pages(web) <= 1


def test_a_host_that_dies_is_not_waited_for(tmp_path: Path) -> None:
    def silent(request: Request, _: int) -> Failure:
        return Failure(request.url, "connect", "no answer", transient=True)

    web = TimedWeb({url: page if url in (f"{GOOD}start", f"{POOR}start") or url.startswith(POOR) else silent
                    for url, page in pages().items()})  # fmt: skip
    outcome = run_jumping(wanted(0.0, pages=12), tmp_path, web)
    assert (outcome.stop.kind, outcome.tally.pages) == ("pages", 12)
    # Five failures in a row, and the host has an hour to itself: nobody waits for it, whatever it promises.
    assert web.times[-1] < 120.0


def test_with_a_budget_in_minutes_it_does_not_wait(tmp_path: Path) -> None:
    asked = {}
    for haste in (0.0, 1.0):
        web = TimedWeb(pages())
        run_jumping(wanted(haste, pages=0, minutes=0.2), tmp_path / str(haste), web)
        asked[haste] = web.asked
    assert asked[0.0] == asked[1.0]
    assert len(asked[0.0]) > 20


def test_of_pages_and_minutes_what_binds_first_decides(tmp_path: Path) -> None:
    # 20 pages take 20 s if only those of the good host are taken: there is time for that in a minute, not in 12 s.
    fetched = {}
    for minutes in (0.2, 1.0):
        web = TimedWeb(pages())
        run_jumping(wanted(0.0, pages=20, minutes=minutes), tmp_path / str(minutes), web)
        fetched[minutes] = len(web.asked), poor_pages(web)
    assert fetched[1.0] == (20, 0)
    assert fetched[0.2][0] > 14
    assert fetched[0.2][1] > 2
