"""A web prepared for trials: its link graph, its pages as texts, and topics for its labels."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from honeyguide.lab.cases import Case
from honeyguide.lab.reduced_web import ReducedWeb
from honeyguide.lab.web import VirtualWeb
from honeyguide.lab.web_graph import WebGraph
from honeyguide.page.decode import decode
from honeyguide.page.parse import parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance.text import Text
from honeyguide.settings import AUTO
from honeyguide.topic import Topic


@dataclass(frozen=True, slots=True)
class WebFixture:
    """The data shared by all trials on a web: the web, its graph, and the rules for URLs."""

    web: VirtualWeb
    graph: WebGraph
    urls: UrlSettings
    connections: int = 1
    haste: float = 0.5
    start_at_examples: str = AUTO

    def page(self, url: str) -> int | None:
        """The number of the page that a URL, in any spelling, leads to; None when it is not in the web."""
        canonical = UrlRules(self.urls).canonical(url)
        return self.graph.page(canonical) if canonical else None

    def text(self, url: str) -> Text:
        """The words of a page of the web."""
        response = self.web.response(url)
        assert response is not None, f"{url} is not in the web"
        html = decode(response.body, response.header("content-type"))
        page = parse(html, url, UrlRules(self.urls))
        return Text(page.words, url, page.title)

    def others(self, relevant: Collection[str]) -> list[str]:
        """The pages that are not among the relevant ones, in the web's order."""
        inside = frozenset(relevant)
        return [url for url in self.graph.urls if url not in inside]

    def without(self, urls: Collection[str]) -> WebFixture:
        """The web without some pages and the links to them."""
        if not urls:
            return self
        hidden = frozenset(urls)
        pages = [self.graph.number[url] for url in hidden]
        return replace(self, web=ReducedWeb(self.web, hidden), graph=self.graph.without(pages))

    def topic(self, case: Case, *, model: str, strategy: str = "best-first") -> Topic:
        """A topic for a crawl of the web: the seeds, examples and budget of a case."""
        return Topic.make(
            name="trial",
            seeds=case.seeds,
            examples={"positive": case.examples, "negative": case.others},
            keywords=case.keywords,
            budget={"pages": case.downloads, "haste": self.haste},
            strategy={"name": strategy, "start_at_examples": self.start_at_examples},
            relevance={"model": model},
            urls=self.urls,
            fetch={"robots": False, "connections": self.connections},
        )
