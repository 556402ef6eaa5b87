"""The browser of a crawl: started on demand, with one context per site, and reliably ended."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from secrets import token_hex
from time import monotonic
from typing import TYPE_CHECKING, Any

from honeyguide.browser.available import find_program, has_sandbox
from honeyguide.browser.process_tree import find_processes, kill, memory_of
from honeyguide.browser.rendering import Rendering
from honeyguide.browser.settings import BrowserSettings
from honeyguide.browser.tab import RenderJob, Tab, about, page_script
from honeyguide.errors import HoneyguideError
from honeyguide.page.domains import registered_domain
from honeyguide.page.url import host_of
from honeyguide.proxy.answer import plain
from honeyguide.proxy.server import ProxyServer

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright, ViewportSize

_log = logging.getLogger("honeyguide.browser")

_START = 60.0  # seconds for a browser to start, on a busy machine
_END = 5.0  # seconds for a page, a context or a browser to be closed, before its processes are killed
_MOST_CONTEXTS = 8  # each takes some megabytes
_CHECK = 0.2  # seconds between two looks at its memory
_MOST_FAILED_STARTS = 3
_CRASHED = "crashes the browser"
_VIEW: ViewportSize = {"width": 1000, "height": 1000}
_ARGUMENTS = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-first-run",
    "--no-pings",
    "--mute-audio",
    "--proxy-bypass-list=<-loopback>",
    # Whatever a page finds to get past the proxy: it finds no name, and no address but the proxy's.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--blink-settings=imagesEnabled=false",
)


class BrowserLostError(Exception):
    """The browser has ended. The message is the reason, if known."""


class Renderer:
    """Renders pages. If a page harms the browser, only that page fails.

    The browser has no network: what pages may request is fetched by `RenderJob.fetch`, and behind that stands a proxy
    that refuses everything. If the browser ends while several pages are rendered, it is not known which of them did it:
    each is rendered once more, alone.
    """

    def __init__(self, settings: BrowserSettings, agent: str) -> None:
        """`agent` is the browser's user agent."""
        self._settings = settings
        self._agent = agent
        self._places = asyncio.Semaphore(settings.pages)
        self._starting = asyncio.Lock()
        self._queueing = asyncio.Lock()
        self._running: _Running | None = None
        self._failed_starts = 0
        self.is_useless = False
        """Whether the browser does not start."""

    async def render(self, job: RenderJob) -> Rendering:
        """Render a page, within the limits of the settings. Never raises because of the page or the browser."""
        began = monotonic()
        async with self._places:
            try:
                rendering = await self._attempt(job)
            except BrowserLostError:
                rendering = None
        if rendering is None:
            async with self._alone():
                try:
                    rendering = await self._attempt(job)
                except BrowserLostError as error:
                    rendering = Rendering(problem=str(error))
        rendering.seconds = monotonic() - began
        return rendering

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        async with self._queueing:
            taken = 0
            try:
                for _ in range(self._settings.pages):
                    await self._places.acquire()
                    taken += 1
                yield
            finally:
                for _ in range(taken):
                    self._places.release()

    async def _attempt(self, job: RenderJob) -> Rendering:
        """Render a page. Raises `BrowserLostError` when the browser ends meanwhile, because of this page or another."""
        running = await self._started()
        site = registered_domain(host_of(job.response.url))
        tab: Tab | None = None
        try:
            async with asyncio.timeout(self._settings.seconds):
                tab = Tab(await running.context(site), job, self._settings)
                rendering = await running.until_lost(tab.render())
        except TimeoutError:
            # A page that never lets go of its thread; what is in its context may hang, too.
            await running.forget(site)
            rendering = Rendering(problem=f"took longer than {self._settings.seconds:g} s to render")
        except BrowserLostError:
            raise
        except Exception as error:  # noqa: BLE001 (of Playwright, which has one class for all of them)
            if running.is_lost:
                raise BrowserLostError(running.why) from None
            rendering = Rendering(problem=about(error))
        if running.is_lost and not rendering.html:
            raise BrowserLostError(running.why)
        if tab is not None:
            policy = tab.policy
            rendering.blocked = policy.blocked
        return rendering

    async def _started(self) -> _Running:
        async with self._starting:
            if self._running is not None and self._running.is_lost:
                running, self._running = self._running, None
                await running.close()
            if self._running is None:
                try:
                    async with asyncio.timeout(_START):
                        self._running = await _Running.start(self._settings, self._agent)
                except Exception as error:  # noqa: BLE001 (of Playwright, of the system)
                    self._failed_starts += 1
                    if self._failed_starts >= _MOST_FAILED_STARTS:
                        self.is_useless = True
                        _log.warning("the browser does not start, so no page is rendered: %s", about(error))
                    raise BrowserLostError(f"the browser does not start: {about(error)}") from None
                self._failed_starts = 0
            return self._running

    async def close(self) -> None:
        """End the browser and all of its processes."""
        if self._running is not None:
            running, self._running = self._running, None
            await running.close()


