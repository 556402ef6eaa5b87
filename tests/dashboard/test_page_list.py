"""Lists of pages and hosts: what is searched for, every filter and order, and parts that leave nothing out."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from honeyguide.dashboard import page_list as module
from honeyguide.dashboard.host_list import ORDERS, list_hosts
from honeyguide.dashboard.page_list import KINDS, ListedPage, PageFilter, list_pages, newest_pages
from honeyguide.dashboard.source import CrawlSource, SlowQueryError
from honeyguide.page.domains import registered_domain
from honeyguide.page.url import host_of


def everything(source: CrawlSource, chosen: PageFilter, size: int = 7) -> list[ListedPage]:
    """All parts of a list, one after the other."""
    pages: list[ListedPage] = []
    following: PageFilter | None = chosen
    while following is not None:
        part = list_pages(source, following, size)
        pages += part.pages
        following = part.next
        assert len(pages) < 1000
    return pages


def stored(source: CrawlSource, condition: str = "TRUE") -> set[int]:
    sql = f"SELECT p.id FROM crawl.pages AS p JOIN crawl.urls AS u USING (id) WHERE {condition}"
    return {number for (number,) in source.query(sql)}


CONDITIONS = {
    "all": "TRUE",
    "relevant": "p.relevant AND p.duplicate_of IS NULL",
    "other": "NOT p.relevant",
    "duplicates": "p.relevant AND p.duplicate_of IS NOT NULL",
}


@pytest.mark.parametrize("order", ["newest", "best"])
@pytest.mark.parametrize("show", KINDS)
@pytest.mark.parametrize("within", ["", "host", "site", "words"])
def test_the_parts_of_a_list_make_the_whole(source: CrawlSource, show: str, order: str, within: str) -> None:
    host, site, url = source.one(
        "SELECT hosts.id, site, url FROM hosts JOIN crawl.urls ON url LIKE '%//' || name || '/%' "
        "ORDER BY pages DESC LIMIT 1"
    )
    chosen = PageFilter(
        "honey" if within == "words" else "",
        show,
        host if within == "host" else 0,
        site if within == "site" else 0,
        order,
    )
    pages = everything(source, chosen)
    wanted = stored(source, CONDITIONS[show])
    if within == "host":
        wanted = {page.id for page in everything(source, PageFilter()) if host_of(page.url) == host_of(url)} & wanted
    elif within == "site":
        name = registered_domain(host_of(url))
        wanted = {
            page.id for page in everything(source, PageFilter()) if registered_domain(host_of(page.url)) == name
        } & wanted
    elif within == "words":
        wanted &= {
            page.id
            for page in everything(source, PageFilter())
            if "honey"
            in f"{page.title} {page.url}".lower().replace("-", " ").replace("/", " ").replace(".", " ").split()
        }
    assert [page.id for page in pages] == list(dict.fromkeys(page.id for page in pages))
    assert {page.id for page in pages} == wanted
    keys = [(page.relevance, page.seq) if order == "best" else (page.seq,) for page in pages]
    assert all(one > other for one, other in pairwise(keys))


def test_a_search_finds_words_of_titles_and_urls(source: CrawlSource) -> None:
    page = list_pages(source, PageFilter(order="best"), 1).pages[0]
    title = page.title.split()[0]
    assert page.id in {found.id for found in everything(source, PageFilter(title))}
    assert page.id in {found.id for found in everything(source, PageFilter(title.upper()))}
    assert page.id in {found.id for found in everything(source, PageFilter(f"{title[:2]}* {host_of(page.url)}"))}
    assert page.id in {found.id for found in everything(source, PageFilter(page.url))}
    assert not everything(source, PageFilter(f"{title} nowhere-to-be-found"))


@pytest.mark.parametrize(
    "words",
    [
        '"',
        "'",
        '" OR "',
        "AND",
        "OR honey",
        "NEAR(",
        "tags:k2",
        "title:",
        "*",
        "-",
        "(",
        "h1",
        "k2",
        "{title}",
        "a" * 5000,
        "\0",
    ],
)
def test_a_search_has_no_operators(source: CrawlSource, words: str) -> None:
    found = everything(source, PageFilter(words))
    letters = any(letter.isalnum() for letter in words)
    assert len(found) == 150 or letters
    if words in {"h1", "k2", "tags:k2", "OR honey", '" OR "'}:
        assert not found  # what marks kinds and hosts in the index is no word of a page


def test_of_too_many_matches_the_newest_are_put_in_order(source: CrawlSource, monkeypatch: pytest.MonkeyPatch) -> None:
    every = everything(source, PageFilter("example"))
    monkeypatch.setattr(module, "MOST_SORTED", 20)
    part = list_pages(source, PageFilter("example", order="best"), 30)
    assert part.is_capped
    assert {page.id for page in part.pages} == {page.id for page in every[:20]}


def test_a_search_that_takes_too_long_is_given_up(source: CrawlSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.dashboard.source._LONGEST", 0.05)
    with pytest.raises(SlowQueryError, match="too long"):
        source.query("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n")
    assert source.one("SELECT 1") == (1,)


def test_the_newest_pages(source: CrawlSource) -> None:
    assert [page.seq for page in newest_pages(source, 139, 20)] == list(range(149, 139, -1))
    assert [page.seq for page in newest_pages(source, -1, 3)] == [149, 148, 147]


@pytest.mark.parametrize("order", ORDERS)
def test_the_parts_of_the_hosts_make_the_whole(source: CrawlSource, order: str, folder: Path) -> None:
    hosts, following = list_hosts(source, order, size=3)
    while following is not None:
        part, following = list_hosts(source, order, following, size=3)
        hosts += part
    ((count,),) = source.query("SELECT count(*) FROM hosts")
    assert len({host.row.id for host in hosts}) == len(hosts) == count
    values = [getattr(host.row, order) for host in hosts]
    assert values == sorted(values, reverse=True)
    assert sum(host.row.pages for host in hosts) == 150
