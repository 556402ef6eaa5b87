"""Pages of a crawl as they come."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Any

import uvloop

from honeyguide.crawl.recorder import Fetched
from honeyguide.crawl.session import Outcome, Session

_AHEAD = 64
"""Pages that may wait for their taker before the crawl pauses."""


class Crawling:
    """A crawl under way: iterate over it, with ``for`` or ``async for``, to get its pages while it runs.

    Yields relevant pages only, each once, unless `all_pages`. Nothing happens before the first page is asked for.
    Leaving the loop, closing the iterator or an exception stops the crawl and saves it; the same call goes on where
    it stopped. After the last page `outcome` says why the crawl ended.
    """

    def __init__(self, session: Callable[[Callable[[Fetched], None]], Session], *, all_pages: bool) -> None:
        self._make_session = session
        self._all_pages = all_pages
        self.outcome: Outcome | None = None

    async def __aiter__(self) -> AsyncIterator[Fetched]:
        pages: asyncio.Queue[Fetched | None] = asyncio.Queue()
        session = self._make_session(lambda page: self._hand_over(page, pages.put_nowait, pages.qsize(), session))
        run = asyncio.create_task(session.run())
        run.add_done_callback(lambda _: pages.put_nowait(None))
        try:
            while (page := await pages.get()) is not None:
                yield page
                if session.crawler is not None and pages.qsize() < _AHEAD // 2:
                    session.crawler.pause(False)
        finally:
            session.request_stop()
            session.request_stop()
            self.outcome = await run

    def __iter__(self) -> Iterator[Fetched]:
        pages: queue.SimpleQueue[Fetched | None] = queue.SimpleQueue()
        failed: list[BaseException] = []
        session = self._make_session(lambda page: self._hand_over(page, pages.put, pages.qsize(), session))
        loop = uvloop.new_event_loop()

        def work() -> None:
            try:
                with asyncio.Runner(loop_factory=lambda: loop) as runner:
                    self.outcome = runner.run(session.run())
            except BaseException as error:  # noqa: BLE001 (it is raised again, where the caller is)
                failed.append(error)
            pages.put(None)

        def tell(action: Callable[..., None], *arguments: Any) -> None:
            with suppress(RuntimeError):  # the crawl has ended by itself, and its loop is closed
                loop.call_soon_threadsafe(action, *arguments)

        thread = threading.Thread(target=work, name="honeyguide", daemon=True)
        thread.start()
        try:
            while (page := pages.get()) is not None:
                yield page
                if session.crawler is not None and pages.qsize() < _AHEAD // 2:
                    tell(session.crawler.pause, False)
        finally:
            tell(session.request_stop)
            tell(session.request_stop)
            thread.join()
        if failed:
            raise failed[0]

    def _hand_over(self, page: Fetched, put: Callable[[Fetched], None], waiting: int, session: Session) -> None:
        if self._all_pages or (page.relevant and not page.duplicate_of):
            put(page)
            if waiting >= _AHEAD and session.crawler is not None:
                session.crawler.pause(True)