class _Running:
    """A running browser, with a proxy that refuses all requests that bypass `RenderJob.fetch`."""

    def __init__(self, driver: Playwright, wall: ProxyServer, settings: BrowserSettings, agent: str) -> None:
        self._driver = driver
        self._wall = wall
        self._settings = settings
        self._agent = agent
        self._mark = f"--honeyguide={token_hex(8)}"
        self._browser: Browser | None = None
        self._contexts: OrderedDict[str, asyncio.Task[BrowserContext]] = OrderedDict()
        self._watch: asyncio.Task[None] | None = None
        self._is_lost = False
        self._lost = asyncio.Event()
        self.why = _CRASHED
        """The problem of a page that ends it."""

    @classmethod
    async def start(cls, settings: BrowserSettings, agent: str) -> _Running:
        """Start a browser. Raises what Playwright raises."""
        from playwright.async_api import async_playwright  # noqa: PLC0415 (an extra)

        program = find_program(settings.program)
        if program is None:
            raise HoneyguideError("there is no Chromium")
        wall = ProxyServer(lambda _: plain("Not from here.\n", status=403))
        await wall.start()
        running = None
        try:
            running = cls(await async_playwright().start(), wall, settings, agent)
            await running._launch(program)
        except BaseException:
            if running is None:
                await wall.stop()
            else:
                await running.close()
            raise
        return running

    async def _launch(self, program: str) -> None:
        if not has_sandbox():
            _log.warning("the browser runs without its sandbox, because it is started by root")
        heap = max(self._settings.memory // 2, 100)
        self._browser = await self._driver.chromium.launch(
            executable_path=program,
            args=[
                *_ARGUMENTS,
                f"--proxy-server={self._wall.address}",
                f"--js-flags=--max-old-space-size={heap}",
                self._mark,
            ],
            ignore_default_args=["--disable-popup-blocking"],
            chromium_sandbox=has_sandbox(),
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
        self._browser.on("disconnected", lambda _: self._lose())
        self._watch = asyncio.create_task(self._watch_memory())

    @property
    def is_lost(self) -> bool:
        """Whether it has ended."""
        return self._is_lost or self._browser is None or not self._browser.is_connected()

    def _lose(self) -> None:
        self._is_lost = True
        self._lost.set()

    async def until_lost(self, work: Coroutine[Any, Any, Rendering]) -> Rendering:
        """Await an operation of the browser. Raises `BrowserLostError` if the browser ends first."""
        task, lost = asyncio.create_task(work), asyncio.create_task(self._lost.wait())
        try:
            await asyncio.wait({task, lost}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise BrowserLostError(self.why)
            return task.result()
        finally:
            for one in (task, lost):
                one.cancel()
            await asyncio.gather(task, lost, return_exceptions=True)

    async def context(self, site: str) -> BrowserContext:
        """The context of a site, which isolates its cookies and other storage."""
        made = self._contexts.pop(site, None)
        if made is None:
            made = asyncio.create_task(self._new_context())
        self._contexts[site] = made
        while len(self._contexts) > _MOST_CONTEXTS + self._settings.pages:
            await self.forget(next(iter(self._contexts)))
        return await asyncio.shield(made)

    async def _new_context(self) -> BrowserContext:
        assert self._browser is not None
        context = await self._browser.new_context(
            accept_downloads=False,
            service_workers="block",
            user_agent=self._agent,
            viewport=_VIEW,
        )
        await context.add_init_script(page_script())
        await context.route("**/*", lambda route: route.abort("blockedbyclient"))  # pages have routes of their own
        await context.route_web_socket("**/*", lambda socket: socket.close())
        return context

    async def forget(self, site: str) -> None:
        """Close the context of a site; if that is impossible, the browser is killed."""
        made = self._contexts.pop(site, None)
        if made is None:
            return
        try:
            async with asyncio.timeout(_END):
                await (await made).close()
        except Exception:  # noqa: BLE001 (of Playwright; or it takes too long)
            self.kill("hangs the browser")

    async def _watch_memory(self) -> None:
        limit = self._settings.memory * 1_000_000
        while not self.is_lost:
            await asyncio.sleep(_CHECK)
            if memory_of(find_processes(self._mark)) > limit:
                self.kill(f"needs more than {self._settings.memory} MB to render")

    def kill(self, why: str) -> None:
        """End all processes of the browser."""
        self.why = why
        self._lose()
        kill(find_processes(self._mark))

    async def close(self) -> None:
        """End the browser, by force if necessary."""
        if self._watch is not None:
            self._watch.cancel()
        for made in self._contexts.values():
            made.cancel()
        processes = find_processes(self._mark)
        if self._browser is not None and not self.is_lost:
            with suppress(Exception):
                async with asyncio.timeout(_END):
                    await self._browser.close()
        self._is_lost = True
        kill([number for number in find_processes(self._mark) if number in processes])
        await self._wall.stop()  # its connections are gone when the driver has stopped
        with suppress(Exception):
            async with asyncio.timeout(_END):
                await self._driver.stop()
