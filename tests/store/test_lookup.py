"""Finding what was fetched by its URL, without looking through all URLs that were met."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from honeyguide.errors import InputError
from honeyguide.frontier import State
from honeyguide.store.crawl import Crawl
from honeyguide.store.why import path_to


@contextmanager
def plans(crawl: Crawl) -> Iterator[list[str]]:
    """How SQLite answers the queries made inside, line by line."""
    asked: list[str] = []
    found: list[str] = []
    crawl._connection.set_trace_callback(asked.append)
    yield found
    crawl._connection.set_trace_callback(None)
    for sql in asked:
        found += [line[3] for line in crawl.query(f"EXPLAIN QUERY PLAN {sql}")]


def of_urls(lines: list[str]) -> list[str]:
    return [line for line in lines if "urls" in line]


@pytest.fixture
def redirected(demo_crawl: Crawl) -> str:
    ((url,),) = demo_crawl.query(
        "SELECT url FROM redirects JOIN urls ON urls.id = source JOIN pages ON pages.id = target LIMIT 1"
    )
    return str(url)


def test_a_page_is_found_by_the_index(demo_crawl: Crawl) -> None:
    page = next(demo_crawl.pages())
    with plans(demo_crawl) as lines:
        assert demo_crawl.page(page.url) == page
    assert any("USING COVERING INDEX urls_done" in line or "USING INDEX urls_done" in line for line in lines)
    assert not [line for line in of_urls(lines) if line.startswith("SCAN")]


def test_a_page_is_found_behind_redirects_by_the_index(demo_crawl: Crawl, redirected: str) -> None:
    assert demo_crawl.page(redirected) is None
    with plans(demo_crawl) as lines:
        reached = demo_crawl.reached(redirected)
    assert reached is not None
    assert not [line for line in of_urls(lines) if line.startswith("SCAN urls")]


def test_the_way_is_found_to_whatever_was_met(demo_crawl: Crawl) -> None:
    for state in (State.WAITING, State.DONE, State.FAILED, State.REFUSED):
        ((url,),) = demo_crawl.query("SELECT url FROM urls WHERE state = ? LIMIT 1", int(state))
        assert path_to(demo_crawl, url)[-1].state is state
    with pytest.raises(InputError, match="was not found in"):
        path_to(demo_crawl, "http://nobody.example/")


def test_what_only_waits_is_no_page(demo_crawl: Crawl) -> None:
    ((url,),) = demo_crawl.query("SELECT url FROM urls WHERE state = 0 LIMIT 1")
    assert demo_crawl.page(url) is demo_crawl.reached(url) is None


def test_every_page_that_was_fetched_is_in_the_index(demo_crawl: Crawl) -> None:
    assert all(demo_crawl.page(page.url) == page for page in demo_crawl.pages(relevant=False))
