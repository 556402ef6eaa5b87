"""Iterating over the pages of a crawl as they are fetched."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import uvloop

from honeyguide.crawl.again.revisits import RevisitOptions
from honeyguide.crawl.fetched_page import FetchedPage
from honeyguide.crawl.model_store import Examples, ModelPaths, keep_texts, read_material, ready_model, suits
from honeyguide.crawl.pacing import MakePacing, StandardPacing
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.errors import InputError
from honeyguide.fetch.base import Fetcher
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.models import make_model
from honeyguide.relevance.registry import as_spec
from honeyguide.relevance.spec import ModelSpec
from honeyguide.store.folder import CrawlFolder
from honeyguide.topic import Topic
from honeyguide.topic.material import has_examples, material_of

_AHEAD = 64
"""How many pages may wait for the consumer before the crawl pauses."""


class Crawling:
    """A running crawl: iterate over it, with ``for`` or ``async for``, to get its pages as they are fetched.

    Yields relevant pages only, each once, unless `all_pages` was given. Nothing is fetched before the first page is
    requested. Leaving the loop, closing the iterator or an exception stops the crawl and saves it; calling
    `honeyguide.crawl` again continues it. After the last page, `result` says why the crawl ended.
    """

    def __init__(
        self, folder: Path, session: Callable[[Callable[[FetchedPage], None]], Session], *, all_pages: bool
    ) -> None:
        self.folder = folder
        """The folder of the crawl."""
        self._make_session = session
        self._all_pages = all_pages
        self.result: CrawlResult | None = None

    def __aiter__(self) -> AsyncPages:
        return AsyncPages(self, self._session)

    def __iter__(self) -> Iterator[FetchedPage]:
        pages: queue.SimpleQueue[FetchedPage | None] = queue.SimpleQueue()
        failed: list[BaseException] = []
        session = self._session(pages.put, pages.qsize)
        loop = uvloop.new_event_loop()

        def run_session() -> None:
            try:
                with asyncio.Runner(loop_factory=lambda: loop) as runner:
                    self.result = runner.run(session.run())
            except BaseException as error:  # noqa: BLE001 (raised again in the caller's thread)
                failed.append(error)
            pages.put(None)

        def call_in_loop(action: Callable[..., None], *arguments: Any) -> None:
            with suppress(RuntimeError):  # the crawl has ended, and its loop is closed
                loop.call_soon_threadsafe(action, *arguments)

        thread = threading.Thread(target=run_session, name="honeyguide", daemon=True)
        thread.start()
        try:
            while (page := pages.get()) is not None:
                yield page
                if session.crawler is not None and pages.qsize() < _AHEAD // 2:
                    call_in_loop(session.crawler.pause, False)
        finally:
            call_in_loop(session.request_stop)
            call_in_loop(session.request_stop)
            thread.join()
        if failed:
            raise failed[0]

    def _session(self, put: Callable[[FetchedPage], None], waiting: Callable[[], int]) -> Session:
        """Make a session that puts pages into a queue, and pauses while too many of them are `waiting` there."""

        def deliver(page: FetchedPage) -> None:
            if self._all_pages or (page.relevant and not page.duplicate_of):
                put(page)
                if waiting() > _AHEAD and session.crawler is not None:
                    session.crawler.pause(True)

        session = self._make_session(deliver)
        return session


class AsyncPages(AsyncIterator[FetchedPage]):
    """The pages of one run, which is a task of the caller's event loop.

    Leaving an ``async for`` does not close its iterator, but only drops the reference to it. So the run is stopped when
    this object is garbage-collected, and the next run of the same folder waits until that one has ended.
    """

    _left: ClassVar[dict[Path, asyncio.Task[CrawlResult]]] = {}
    """Stopping runs by folder, until they have ended. References are needed: an event loop does not keep its tasks."""

    def __init__(self, crawling: Crawling, session: Callable[..., Session]) -> None:
        self._crawling = crawling
        self._make_session = session
        self._folder = crawling.folder.absolute()
        self._pages: asyncio.Queue[FetchedPage | None] = asyncio.Queue()
        self._session: Session | None = None
        self._run: asyncio.Task[CrawlResult] | None = None

    async def __anext__(self) -> FetchedPage:
        try:
            if self._run is None:
                self._session, self._run = await self._begin()
            page = await self._pages.get()
        except asyncio.CancelledError:
            await self.aclose()
            raise
        if page is None:
            self._pages.put_nowait(None)  # for further calls
            self._crawling.result = await self._run
            raise StopAsyncIteration
        if self._session is not None and self._session.crawler is not None and self._pages.qsize() < _AHEAD // 2:
            self._session.crawler.pause(False)
        return page

    async def _begin(self) -> tuple[Session, asyncio.Task[CrawlResult]]:
        before = self._left.get(self._folder)
        if before is not None and before.get_loop() is asyncio.get_running_loop():
            await asyncio.wait([before])
        pages = self._pages
        session = self._make_session(pages.put_nowait, pages.qsize)
        run = asyncio.create_task(session.run())
        run.add_done_callback(lambda _: pages.put_nowait(None))
        return session, run

    async def aclose(self) -> None:
        """Stop the run, and wait until everything is saved."""
        if self._run is not None:
            self._stop()
            self._crawling.result = await self._run

    def _stop(self) -> None:
        """Request a stop twice, which means immediately. The garbage collector may run in any thread."""
        assert self._session is not None
        assert self._run is not None
        with suppress(RuntimeError):  # the loop is closed, so the run has ended
            self._run.get_loop().call_soon_threadsafe(self._session.request_stop)
            self._run.get_loop().call_soon_threadsafe(self._session.request_stop)

    def __del__(self) -> None:
        run, left, folder = self._run, self._left, self._folder
        if run is not None and not run.done():
            left[folder] = run
            run.add_done_callback(lambda _: left.pop(folder, None))
            self._stop()


def start(
    topic: Topic | str | Path,
    out: Path,
    settings: Mapping[str, Any],
    *,
    workers: int,
    all_pages: bool,
    again: bool,
    model: str | ModelSpec | type | Relevance | None,
    fetcher: Callable[[], Fetcher] | None,
    pacing: MakePacing | None,
) -> Crawling:
    """Check everything, and return the crawl, ready to run: see `honeyguide.crawl`."""
    wanted = topic if isinstance(topic, Topic) else Topic.load(topic)
    if settings:
        wanted = wanted.with_settings(**settings)
    if isinstance(model, str):
        wanted = wanted.with_settings(relevance={"model": model})
    make_pacing = pacing or StandardPacing
    folder = out / wanted.name
    wanted = CrawlFolder(folder, wanted).topic  # rejects an unsuitable folder before a model is trained for it
    places = ModelPaths.beside(folder if isinstance(topic, Topic) else Path(topic))
    fitted = _fitted(model, wanted, folder, places, fetcher)

    def session(on_page: Callable[[FetchedPage], None]) -> Session:
        return Session(
            wanted,
            folder,
            model=fitted,
            workers=workers,
            fetcher=fetcher,
            on_page=on_page,
            pacing=make_pacing,
            examples=places.texts,
            again=RevisitOptions() if again else None,
        )

    session(lambda _: None)
    return Crawling(folder, session, all_pages=all_pages)


def _fitted(
    model: str | ModelSpec | type | Relevance | None,
    topic: Topic,
    folder: Path,
    places: ModelPaths,
    fetcher: Callable[[], Fetcher] | None,
) -> Relevance | None:
    """The model to crawl with; None for the crawl's own model, or for one made from the topic's words."""
    if model is None or isinstance(model, str):
        return ready_model(topic, folder, places, _fit, fetcher=fetcher)
    if isinstance(model, ModelSpec | type):
        spec = as_spec(model)
        if suits(folder, topic):
            return None
        if has_examples(topic):
            examples = read_material(topic, places.examples, fetcher=fetcher)
            fitted = _fit(examples, spec)
            keep_texts(examples, places)
            return fitted
        return make_model(material_of(topic), spec)
    if not callable(getattr(model, "score", None)) or not hasattr(model, "threshold"):
        problem = f"an object of type {type(model).__name__} is not a model"
        raise InputError("model", problem, "pass a name or an object with a threshold and a score method")
    return model


def _fit(examples: Examples, spec: ModelSpec | None = None) -> Relevance:
    from honeyguide.relevance.example_checks import log_problems  # noqa: PLC0415 (scikit-learn takes a second)
    from honeyguide.relevance.training import train  # noqa: PLC0415

    model = train(examples.material, spec=spec).model
    log_problems(examples.material, dict(examples.place_of))
    return model
