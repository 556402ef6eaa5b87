"""The pages that every crawler is measured on: rendered or recorded, on loopback addresses of their own."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType

from honeyguide.demo import DemoWeb
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.topic import Topic

HOSTS = 60
PORT = 8731
SUBJECT = "astronomy"
ROBOTS = b"User-agent: *\nDisallow: /cgi-bin/\nDisallow: /private/\n\nUser-agent: BadBot\nDisallow: /\n"

# Demo pages are hardly more than text. Real ones are half text at most: 32 KB pages of a Wikipedia copy for schools,
# themselves lean, have 2,800 words and 280 elements. So half of each page here is style sheet, script and classes.
_TEXT_KB = 18
_MORE_LINKS = 54  # with the demo web's own: about 60 different ones a page
_SEEDS = 20
_LINK = re.compile(rb'"http://([^/"]+)(/[^"]*)"')
_HREF = re.compile(rb"""(\bhref\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)
_CLASSES = {
    b"<p>": b'<p class="entry__text entry__text--wide u-mb-3">',
    b"<li>": b'<li class="list__item list__item--compact"><span class="list__mark"></span>',
    b"<ul>": b'<ul class="list list--plain u-mt-2">',
    b"<h2>": b'<h2 class="entry__heading entry__heading--2" data-level="2">',
    b"<a ": b'<a class="link link--inline" ',
    b"<td": b'<td class="layout__cell"',
}


@dataclass(frozen=True)
class RenderedWeb:
    """Every page by its URL, ready to be sent."""

    pages: dict[str, bytes]
    seeds: tuple[str, ...]
    keywords: tuple[str, ...]
    compressed: bool
    """Whether its server sends it with gzip."""

    def topic(self, budget: int, connections: int, strategy: str = "best-first") -> Topic:
        """A crawl of so many pages: robots.txt obeyed, one request at a time a host, no delays."""
        return Topic.make(
            name="benchmark",
            seeds=self.seeds,
            keywords=self.keywords,
            budget={"pages": budget},
            strategy={"name": strategy},
            fetch={
                "delay": 0.0,
                "domain_delay": 0.0,
                "ip_delay": 0.0,
                "connections": connections,
                "allow_networks": ["127.0.0.0/8"],
                "contact": "mailto:benchmark@example.org",
            },
        )

    def save(self, path: Path) -> None:
        """Write it down for the processes that need it."""
        path.write_bytes(pickle.dumps(self, pickle.HIGHEST_PROTOCOL))

    @staticmethod
    def load(path: Path) -> RenderedWeb:
        """Read back what `save` wrote."""
        web: RenderedWeb = pickle.loads(path.read_bytes())
        return web


def render(pages: int, *, plain: bool) -> RenderedWeb:
    """Render a demo web of so many pages. Its hosts share `HOSTS` addresses; all links lead to pages of it.

    `plain` pages are the demo's own, as large as they come: hardly more than text, and sent without compression.
    """
    web = DemoWeb(pages=pages) if plain else DemoWeb(pages=pages, page_kb=_TEXT_KB)
    prefixes = _prefixes(web)
    urls = list(web.page_urls())
    chance = random.Random(pages)
    rendered = {}
    for url in urls:
        body = web.answer(url).body
        body = body if plain else _dressed(body, urls, chance)
        rendered[_moved(url, prefixes)] = _LINK.sub(lambda link: _moved_link(link, prefixes), body)
    seeds = tuple(_moved(url, prefixes) for url in web.seeds(SUBJECT, _SEEDS))
    return RenderedWeb(rendered, seeds, web.keywords(SUBJECT), compressed=not plain)


def recorded(archive: Path, keywords: tuple[str, ...]) -> RenderedWeb:
    """The HTML pages of a WARC file, spread over `HOSTS` addresses; the links that lead elsewhere lead nowhere.

    The seeds are the pages with the most of the keywords.
    """
    rules = UrlRules(UrlSettings())
    pages = {rules.canonical(url) or url: body for url, body in _html_pages(archive)}
    places = {url: _place(url, number) for number, url in enumerate(pages)}

    def move(link: re.Match[bytes], base: str) -> bytes:
        target = rules.join(base, unescape(link[2].decode("utf-8", "replace").strip("\"'")))
        return link[1] + f'"{places.get(target or "", "#")}"'.encode()

    moved = {
        places[url]: _HREF.sub(lambda link, base=url: move(link, base), body)  # type: ignore[misc]
        for url, body in pages.items()
    }
    wanted = re.compile("|".join(map(re.escape, keywords)).encode(), re.IGNORECASE)
    richest = sorted(moved, key=lambda url: -len(wanted.findall(moved[url])))
    return RenderedWeb(moved, tuple(richest[:_SEEDS]), keywords, compressed=True)


def _html_pages(archive: Path) -> Iterator[tuple[str, bytes]]:
    """URL and body of every good answer that is a page."""
    with archive.open("rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            head = record.http_headers
            if head.status_code == 200 and "html" in (head.get("Content-Type") or ""):
                yield record.headers["WARC-Target-URI"], record.reader.read()


def _place(url: str, number: int) -> str:
    """Where a recorded page is moved to: another address for each, so that they can be asked for at once."""
    return f"http://127.0.1.{number % HOSTS + 1}:{PORT}/{url.partition('://')[2]}"


def addresses() -> Iterator[str]:
    """The loopback addresses of the hosts."""
    return (f"127.0.1.{number + 1}" for number in range(HOSTS))


def _prefixes(web: DemoWeb) -> dict[str, str]:
    """What stands for the host of the demo web in front of its paths."""
    hosts = dict.fromkeys(url.split("/", 3)[2] for url in web.page_urls())
    names = list(addresses())
    return {host: f"http://{names[i % HOSTS]}:{PORT}/site-{i // HOSTS}" for i, host in enumerate(hosts)}


def _dressed(body: bytes, urls: list[str], chance: random.Random) -> bytes:
    """A page with more links, and the mark-up that a content management system would put around its text."""
    more = "".join(f'<li><a href="{target}">More</a></li>\n' for target in chance.sample(urls, _MORE_LINKS))
    body = body.replace(b"</body>", f"<ul>\n{more}</ul>\n</body>".encode())
    for bare, classed in _CLASSES.items():
        body = body.replace(bare, classed)
    number = chance.randrange
    rules = "".join(
        f".block-{number(4096):x} .{name}{{margin:0 {number(40)}px;color:#{number(1 << 24):06x}}}\n"
        for name in ("entry__text", "list__item", "link", "layout__cell", "nav", "footer") * 20
    )
    settings = ",".join(f'"k{number(1 << 32):x}":{{"on":true,"at":{number(10**6)}}}' for _ in range(120))
    head = f"<style>\n{rules}</style>\n<script>window.site={{{settings}}};</script>\n</head>"
    return body.replace(b"</head>", head.encode(), 1)


def _moved(url: str, prefixes: dict[str, str]) -> str:
    host, path = url.removeprefix("http://").split("/", 1)
    return f"{prefixes[host]}/{path}"


def _moved_link(link: re.Match[bytes], prefixes: dict[str, str]) -> bytes:
    return f'"{prefixes[link[1].decode()]}{link[2].decode()}"'.encode()
