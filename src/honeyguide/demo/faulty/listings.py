"""Sitemaps and feeds that are broken, or meant to do harm. They are on a host that no other faulty page links to."""

from __future__ import annotations

import gzip
from functools import lru_cache

from honeyguide.demo import sitemap
from honeyguide.demo.faulty.base import FaultRequest, Handler, page
from honeyguide.proxy.answer import NOT_FOUND, Answer, plain

HOST = "listings.example"
START = f"http://{HOST}/"
GOOD = f"{START}page/good"
"""The one page that a sane listing of the host leads to."""
FOREIGN = "http://robots-missing.example/open"
"""A page of another host, which its robots.txt does not let this one list."""

_HUGE = 50_000_000  # bytes
_ITEMS = 1_000_000  # of a feed
_DEPTH = 12  # of entities, each ten times the one before


def _xml(body: bytes, kind: str = "application/xml") -> Answer:
    return Answer(200, (("Content-Type", kind),), body)


def _entity_bomb() -> bytes:
    entities = "".join(
        f'<!ENTITY a{level} "{f"&a{level - 1};" * 10 if level else "http://a.example/"}">' for level in range(_DEPTH)
    )
    outside = '<!ENTITY file SYSTEM "file:///etc/passwd">'
    text = f"<!DOCTYPE urlset [{entities}{outside}]><urlset><url><loc>{START}page/&a{_DEPTH - 1};</loc></url>"
    return f'<?xml version="1.0"?>{text}<url><loc>{START}page/&file;</loc></url></urlset>'.encode()


@lru_cache(maxsize=1)
def _huge() -> bytes:
    one = "<url><loc>{}page/{}</loc></url>"
    count = _HUGE // len(one.format(START, 1_000_000))
    return ("<urlset>" + "".join(one.format(START, number) for number in range(count))).encode()


@lru_cache(maxsize=1)
def _long_feed() -> bytes:
    items = "".join(f"<item><title>Item {number}</title><link>/i/{number}</link></item>" for number in range(_ITEMS))
    return f"<rss><channel><title>All of it</title>{items}</channel></rss>".encode()


def _bomb() -> bytes:
    return gzip.compress(b"<urlset>" + b" " * 200_000_000, 1, mtime=0)


def _cut() -> bytes:
    whole = gzip.compress(sitemap.url_set(f"{START}page/{number}" for number in range(5000)), 6, mtime=0)
    return whole[: len(whole) // 2]


_MAKE = {
    "entities.xml": lambda: _xml(_entity_bomb()),
    "bomb.xml.gz": lambda: _xml(_bomb(), "application/x-gzip"),
    "cut.xml.gz": lambda: _xml(_cut(), "application/x-gzip"),
    "itself.xml": lambda: _xml(sitemap.index([f"{START}itself.xml", f"{START}foreign.xml", f"{START}itself.xml?2"])),
    "itself.xml?2": lambda: _xml(sitemap.index([f"{START}itself.xml", f"{START}itself.xml?2"])),
    "foreign.xml": lambda: _xml(sitemap.url_set([FOREIGN, GOOD])),
    "malformed.xml": lambda: _xml(b"<urlset><url><loc>http://" + b"<loc>" * 1000 + b"</urlset"),
    "empty.xml": lambda: _xml(b""),
    "page.xml": lambda: page("no sitemap"),
    "huge.xml": lambda: _xml(_huge()),
    "feed.xml": lambda: _xml(_long_feed(), "application/rss+xml"),
}

NAMES = tuple(name for name in _MAKE if "?" not in name)
"""The files, in the order in which robots.txt names them."""


def _answer(request: FaultRequest) -> Answer:
    name = request.target.removeprefix("/")
    if name == "robots.txt":
        return plain("User-agent: *\nDisallow:\n\n" + "".join(f"Sitemap: {START}{one}\n" for one in NAMES))
    if name in _MAKE:
        return _MAKE[name]()
    if not name:
        return page("wrong listings")
    return page(f"listed page {name}") if name.startswith("page/") else NOT_FOUND


HOSTS: dict[str, Handler] = {HOST: _answer}
