"""One page in the browser: loads the fetched document, waits until the page settles, and records the result."""

from __future__ import annotations

import asyncio
import html
import json
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from honeyguide.browser.policy import PagePolicy
from honeyguide.browser.rendering import MARK, PageFetch, Rendering
from honeyguide.browser.settings import BrowserSettings
from honeyguide.fetch.base import Response
from honeyguide.page.blocks import browser as boxes
from honeyguide.page.decode import decode
from honeyguide.page.url import origin_of

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Page, Request, Route

_UNSETTLED = "did not settle; its state at the timeout was used"
_ENDLESS = "kept sending requests; its state at the limit was used"
_KEPT_HEADERS = frozenset({"content-type", "cache-control", "etag", "last-modified"})
_CLOSING = 2.0  # seconds for a page to be closed; its context is closed if it hangs
_TAKING = 0.25  # of the time for a page, at least, is left for writing it down


@dataclass(frozen=True, slots=True)
class RenderJob:
    """A page to be rendered, and the options."""

    response: Response
    fetch: PageFetch
    max_bytes: int
    """Maximum length of the document."""
    with_boxes: bool = False


class Tab:
    """Renders one page in a context of its site."""

    def __init__(self, context: BrowserContext, job: RenderJob, settings: BrowserSettings) -> None:
        self._context = context
        self._job = job
        self._settings = settings
        self._url = job.response.url
        self.policy = PagePolicy(self._url, settings)
        self._is_answered = False
        self._onward = ""
        self._done = asyncio.Event()
        self._crashed = False
        self._session: CDPSession | None = None

    async def render(self) -> Rendering:
        """The page after its scripts have run. Raises whatever Playwright raises; there is no time limit."""
        page = await self._context.new_page()
        try:
            page.on("crash", lambda _: self._crash())
            await page.route("**/*", self._route)
            problem = await self._settle(page)
            if self._crashed:
                return Rendering(problem="crashes the browser's page")
            return await self._taken(page, problem)
        finally:
            with suppress(Exception):
                async with asyncio.timeout(_CLOSING):
                    await page.close()

    def _crash(self) -> None:
        self._crashed = True
        self._done.set()

    async def _settle(self, page: Page) -> str:
        """Load the page, and let its scripts run. Returns why it may be incomplete.

        The time of the page is virtual: it stands still while an answer is awaited, and else passes as fast as the
        scripts can run. So what a page does after seconds is done in moments, and one that never rests ends.
        """
        session = self._session = await self._context.new_cdp_session(page)
        session.on("Emulation.virtualTimeBudgetExpired", lambda _: self._done.set())
        await page.goto(self._url, wait_until="commit")
        await session.send(
            "Emulation.setVirtualTimePolicy",
            {
                "policy": "pauseIfNetworkFetchesPending",
                "budget": 1000 * self._settings.settle,
                "maxVirtualTimeTaskStarvationCount": 10_000,
            },
        )
        try:
            async with asyncio.timeout((1 - _TAKING) * self._settings.seconds):
                await self._done.wait()
        except TimeoutError:
            return _UNSETTLED
        return _ENDLESS if self.policy.is_endless else ""

    async def _taken(self, page: Page, problem: str) -> Rendering:
        text: str = await page.evaluate(_script("document_script.js"), self._job.max_bytes)
        measured = b""
        if self._job.with_boxes:
            measured = json.dumps(await page.evaluate(boxes.script())).encode()
        if self._onward:
            text = _with_refresh(text, self._onward)
        body = (MARK + text.encode("utf-8", "replace"))[: self._job.max_bytes]
        return Rendering(body, measured, problem)

    # ---- requests ----

    async def _route(self, route: Route) -> None:
        with suppress(Exception):  # the page was closed meanwhile
            await self._answer(route, route.request)

    async def _answer(self, route: Route, request: Request) -> None:
        if request.is_navigation_request() and not request.frame.parent_frame:
            await self._answer_document(route, request.url)
            return
        policy = self.policy
        answer: Response | str = policy.refusal(request.url, request.method, request.resource_type)
        if not answer:
            answer = await self._job.fetch(request.url, request.resource_type)
        if isinstance(answer, str):
            policy.block(answer)
            await route.abort("blockedbyclient")
            await self._end_endless()
            return
        policy.received(len(answer.body))
        await route.fulfill(status=answer.status, headers=self._headers(answer), body=answer.body)

    async def _answer_document(self, route: Route, url: str) -> None:
        """Answer with the page itself, once: where else it wants to go is noted, and not followed here."""
        response = self._job.response
        if not self._is_answered:
            self._is_answered = True
            text = decode(response.body, response.header("content-type"))  # as it is read without a browser
            await route.fulfill(status=200, headers={"content-type": "text/html; charset=utf-8"}, body=text)
            return
        self.policy.block("navigation")
        if url.startswith(("http://", "https://")) and url.partition("#")[0] != self._url:
            self._onward = url
        await route.abort("aborted")
        await self._end_endless()

    async def _end_endless(self) -> None:
        """Record a page that makes too many requests as it is; further requests are ignored."""
        if self.policy.is_endless and not self._done.is_set() and self._session is not None:
            self._done.set()
            await self._session.send("Network.enable")
            await self._session.send("Network.setBlockedURLs", {"urls": ["*"]})

    def _headers(self, answer: Response) -> dict[str, str]:
        """Headers that let a page read a response from any origin, since its requests were already checked here."""
        kept = {name.lower(): value for name, value in answer.headers if name.lower() in _KEPT_HEADERS}
        cors = {"access-control-allow-origin": origin_of(self._url), "access-control-allow-credentials": "true"}
        return kept | cors


@cache
def _script(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def page_script() -> str:
    """The script that runs in every page before its own scripts."""
    return _script("page_script.js")


def _with_refresh(text: str, target: str) -> str:
    """A document with a refresh to the URL that scripts navigated to, since that is a redirect."""
    refresh = f'<meta http-equiv="refresh" content="0; url={html.escape(target)}">'
    head, found, rest = text.partition("<head>")
    return f"{head}{found}{refresh}{rest}" if found else refresh + text


def about(value: Any) -> str:
    """The first line of Playwright's message."""
    return str(value).strip().partition("\n")[0][:200] or type(value).__name__
