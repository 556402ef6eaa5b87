"""What is fuzzed: one function per reader of outside bytes. None of them may raise, hang or take much memory."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from yarl import URL

from honeyguide.crawl.pacing import retry_after
from honeyguide.errors import HoneyguideError
from honeyguide.fetch.cookies import SiteCookieJar
from honeyguide.fetch.decompress import BrokenEncodingError, decoder_for, salvage
from honeyguide.fetch.robots import page_robots, read_robots
from honeyguide.page.blocks.cbp import cbp
from honeyguide.page.blocks.vips import vips
from honeyguide.page.context import anchors, block_windows, parents, windows
from honeyguide.page.context.headings import headings
from honeyguide.page.context.lists import link_lists
from honeyguide.page.context.regions import regions
from honeyguide.page.decode import decode
from honeyguide.page.listing import MOST_URLS, read_listing
from honeyguide.page.parse import parse
from honeyguide.page.scope import Scope
from honeyguide.page.settings import ScopeSettings, UrlSettings
from honeyguide.page.url import UrlRules, host_of, origin_of
from honeyguide.relevance.models import make_model
from honeyguide.strategy.reading import Document, Reader, ReaderConfig
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of
from honeyguide.warc.part import Part
from honeyguide.warc.read import CutShortError, records
from honeyguide.warc.record import http_head, response_of

_RULES: Final = UrlRules(UrlSettings())
_SCOPE: Final = Scope(ScopeSettings())
_ADDRESS: Final = "http://site.example/folder/page.html"
_ENCODINGS: Final = ("gzip", "deflate", "br", "zstd", "gzip, br", "identity", "x-gzip", "nonsense")
_LIMIT: Final = 1 << 20


def fuzz_decode(data: bytes) -> None:
    """The encoding of a document; the first bytes are its Content-Type."""
    head, _, body = data.partition(b"\n")
    decode(body, head.decode("latin-1"))


def fuzz_parse(data: bytes) -> None:
    """Words, nodes and links, with and without style."""
    html = data.decode("utf-8", "replace")
    plain, styled = (parse(html, _ADDRESS, _RULES, styled=styled) for styled in (False, True))
    assert plain.words == styled.words
    assert plain.links.url == styled.links.url
    assert plain.text is not None


def fuzz_blocks(data: bytes) -> None:
    """Blocks by CBP and VIPS, and all contexts of all links."""
    page = parse(data.decode("utf-8", "replace"), _ADDRESS, _RULES, styled=True)
    for blocks in (cbp(page), vips(page)):
        parents(page, blocks)
        block_windows(page, blocks, 20)
    anchors(page)
    windows(page, 20)
    headings(page)
    regions(page, link_lists(page))


def fuzz_read(data: bytes) -> None:
    """A whole reading, as the default strategy does it."""
    _reader().read(Document(_ADDRESS, data, "text/html"))


def fuzz_url(data: bytes) -> None:
    """URLs, alone and as links on a page."""
    text = data.decode("utf-8", "surrogateescape")  # a lone surrogate for each byte that is no UTF-8
    for url in (_RULES.canonical(text), _RULES.join(_ADDRESS, text), _RULES.joiner(_ADDRESS)(text)):
        if url is not None:
            assert _RULES.canonical(url) == url
            host_of(url)
            origin_of(url)
            _SCOPE.refusal(url)


def fuzz_robots(data: bytes) -> None:
    """A robots.txt, and the robots rules of a page."""
    rules = read_robots(200, data, "honeyguide")
    rules.allowed(_ADDRESS)
    assert rules.crawl_delay is None or 0 <= rules.crawl_delay < float("inf")
    text = data.decode("latin-1")
    page_robots(text, text, "honeyguide")


def fuzz_listing(data: bytes) -> None:
    """A sitemap or a feed; the first line is its Content-Type."""
    head, _, body = data.partition(b"\n")
    listing = read_listing(body, head.decode("latin-1"))
    if listing is not None:
        assert len(listing.addresses) <= MOST_URLS
        for address in listing.addresses:
            _RULES.join(_ADDRESS, address)


def fuzz_headers(data: bytes) -> None:
    """The head of an answer, and the headers that are read as numbers or dates."""
    head = http_head(b"HTTP/1.1 200 OK\r\n" + data + b"\r\n\r\n")
    for _, value in head.headers if head else ():
        wait = retry_after(value, 1.7e9)
        assert wait is None or 0 <= wait < float("inf")


def fuzz_cookies(data: bytes) -> None:
    """Set-Cookie headers, one per line."""
    jar = _jar()
    jar.update_cookies_from_headers(data.decode("utf-8", "replace").split("\n"), URL(_ADDRESS))
    jar.filter_cookies(URL("http://other.example/"))
    jar.clear()


def fuzz_decompress(data: bytes) -> None:
    """A compressed body; the first byte chooses the encoding."""
    encoding, body = _ENCODINGS[data[0] % len(_ENCODINGS) if data else 0], data[1:]
    with suppress(BrokenEncodingError):
        assert len(decoder_for(encoding).feed(body, _LIMIT)) <= _LIMIT
    assert len(salvage(encoding, body, _LIMIT)[0]) <= _LIMIT


def fuzz_warc(data: bytes) -> None:
    """A WARC file, compressed or not."""
    path = _scratch()
    path.write_bytes(data)
    with suppress(HoneyguideError, CutShortError):
        for record in records(Part.whole(path)):
            with suppress(ValueError):
                response_of("http://site.example/", record, None, _LIMIT)


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "decode": fuzz_decode,
    "parse": fuzz_parse,
    "blocks": fuzz_blocks,
    "read": fuzz_read,
    "url": fuzz_url,
    "robots": fuzz_robots,
    "listing": fuzz_listing,
    "headers": fuzz_headers,
    "cookies": fuzz_cookies,
    "decompress": fuzz_decompress,
    "warc": fuzz_warc,
}


@cache
def _reader() -> Reader:
    topic = Topic.make(name="bees", seeds=[_ADDRESS], keywords="honey, bee, comb")
    return Reader(ReaderConfig(make_model(material_of(topic)), "guide"))


@cache
def _jar() -> SiteCookieJar:
    return SiteCookieJar(loop=asyncio.new_event_loop())


@cache
def _scratch() -> Path:
    folder = "/dev/shm" if Path("/dev/shm").is_dir() else tempfile.gettempdir()
    return Path(folder) / f"honeyguide-fuzz-{os.getpid()}.warc"
