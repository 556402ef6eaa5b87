"""Sitemaps and feeds in a crawl on several machines: each is read once, by the shard that owns it, for all of them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from honeyguide.cluster.ring import Ring
from honeyguide.fetch.base import Request, Response
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic

from .kit import names, pages_of, run_alone, run_cluster, topic_of

SHARDS = 3
BEES = "http://bees.example"
OTHER = next(
    host
    for host in (f"http://hives{number}.example" for number in range(99))
    if Ring(names(SHARDS)).owner(f"{host}/") != Ring(names(SHARDS)).owner(f"{BEES}/")
)
"""A site that is another shard's."""
FEED = """<rss version="2.0"><channel><title>honey</title>
    <item><title>honey bee news</title><link>{0}/news</link></item>
    <item><title>honey bee</title><link>{1}/guest</link></item></channel></rss>"""


def page(text: str, *links: str, head: str = "") -> str:
    return f"<head><title>{text}</title>{head}</head><p>{text} honey bee " + "".join(
        f'<a href="{link}">honey bee</a> ' for link in links
    )


def sitemap(*urls: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


class ListedWeb:
    """Answers with texts: what begins like XML is sent as such."""

    def __init__(self, pages: dict[str, str]) -> None:
        self.pages = pages
        self.asked: list[str] = []

    async def fetch(self, request: Request) -> Response:
        url = request.url
        self.asked.append(url)
        text = self.pages.get(url, "")
        kind = "text/plain" if url.endswith("robots.txt") else "text/html"
        kind = "application/xml" if text.startswith(("<urlset", "<rss", "<sitemapindex")) else kind
        body = text.encode()
        headers = (("Content-Type", kind),)
        return Response(url, 200 if body else 404, "", headers, body, body, (), started=1.7e9)

    async def close(self) -> None:
        pass


def listed_web() -> ListedWeb:
    """Two sites; each has pages that are only listed: in its own sitemap, or in the feed of the other one."""
    return ListedWeb(
        {
            f"{BEES}/": page(
                "home", f"{BEES}/1", head=f'<link rel="alternate" type="application/rss+xml" href="{BEES}/feed">'
            ),
            f"{BEES}/1": page("one", f"{BEES}/2", f"{OTHER}/"),
            f"{BEES}/2": page("two"),
            f"{BEES}/robots.txt": f"User-agent: *\nDisallow:\n\nSitemap: {BEES}/map.xml\n",
            f"{BEES}/map.xml": sitemap(f"{BEES}/hidden"),
            f"{BEES}/hidden": page("hidden"),
            f"{BEES}/feed": FEED.format(BEES, OTHER),
            f"{BEES}/news": page("news"),
            f"{OTHER}/": page("other home", f"{OTHER}/1"),
            f"{OTHER}/1": page("other one"),
            f"{OTHER}/robots.txt": f"User-agent: *\nDisallow:\n\nSitemap: {OTHER}/map.xml\n",
            f"{OTHER}/map.xml": sitemap(f"{OTHER}/deep"),
            f"{OTHER}/deep": page("deep"),
            f"{OTHER}/guest": page("guest"),
        }
    )  # fmt: skip


def wanted(*seeds: str, **tables: Any) -> Topic:
    return topic_of(seeds, **{"budget": {"pages": 0}, "scope": {"sitemaps": "auto"}, **tables})


def crawled(web: ListedWeb, folder: Path, *seeds: str, **options: Any) -> list[Path]:
    asyncio.run(run_cluster(wanted(*seeds), folder, lambda: web, SHARDS, **options))
    return [folder / "shards" / name for name in names(SHARDS)]


@pytest.mark.parametrize("lost", [0.0, 0.2])
def test_what_is_only_listed_is_found_wherever_it_belongs(tmp_path: Path, lost: float) -> None:
    web = listed_web()
    folders = crawled(web, tmp_path / "several", f"{BEES}/", lost=lost)
    assert all(web.asked.count(url) == 1 for url in web.asked), "each is requested once"
    assert f"{OTHER}/guest" in web.asked, "listed by the feed of a site of another shard"
    run_alone(wanted(f"{BEES}/"), tmp_path / "alone", listed_web)
    assert pages_of(folders) == pages_of([tmp_path / "alone"])
    with Crawl.open(tmp_path / "several") as crawl:
        listings = crawl.query("SELECT url, count(*) FROM events WHERE kind = 'listing' AND url IS NOT NULL GROUP BY 1")
        read = crawl.query("SELECT urls.url FROM events JOIN urls ON urls.id = events.url WHERE kind = 'listing'")
        assert {url for (url,) in read} == {f"{BEES}/map.xml", f"{BEES}/feed", f"{OTHER}/map.xml"}
        assert len([*listings]) == 3


def test_a_sitemap_among_the_seeds_lists_urls_of_all_shards(tmp_path: Path) -> None:
    web = listed_web()
    web.pages[f"{BEES}/all.xml"] = sitemap(f"{BEES}/hidden", f"{OTHER}/deep", f"{OTHER}/guest")
    folders = crawled(web, tmp_path / "several", f"{BEES}/all.xml")
    assert web.asked.count(f"{BEES}/all.xml") == 1
    assert {f"{BEES}/hidden", f"{OTHER}/deep", f"{OTHER}/guest"} <= {*pages_of(folders)}
    assert len({*pages_of(folders)}) == len(pages_of(folders))


def test_a_sitemap_index_among_the_seeds_leads_to_sitemaps_of_another_shard(tmp_path: Path) -> None:
    web = listed_web()
    web.pages[f"{BEES}/index.xml"] = (
        f"<sitemapindex><sitemap><loc>{OTHER}/map.xml</loc></sitemap>"
        f"<sitemap><loc>{BEES}/map.xml</loc></sitemap></sitemapindex>"
    )
    folders = crawled(web, tmp_path / "several", f"{BEES}/index.xml")
    assert {f"{BEES}/hidden", f"{OTHER}/deep"} <= {*pages_of(folders)}
    assert web.asked.count(f"{OTHER}/map.xml") == 1
