"""Little webs whose pages say what they are worth, so that orders can be worked out on paper."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import uvloop

from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.lab.replay import ReplayResult, replay
from honeyguide.lab.visits import RequestTiming
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic

HOME = "http://a.example/"
_QUICK = {"connections": 1, "delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "robots": False}


class Told:
    """A model that is told: a text is worth the first of its words that reads like ``s60``, in hundredths."""

    threshold = 0.5

    def score(self, text: Any, spans: Any) -> Any:
        """A score a span."""
        return np.array([_told(text.words[first:last]) for first, last in spans.tolist()])


def _told(words: list[str]) -> float:
    return next((int(word[1:]) / 100 for word in words if re.fullmatch(r"s\d+", word)), 0.0)


def page(score: int, *links: str, **named: str) -> str:
    """A page worth so many hundredths that links to names (by anchors that say nothing) or to names by anchors."""
    anchors = [*((link, "") for link in links), *named.items()]
    shown = "".join(f'<p><a href="{_url(name)}">{text}</a></p>' for name, text in anchors)
    return f"<!DOCTYPE html><title>x</title><p>s{score:02d}</p>{shown}"


def _url(name: str) -> str:
    """Of a page by its name: ``b`` is on the first site, ``b.c`` is c on the site b."""
    host, dot, rest = name.partition(".")
    return f"http://{host}.example/{rest}" if dot else f"{HOME}{name}"


class LittleWeb:
    """Pages by name. A value is HTML, ``-> name`` for a redirect, or ``404``."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self._names = {_url(name): name for name in pages}
        self._pages = {_url(name): html for name, html in pages.items()}

    def __contains__(self, url: str) -> bool:
        return url in self._pages

    def response(self, url: str) -> Response | None:
        """What a server would say."""
        html = self._pages.get(url)
        if html is None:
            return None
        if html.startswith("-> "):
            return Response(url, 301, "Moved", (("Location", _url(html[3:])),), b"", b"", ())
        if html == "404":
            return Response(url, 404, "Not Found", (), b"", b"", ())
        body = html.encode()
        return Response(url, 200, "OK", (("Content-Type", "text/html; charset=utf-8"),), body, body, (), started=1.7e9)

    async def fetch(self, request: Request) -> Response | Failure:
        """As a fetcher."""
        return self.response(request.url) or Failure(request.url, "dns", "no such name", transient=False)

    async def close(self) -> None:
        """As a fetcher."""

    def crawl(self, strategy: str, *seeds: str, model: Any = None, **tables: Any) -> ReplayResult:
        """A crawl from some pages, strictly by priority."""
        addresses = [_url(seed) for seed in seeds]
        topic = Topic.make(name="t", seeds=addresses, keywords="x", strategy={"name": strategy}, fetch=_QUICK, **tables)
        return replay(topic, model or Told(), self, RequestTiming(latency=1.0, bytes_per_second=1e12, delay=0.0))  # type: ignore[arg-type]

    def order(self, strategy: str, *seeds: str, **tables: Any) -> str:
        """The names of the pages in the order of a crawl."""
        return " ".join(self._names[step.url] for step in self.crawl(strategy, *seeds, **tables).steps)

    def promised(self, strategy: str, *seeds: str, **tables: Any) -> dict[str, float]:
        """The priority that each page was taken with."""
        return {self._names[step.url]: step.promised for step in self.crawl(strategy, *seeds, **tables).steps}

    def fetched(self, folder: Path, strategy: str, words: str, *budgets: int) -> list[tuple[Any, ...]]:
        """What a real crawl by a topic's words fetches, and why, run once with each budget."""
        topic = Topic.make(name="t", seeds=[HOME], keywords=words)
        return _in_runs(folder, topic, strategy, lambda: self, budgets)


def fetched_of_demo(folder: Path, strategy: str, *budgets: int) -> list[tuple[Any, ...]]:
    """The same on the demo web."""
    demo = DemoWeb(pages=120, page_kb=2.0)
    subject = demo.subjects[2]
    topic = Topic.make(name="t", seeds=demo.seeds(subject), keywords=", ".join(demo.keywords(subject)))
    return _in_runs(folder, topic, strategy, lambda: DemoFetcher(demo), budgets)


def _in_runs(folder: Path, topic: Topic, strategy: str, fetcher: Any, budgets: tuple[int, ...]) -> list[Any]:
    for pages in budgets:
        asked = topic.with_settings(
            strategy={"name": strategy}, fetch=_QUICK, budget={"pages": pages}, relevance={"model": "vsm"}
        )
        uvloop.run(Session(asked, folder, fetcher=fetcher, workers=0).run())
    with Crawl.open(folder) as crawl:
        sql = "SELECT url, pages.priority FROM pages JOIN urls USING (id) ORDER BY seq"
        return [tuple(row) for row in crawl.query(sql)]
