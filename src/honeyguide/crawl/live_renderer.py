"""Renders pages of the live web in a crawl, within a budget."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from honeyguide.atomic_write import atomic_write
from honeyguide.browser.policy import PagePolicy
from honeyguide.browser.renderer import Renderer
from honeyguide.browser.rendering import Rendering
from honeyguide.browser.settings import BrowserSettings
from honeyguide.browser.tab import RenderJob
from honeyguide.crawl.clock import Clock
from honeyguide.crawl.crawler import Crawler
from honeyguide.crawl.needs_browser import Extent, SiteGains, is_gain, needs_scripts
from honeyguide.crawl.neighbours import Alone, Neighbours
from honeyguide.crawl.pacing import Pacing
from honeyguide.crawl.page_requests import PageRequests, RequestParts
from honeyguide.crawl.robots import RobotsCache
from honeyguide.fetch.base import Fetcher, Response
from honeyguide.fetch.settings import user_agent
from honeyguide.page.blocks.browser import file_name
from honeyguide.page.domains import registered_domain
from honeyguide.page.scope import Scope
from honeyguide.page.settings import ScopeSettings
from honeyguide.page.url import UrlRules, host_of
from honeyguide.store.tally import Tally
from honeyguide.strategy.reading import Reading
from honeyguide.strategy.registry import strategy_named
from honeyguide.topic import Topic
from honeyguide.version import VERSION

RENDERED_BEFORE: Final = "SELECT urls.url, detail FROM events JOIN urls ON urls.id = events.url WHERE kind = ?"
"""The query for the input of `LiveRenderer.restore`, with the parameter `RENDERING`."""

_HTML = ("text/html", "application/xhtml+xml", "")
_INITIAL_PAGES = 20  # pages added to the count, so that the first page that needs it can be rendered


class LiveRenderer:
    """Renders pages of the live web according to `fetch.browser`."""

    def __init__(
        self,
        mode: str,
        settings: BrowserSettings,
        renderer: Renderer,
        parts: RequestParts,
        max_bytes: int,
        boxes: Path | None,
    ) -> None:
        """`boxes` is the folder for the boxes of page elements; None if they are not needed."""
        self._mode = mode
        self._settings = settings
        self._renderer = renderer
        self._parts = parts
        self._max_bytes = max_bytes
        self._boxes = boxes
        self._sites = SiteGains()
        self._count = 0
        self._seconds = 0.0

    def restore(self, events: Iterator[tuple[str, str]]) -> None:
        """Restore what earlier runs learnt, from URLs and the details of their events."""
        for url, text in events:
            detail = json.loads(text)
            if detail["seconds"]:
                self._count += 1
                self._seconds += detail["seconds"]
                self._sites.add(_site(url), gained=detail["used"])

    def wants(self, response: Response, reading: Reading) -> bool:
        """Whether to render a page; documents other than HTML never are."""
        kind = response.header("content-type").partition(";")[0].strip().lower()
        if self._renderer.is_useless or kind not in _HTML:
            return False
        if self._mode == "always":
            return True
        return needs_scripts(response.body, reading.words) and self._sites.pays(_site(response.url))

    async def render(self, response: Response) -> Rendering:
        """Render a page, if the budget allows it."""
        if problem := self._spent(self._parts.journal.tally):
            return Rendering(problem=problem)
        self._count += 1
        policy = PagePolicy(response.url, self._settings)
        requests = PageRequests(self._parts, response.url, policy.is_known)
        try:
            job = RenderJob(response, requests.fetch, self._max_bytes, with_boxes=self._boxes is not None)
            rendering = await self._renderer.render(job)
        finally:
            await requests.finish()
        rendering.requests, rendering.size = requests.sent, requests.size
        self._seconds += rendering.seconds
        if rendering.boxes and self._boxes is not None:
            with atomic_write(self._boxes / f"{file_name(response.url)}.gz") as file:
                file.write(gzip.compress(rendering.boxes, 2))
        return rendering

    def _spent(self, tally: Tally) -> str:
        if self._settings.minutes and self._seconds >= 60 * self._settings.minutes:
            return "the time limit for rendering is used up (browser.minutes)"
        if self._mode == "auto" and self._count >= self._settings.share * (tally.pages + _INITIAL_PAGES):
            return "the share of pages that are rendered is used up (browser.share)"
        return ""

    def uses(self, url: str, rendering: Rendering, before: Extent, after: Extent) -> bool:
        """Whether to use the rendered document: if it is a gain, or if all pages are rendered."""
        gained = bool(rendering.html) and is_gain(before, after)
        if rendering.seconds:
            self._sites.add(_site(url), gained=gained)
        return bool(rendering.html) and (gained or self._mode == "always")

    async def close(self) -> None:
        """End the browser."""
        await self._renderer.close()


def boxes_folder(strategy: str) -> Path | None:
    """The folder where a strategy expects the boxes from a browser; None if it needs none."""
    values = strategy_named(strategy).values
    return Path(str(values["boxes"])) if values.get("cues") == "browser" else None


def _site(url: str) -> str:
    return registered_domain(host_of(url))


def request_parts(
    crawler: Crawler, fetcher: Fetcher, robots: RobotsCache, pacing: Pacing, clock: Clock, neighbours: Neighbours | None
) -> RequestParts:
    """Everything that the pages of a crawl need for sending requests while they are rendered."""
    topic = crawler.topic
    return RequestParts(
        fetcher=fetcher,
        frontier=crawler.frontier,
        robots=robots,
        pacing=pacing,
        journal=crawler.journal,
        blocking=crawler.blocking,
        neighbours=neighbours or Alone(),
        clock=clock,
        denied=Scope(ScopeSettings(deny_domains=topic.scope.deny_domains)),
        urls=UrlRules(topic.urls),
        obeys_robots=topic.fetch.robots,
    )


def live_renderer(topic: Topic, mode: str, parts: RequestParts) -> LiveRenderer:
    """Make the renderer of a crawl; its browser is started with the first page that needs it."""
    renderer = Renderer(topic.browser, user_agent(topic.fetch, VERSION))
    return LiveRenderer(mode, topic.browser, renderer, parts, topic.fetch.max_body, boxes_folder(topic.strategy.name))
