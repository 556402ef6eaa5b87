"""The pages that every crawler is measured on: the demo web, rendered once, on loopback addresses of its own."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from honeyguide.demo import DemoWeb
from honeyguide.topic import Topic

HOSTS = 60
PORT = 8731
SUBJECT = "astronomy"
ROBOTS = b"User-agent: *\nDisallow: /cgi-bin/\nDisallow: /private/\n\nUser-agent: BadBot\nDisallow: /\n"

# Demo pages are hardly more than text. Real ones are half text at most: 32 KB pages of a Wikipedia copy for schools,
# themselves lean, have 2,800 words and 280 elements. So half of each page here is style sheet, script and classes.
_TEXT_KB = 18
_PLAIN_KB = 31
_MORE_LINKS = 54  # with the demo web's own: about 60 different ones a page
_MORE_PLAIN_LINKS = 18
_LINK = re.compile(rb'"http://([^/"]+)(/[^"]*)"')
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

    def topic(self, budget: int, connections: int) -> Topic:
        """A crawl of so many pages: robots.txt obeyed, one request at a time a host, no delays."""
        return Topic.make(
            name="benchmark",
            seeds=self.seeds,
            keywords=self.keywords,
            budget={"pages": budget},
            strategy={"name": "best-first"},  # what all crawlers that are compared do
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

    `plain` pages are the demo's own: as large, but nearly all text, and sent without compression.
    """
    web = DemoWeb(pages=pages, page_kb=_PLAIN_KB if plain else _TEXT_KB)
    prefixes = _prefixes(web)
    urls = list(web.page_urls())
    chance = random.Random(pages)
    more_links = _MORE_PLAIN_LINKS if plain else _MORE_LINKS
    rendered = {}
    for url in urls:
        body = web.answer(url).body
        more = "".join(f'<li><a href="{target}">More</a></li>\n' for target in chance.sample(urls, more_links))
        body = body.replace(b"</body>", f"<ul>\n{more}</ul>\n</body>".encode())
        body = body if plain else _dressed(body, chance)
        rendered[_moved(url, prefixes)] = _LINK.sub(lambda link: _moved_link(link, prefixes), body)
    seeds = tuple(_moved(url, prefixes) for url in web.seeds(SUBJECT, 20))
    return RenderedWeb(rendered, seeds, web.keywords(SUBJECT), compressed=not plain)


def addresses() -> Iterator[str]:
    """The loopback addresses of the hosts."""
    return (f"127.0.1.{number + 1}" for number in range(HOSTS))


def _prefixes(web: DemoWeb) -> dict[str, str]:
    """What stands for the host of the demo web in front of its paths."""
    hosts = dict.fromkeys(url.split("/", 3)[2] for url in web.page_urls())
    names = list(addresses())
    return {host: f"http://{names[i % HOSTS]}:{PORT}/site-{i // HOSTS}" for i, host in enumerate(hosts)}


def _dressed(body: bytes, chance: random.Random) -> bytes:
    """A page with the mark-up that a content management system would put around its text."""
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
