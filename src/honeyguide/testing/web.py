"""A small web in memory: linked pages on several hosts, and malformed documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256

import numpy as np

from honeyguide.fetch.base import Failure, Headers, Request, Response
from honeyguide.testing.texts import BEES, TRAINS, texts

_HTML: Headers = (("Content-Type", "text/html; charset=utf-8"),)
_HOSTS = ("bees", "hives", "rails", "news")
_PAGES = 48
_LINKS = 6
_STARTED = 1.7e9


class SmallWeb:
    """A virtual web, and a fetcher for it, from a mapping of URLs to bodies. The body ``-> URL`` is a redirect."""

    name = "small"
    notes: tuple[str, ...] = ()

    def __init__(self, pages: Mapping[str, bytes]) -> None:
        self._pages = dict(pages)
        self.digest = sha256(repr(sorted(self._pages.items())).encode()).hexdigest()

    def __len__(self) -> int:
        return len(self._pages)

    def __contains__(self, url: str) -> bool:
        return url in self._pages

    def urls(self) -> Iterator[str]:
        """All of its URLs."""
        return iter(self._pages)

    def response(self, url: str) -> Response | None:
        """The response of a server; None if there is no such page."""
        body = self._pages.get(url)
        if body is None:
            return None
        if body.startswith(b"-> "):
            headers = (("Location", body[3:].decode()),)
            return Response(url, 301, "Moved Permanently", headers, b"", b"", (), started=_STARTED)
        return Response(url, 200, "OK", _HTML, body, body, (), started=_STARTED)

    async def fetch(self, request: Request) -> Response | Failure:
        """The same for a crawl; status 404 if there is no such page."""
        found = self.response(request.url)
        return found or Response(request.url, 404, "Not Found", _HTML, b"", b"", (), started=_STARTED)

    async def close(self) -> None:
        """Do nothing: there are no connections."""


@cache
def linked_pages() -> Mapping[str, bytes]:
    """Pages about bees and about trains, each with two blocks of links, and some broken links."""
    random = np.random.default_rng(0)
    urls = [f"http://{_HOSTS[number % len(_HOSTS)]}.example/{number // 8}/{number}.html" for number in range(_PAGES)]
    about_bees = [number % len(_HOSTS) < 2 for number in range(_PAGES)]
    words = [
        " ".join(texts(BEES if is_bees else TRAINS, 1, number)[0].words) for number, is_bees in enumerate(about_bees)
    ]
    pages = {}
    for number, url in enumerate(urls):
        anchors = [
            f'<li><a href="{urls[other]}" title="no {other}">{" ".join(words[other].split()[:4])}</a> and so on</li>'
            for other in random.choice(_PAGES, _LINKS, replace=False).tolist()
        ]
        pages[url] = (
            f"<!DOCTYPE html><html lang=en><title>{words[number][:30]}</title>"
            f'<nav><a href="/">home</a> <a href="{urls[0]}#top">start</a> <a href="{url}">here</a></nav>'
            f"<h1>{words[number][:20]}</h1><p>{words[number]}</p><ul>{''.join(anchors[:3])}</ul>"
            f'<div><h2>More</h2><ul>{"".join(anchors[3:])}</ul><a href="/gone/{number}">gone</a></div>'
        ).encode()
    for host in _HOSTS:
        own = next(url for url in urls if url.startswith(f"http://{host}."))
        pages[f"http://{host}.example/"] = f"-> {own}".encode()
    return pages


def plain_pages() -> dict[str, bytes]:
    """Many pages with hardly any text."""
    return {f"http://many.example/{number}": f"<p>wagon {number}</p>".encode() for number in range(120)}


def odd_documents() -> dict[str, bytes]:
    """Malformed documents: broken, empty, very long, deeply nested, in no valid encoding."""
    on = '<a href="http://bees.example/0/0.html">honey</a>'
    many = "".join(f'<a href="{url}">wagon {number}</a>' for number, url in enumerate(plain_pages()))
    bodies = [
        b"",
        b"   \n ",
        b"plain words, no tags, honey bee",
        b"<!-- nothing but a comment -->",
        b"<html><title>broken</title><p>honey <div><b><i>never closed <a href=/on>one<p><a href='/half>two</a>",
        f"<title></title>{on}<a></a><a href=''></a><a href='#x'></a><a href='javascript:x()'>y</a>".encode(),
        f"<p>{on}{on}{on}<a href='mailto:a@b.example'>a</a><a href='http://['>bad</a><a href='//'>bad</a>".encode(),
        ("<div>" * 2000 + on + "</div>" * 2000).encode(),
        f"<ul>{many}</ul>{on}".encode(),
        f"<p>{'honey ' * 3000}{on}</p>".encode(),
        f"<table><tr><td>{on}<td><img src=x alt='queen bee'><tr>{on}</table><svg><a href='/s'>s</a></svg>".encode(),
        f"<a href='http://hives.example/'><img src=a.png alt='hive'></a><template>{on}</template>".encode(),
        "<p>蜂蜜 är sött &#xD800; &#0; \N{ZERO WIDTH SPACE}<a href='http://xn--bcher-kva.example/ü'>ü</a>".encode(),
        f"<meta charset=utf-16><p>{on}".encode("utf-16"),
        bytes(range(256)) * 20,
        b"<script>document.write('<a href=/no>no</a>')</script><noscript>" + on.encode() + b"</noscript>",
        b"<frameset><frame src='/frame'></frameset><base href='http://rails.example/x/'><a href='../y'>y</a>",
    ]
    return {f"http://odd.example/{number}": body for number, body in enumerate(bodies)}
