"""The sitemaps and feeds of the clean hosts: good ones in every form, and some that are out of date."""

from __future__ import annotations

import gzip
from html import escape
from typing import TYPE_CHECKING, Final

from honeyguide.demo import sitemap
from honeyguide.demo.links import CLOSED
from honeyguide.proxy.answer import Answer, plain

if TYPE_CHECKING:
    from honeyguide.demo.atlas import Atlas, DemoPage, Site
    from honeyguide.demo.links import Linker

WHOLE, INDEXED, TEXT, LINKED, STALE = range(5)
"""What a host has: a sitemap, an index of two (one of them compressed), a sitemap in plain text, a sitemap that only
its pages name, or one with old addresses and with those of other hosts."""
FORMS: Final = 5

_NEWEST: Final = 10  # pages in a feed
_RSS, _ATOM, _RDF = range(3)
_TYPES: Final = ("application/rss+xml", "application/atom+xml", "text/xml")
_LINK_TYPES: Final = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")


class SiteListings:
    """The listings of every host, each computed from the host alone."""

    def __init__(self, atlas: Atlas, linker: Linker) -> None:
        self._atlas = atlas
        self._linker = linker

    def robots(self, site: Site) -> Answer:
        """The robots.txt of a host."""
        address = f"http://{site.host}"
        names = {WHOLE: "/sitemap.xml", INDEXED: "/sitemap_index.xml", TEXT: "/sitemap.txt", STALE: "/sitemap.xml"}
        name = names.get(form_of(site))
        named = f"\nSitemap: {address}{name}\n" if name else ""
        return plain(f"User-agent: *\nDisallow: {CLOSED}/\n{named}")

    def head(self, site: Site) -> str:
        """The references to listings in the head of every page of a host."""
        kind = _LINK_TYPES[_feed_of(site)]
        feed = f'<link rel="alternate" type="{kind}" title="News" href="/feed.xml">\n'
        return feed + ('<link rel="sitemap" href="/map.xml">\n' if form_of(site) == LINKED else "")

    def answer(self, site: Site, target: str) -> Answer | None:
        """The listing at a path of a host; None if there is none."""
        form, pages = form_of(site), self._pages(site)
        half = len(pages) // 2
        match target:
            case "/feed.xml":
                return self._feed(site)
            case "/sitemap.xml" if form == WHOLE:
                return _xml(self._url_set(pages))
            case "/map.xml" if form == LINKED:
                return _xml(self._url_set(pages))
            case "/sitemap.xml" if form == STALE:
                return _xml(self._stale(site, pages))
            case "/sitemap.txt" if form == TEXT:
                return plain("".join(f"{self._atlas.url(page.number)}\n" for page in pages))
            case "/sitemap_index.xml" if form == INDEXED:
                return _xml(sitemap.index(f"http://{site.host}/{name}" for name in ("map-1.xml.gz", "map-2.xml")))
            case "/map-1.xml.gz" if form == INDEXED:
                return _packed(self._url_set(pages[:half]))
            case "/map-2.xml" if form == INDEXED:
                return _xml(self._url_set(pages[half:]))
            case _:
                return None

    def urls(self, site: Site) -> tuple[str, ...]:
        """The paths of the listings of a host."""
        own = {
            WHOLE: ("/sitemap.xml",),
            INDEXED: ("/sitemap_index.xml", "/map-1.xml.gz", "/map-2.xml"),
            TEXT: ("/sitemap.txt",),
            LINKED: ("/map.xml",),
            STALE: ("/sitemap.xml",),
        }
        return (*own[form_of(site)], "/feed.xml")

    def _pages(self, site: Site) -> list[DemoPage]:
        return [self._atlas.page(number) for number in range(site.first, site.first + site.size)]

    def _url_set(self, pages: list[DemoPage]) -> bytes:
        """A sitemap with what its protocol provides for."""
        url = self._atlas.url
        return sitemap.detailed_url_set((url(page.number), page.date, _priority(page)) for page in pages)

    def _stale(self, site: Site, pages: list[DemoPage]) -> bytes:
        """Every third page is missing, as many addresses lead nowhere, and there are some of another host."""
        kept = [page for page in pages if page.place % 3]
        gone = ((f"http://{site.host}/old/{page.place}.html", "2003-01-01", 0.9) for page in pages[::3])
        other = self._atlas.site((site.block + 1) % self._atlas.blocks, (site.slot + 1) % 16)
        foreign = ((self._atlas.url(page.number), page.date, 1.0) for page in self._pages(other)[:20])
        listed = ((self._atlas.url(page.number), page.date, _priority(page)) for page in kept)
        return sitemap.detailed_url_set((*gone, *foreign, *listed))

    # Feeds

    def _feed(self, site: Site) -> Answer:
        pages = sorted(self._pages(site), key=lambda page: page.date, reverse=True)[:_NEWEST]
        form = _feed_of(site)
        write = (self._rss, self._atom, self._rdf)[form]
        return Answer(200, (("Content-Type", _TYPES[form]),), write(site, pages).encode())

    def _entry(self, page: DemoPage) -> tuple[str, str, str]:
        """Address, title and description of a page."""
        one, two = self._atlas.title_words(page)
        return escape(self._atlas.url(page.number)), escape(self._linker.title(page)), f"About {one} and {two}"

    def _rss(self, site: Site, pages: list[DemoPage]) -> str:
        items = "".join(
            f"<item><title>{title}</title><link>{url}</link><description><![CDATA[<p>{about}</p>]]></description>"
            f"<pubDate>{page.date}</pubDate></item>\n"
            for page in pages
            for url, title, about in [self._entry(page)]
        )
        return (
            f'<?xml version="1.0"?>\n<rss version="2.0"><channel><title>{site.title}</title>\n{items}</channel></rss>\n'
        )

    def _atom(self, site: Site, pages: list[DemoPage]) -> str:
        entries = "".join(
            f'<entry><title type="html">{title}</title><link rel="alternate" href="{url}"/>'
            f"<summary>{about}</summary><updated>{page.date}T00:00:00Z</updated></entry>\n"
            for page in pages
            for url, title, about in [self._entry(page)]
        )
        return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>{site.title}</title>\n{entries}</feed>\n'

    def _rdf(self, site: Site, pages: list[DemoPage]) -> str:
        items = "".join(
            f'<item rdf:about="{url}"><title>{title}</title><link>{url}</link><dc:date>{page.date}</dc:date></item>\n'
            for page in pages
            for url, title, _ in [self._entry(page)]
        )
        space = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        return f"<rdf:RDF {space}><channel><title>{site.title}</title></channel>\n{items}</rdf:RDF>\n"


def form_of(site: Site) -> int:
    """Which listing a host has."""
    return (site.key >> 40) % FORMS


def _feed_of(site: Site) -> int:
    return (site.key >> 44) % 3


def _priority(page: DemoPage) -> float:
    return {"home": 1.0, "hub": 0.8}.get(page.kind, 0.5)


def _xml(body: bytes) -> Answer:
    return Answer(200, (("Content-Type", "application/xml"),), body)


def _packed(body: bytes) -> Answer:
    return Answer(200, (("Content-Type", "application/x-gzip"),), gzip.compress(body, 6, mtime=0))
