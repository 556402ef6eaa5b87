"""A crawl whose frontier has a limit: the rest is counted, the crawl goes on, and it can be resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from honeyguide.store.crawl import Crawl
from honeyguide.store.reasons import refusal_text
from honeyguide.store.report import write_report

from .kit import PaperWeb, about, check_tables, rows, run, topic

HOME = "http://home.example/"
MOST = 40


def lists(count: int, links: int) -> dict[str, str]:
    """Lists of links to pages that are not there, and to the next list."""
    return {
        f"{HOME}{number}": about(f"honey {number}", f"/{number + 1}", *(f"/{number}/{place}" for place in range(links)))
        for number in range(count)
    }


@pytest.mark.parametrize("strategy", ["guide", "best-first", "breadth-first", "otie", "link-classifier"])
def test_what_waits_stays_within_the_limit_and_the_rest_is_counted(tmp_path: Path, strategy: str) -> None:
    web = PaperWeb(lists(6, 100))
    settings: dict[str, Any] = {"scope": {"max_waiting": MOST}, "strategy": {"name": strategy}}
    for pages in (2, 4):  # interrupted once
        result = run(topic([f"{HOME}0"], budget={"pages": pages}, **settings), tmp_path, lambda: web)
        ((waiting,),) = rows(tmp_path, "SELECT count(*) FROM urls WHERE state = 0")
        assert 0 < waiting <= MOST
    ((known,),) = rows(tmp_path, "SELECT count(*) FROM urls")
    ((linked,),) = rows(tmp_path, "SELECT sum(links) FROM pages")
    assert result.tally.refused["full"] >= 101 * result.tally.pages - linked > 200
    assert known < 101 * result.tally.pages
    check_tables(tmp_path)
    with Crawl.open(tmp_path) as crawl:
        assert refusal_text("full") in write_report(crawl).read_text()
