"""Judging the stored pages of a crawl again, with another model or threshold. Nothing is fetched.

All events of the crawl are replayed in order: pages are read from the archive and scored anew; failures, refusals and
redirects stay as they were. So the counts, the priorities of waiting URLs and the state of the strategy are those of a
crawl that fetched the same pages and used the new model from the beginning.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, closing, suppress
from time import time
from typing import Any, NamedTuple

from honeyguide.crawl.listings import UNPROVEN
from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.crawl.readers import PageReaders, ReadError
from honeyguide.crawl.replaying import take_number, unlimited_frontier
from honeyguide.crawl.seeds import SEED_PRIORITY
from honeyguide.errors import HoneyguideError
from honeyguide.frontier import NO_PARENT, Admission, State
from honeyguide.page.blocklist import BLOCKED
from honeyguide.relevance import saved
from honeyguide.store.connection import FILE
from honeyguide.store.crawl import Crawl
from honeyguide.store.database import PAGE_COLUMNS, Database, PageRow
from honeyguide.store.duplicates import Duplicates
from honeyguide.store.folder import CrawlFolder
from honeyguide.store.listed import ListedNumbers
from honeyguide.store.replacement import replacement
from honeyguide.store.stored_page import StoredPage
from honeyguide.store.tail import needs_repair
from honeyguide.store.tally import Tally
from honeyguide.store.url_events import LISTING
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.reading import Document, Reading, leave_out
from honeyguide.topic import Topic

_log = logging.getLogger("honeyguide.crawl")

_COMMIT_AFTER = 1000  # events between two commits, which bounds the memory
_AHEAD = 32  # events that are prefetched, so that workers read pages while others are processed
_NOW = 0.0  # no host rests, so time does not matter

Progress = Callable[[int, int], None]
"""Called with the number of pages judged so far, and of all pages."""


class StoppedError(Exception):
    """The user interrupted the process. Nothing has changed."""


async def judge_again(
    folder: CrawlFolder,
    schedule: ModelSchedule,
    readers: PageReaders,
    changed: Sequence[str],
    metadata: Mapping[str, Any],
    progress: Progress,
    is_stopped: Callable[[], bool],
) -> None:
    """Judge all pages of a crawl with the model of `schedule`, which becomes its model.

    `changed` is the reason, for people. The `metadata` are saved next to the model. The `readers` have been started
    with the configuration of the schedule. If this raises, or the process is killed, the crawl is unchanged.

    Raises `StoppedError` when `is_stopped`, `PluginError` when the model or the strategy fails, `HoneyguideError` when
    the archive cannot be read.
    """
    model = schedule.config.model
    with Crawl.open(folder.path) as old, replacement(folder.path) as draft:
        with closing(Database(draft / FILE)) as database:
            replay = _Replay(old, folder.topic, database, schedule, readers)
            await replay.run(progress, is_stopped)
            database.event(time(), "judged", None, changed=list(changed), threshold=model.threshold)
            replay.commit()
        saved.save(model, draft / saved.FOLDER, metadata)
        folder.write_topic(draft)
    counts = {"pages": replay.tally.pages, "relevant": replay.tally.relevant}
    extra = {"event": "judged", "changed": list(changed), **counts}
    _log.info("judged again: %(pages)d pages, %(relevant)d relevant", extra, extra=extra)


class _Event(NamedTuple):
    time: float
    kind: str
    url: int | None
    detail: dict[str, Any]
    reading: asyncio.Task[Reading] | None = None
    page: StoredPage | None = None


class _Replay:
    """Replays the events of a crawl, and writes the results to another database."""

    def __init__(
        self, old: Crawl, topic: Topic, database: Database, schedule: ModelSchedule, readers: PageReaders
    ) -> None:
        self._old = old
        self._topic = topic
        self._database = database
        self._schedule = schedule
        self._readers = readers
        self._queue = CheckedQueue(topic.strategy.name)
        self._frontier = unlimited_frontier(self._queue.merge)
        self._admission = Admission(self._frontier, topic.scope.max_waiting)
        self._duplicates = Duplicates()
        self._listed = ListedNumbers()
        self._unread: set[int] = set()  # pages that can no longer be read
        self._hops = dict(old.query("SELECT source, hops FROM redirects"))
        self._meta = dict(old.query("SELECT key, value FROM meta"))
        before = Tally.of(self._meta)
        self.tally = Tally(
            size=before.size,
            answers=before.answers,
            seconds=before.seconds,
            again=before.again,
            changed=before.changed,
            gone=before.gone,
            errors=before.errors,
        )

    async def run(self, progress: Progress, is_stopped: Callable[[], bool]) -> None:
        """Replay everything."""
        total = self._old.count(relevant=False)
        self._begin()
        done = 0
        async with aclosing(self._events()) as events:
            count = 0
            async for event in events:
                if is_stopped():
                    raise StoppedError
                await self._process(event)
                if event.page is not None:
                    done += 1
                    progress(done, total)
                count += 1
                if not count % _COMMIT_AFTER:
                    self.commit()
        if done != total:
            raise HoneyguideError(needs_repair(self._old.path, f"{abs(total - done):,} pages have no event"))
        self._copy_versions()
        for row in self._old.query("SELECT origin, fetched, status, body FROM robots"):
            self._database.robots(*row)
        for row in self._old.query("SELECT name, not_before FROM hosts"):
            self._database.host(*row)

    def _copy_versions(self) -> None:
        """Copy earlier versions of pages with their old judgements; only the newest version is judged again."""
        sql = f"SELECT replaced, {PAGE_COLUMNS} FROM versions ORDER BY number"  # noqa: S608 (own column names)
        for replaced, *columns in self._old.query(sql):
            row = PageRow(*columns)
            same_as, original = (None if old is None else self._number(old) for old in (row.same_as, row.duplicate_of))
            row = row._replace(id=self._number(row.id), same_as=same_as, duplicate_of=original)
            self._database.earlier_version(replaced, row)
        for page, etag, modified in self._old.query("SELECT page, etag, modified FROM validators"):
            self._database.validators(self._number(page), etag, modified)

    def commit(self) -> None:
        """Write the results so far. Values that do not depend on the model are those of the crawl's last commit."""
        meta = {**self._meta, **self.tally.meta(), "waiting": self._frontier.count(State.WAITING), "lesson_open": 0}
        self._database.commit(self._frontier.dirty_rows(), meta, self._queue.dirty_state())

    def _begin(self) -> None:
        """Offer the seeds, except those listed by sitemaps and feeds, which are offered together with these."""
        listed: set[int] = set()
        for (detail,) in self._old.query("SELECT detail FROM events WHERE kind = 'listing'"):
            listed.update(_listed(json.loads(detail)))
        seeds = self._old.query("SELECT id, url FROM urls WHERE parent = ? ORDER BY id", NO_PARENT)
        self._offer_seeds(url for number, url in seeds if number not in listed)

    def _offer_seeds(self, urls: Iterable[str]) -> list[int]:
        numbers = [self._frontier.offer(url, SEED_PRIORITY) for url in urls]
        self._queue.begin(self._frontier, numbers)
        return numbers

    # ---- events ----

    async def _events(self) -> AsyncGenerator[_Event]:
        """All events in order; the pages among the next ones are being read already."""
        ahead: deque[_Event] = deque()
        try:
            for event in self._stored_events():
                if event.kind == "page":
                    assert event.url is not None
                    page = self._page(event.url)
                    ahead.append(event._replace(page=page, reading=asyncio.create_task(self._read(page))))
                else:
                    ahead.append(event)
                # A model that still learns must learn from earlier pages before the next one is read, as in one
                # process.
                while len(ahead) > (0 if self._schedule.config.sampling else _AHEAD):
                    yield ahead.popleft()
            while ahead:
                yield ahead.popleft()
        finally:
            for event in ahead:
                if event.reading is not None:
                    event.reading.cancel()
                    with suppress(asyncio.CancelledError, Exception):
                        await event.reading

    def _stored_events(self) -> Iterator[_Event]:
        sql = "SELECT time, kind, url, detail FROM events WHERE kind <> 'model' ORDER BY id"  # these are recreated
        for time_, kind, url, detail in self._old.query(sql):
            yield _Event(time_, kind, url, json.loads(detail))

    def _page(self, old: int) -> StoredPage:
        page = self._old.numbered(old)
        if page is None:
            raise HoneyguideError(needs_repair(self._old.path, "a page that was fetched is missing"))
        return page

    async def _read(self, page: StoredPage) -> Reading:
        return await self._readers.read(Document.of(page.stored))

    async def _process(self, event: _Event) -> None:
        if event.url is None:
            self._database.event(event.time, event.kind, None, **event.detail)
            return
        number = self._number(event.url)
        if event.page is not None and event.reading is not None:
            try:
                reading = await event.reading
                same_as = event.page.row.same_as
                if same_as is not None and self._number(same_as) in self._unread:
                    raise ReadError("its content is that of a page which cannot be read")
            except ReadError as error:  # it could be read before, but not with this model
                self.tally.errors["reader"] += 1
                self._unread.add(number)
                self._settle(number, State.FAILED)
                self._database.event(event.time, "failed", number, kind="reader", detail=str(error))
            else:
                self._process_page(number, event, event.page, reading)
            return
        if event.kind == "redirect":
            self._process_redirect(number, event)
        elif event.kind == "retry":
            take_number(self._frontier, number, _NOW)
            self._frontier.put_back(number, _NOW, attempt=True)
        elif event.kind == "refused" and event.detail.get("reason") == BLOCKED:
            self._drop(number, event.url)
        elif event.kind in {"failed", "refused"}:
            self._settle(number, self._state(event.url))
            if event.kind == "refused":
                self.tally.refused[str(event.detail.get("reason", ""))] += 1
        elif event.kind == LISTING:
            event.detail["first"] = self._process_listing(number, event)
            self._listed.add(event.detail["first"], event.detail["new"])
            self.tally.listed["urls"] += event.detail["new"]
        self._database.event(event.time, event.kind, number, **event.detail)

    # ---- URLs ----

    def _number(self, old: int) -> int:
        """The new number of a URL of the crawl.

        A URL that no page leads to any more, because the scope or the strategy now drops the links, keeps its old row.
        """
        sql = "SELECT url, parent, depth, priority FROM urls WHERE id = ?"
        ((url, parent, depth, priority),) = self._old.query(sql, old)
        number = self._frontier.urls.find(url)
        if number is None:
            promise = UNPROVEN if priority == UNPROVEN else 0.0
            number = self._frontier.offer(
                url, promise, NO_PARENT if parent == NO_PARENT else self._number(parent), depth
            )
        return number

    def _state(self, old: int) -> State:
        """The state to settle a URL with: a URL that waits again after a failure had failed at that time."""
        ((state,),) = self._old.query("SELECT state FROM urls WHERE id = ?", old)
        return State(state) if state > State.IN_FLIGHT else State.FAILED

    def _drop(self, number: int, old: int) -> None:
        """Drop a blocked URL, unless it was unblocked later; the strategy is not notified of either."""
        if self._state(old) is State.REFUSED and self._frontier.urls.is_waiting(number):
            self._frontier.drop(number)
            self.tally.refused[BLOCKED] += 1

    def _settle(self, number: int, state: State) -> None:
        take_number(self._frontier, number, _NOW)
        self._frontier.settle(number, state, _NOW)
        self._queue.on_failed(self._frontier, number)

    def _process_redirect(self, number: int, event: _Event) -> None:
        frontier = self._frontier
        take_number(frontier, number, _NOW)
        frontier.settle(number, State.DONE, _NOW)
        urls = frontier.urls
        target = frontier.offer(event.detail["target"], urls.priority(number), number, urls.depth(number))
        self._queue.on_redirect(frontier, number, target)
        assert event.url is not None
        self._database.redirect(number, target, self._hops.get(event.url, 1))

    def _process_listing(self, number: int, event: _Event) -> int:
        """Offer the URLs that a sitemap or feed lists. Returns the number of the first one."""
        self._settle(number, State.DONE)
        listed = _listed(event.detail)
        first = 0
        if listed and event.detail.get("links"):
            first = len(self._frontier)
            self._offer_listed(number, listed)
            event.detail["new"] = len(self._frontier) - first
        elif listed:
            urls = self._old.query("SELECT url FROM urls WHERE id BETWEEN ? AND ? ORDER BY id", listed[0], listed[-1])
            first = self._offer_seeds(url for (url,) in urls)[0]
        for (text,) in self._old.query("SELECT left_out FROM readings WHERE page = ?", event.url):
            left_out = json.loads(text)
            self._database.left_out(number, left_out)
            self.tally.refused.update(left_out)
        return first

    def _offer_listed(self, number: int, listed: range) -> None:
        """Offer the URLs listed by a sitemap or feed that a site refers to, with the promises that they had then."""
        frontier = self._frontier
        sql = "SELECT url, priority, depth FROM urls WHERE id BETWEEN ? AND ? ORDER BY id"
        for url, priority, depth in self._old.query(sql, listed[0], listed[-1]):
            if frontier.urls.find(url) is None:
                frontier.offer(url, priority, number, depth)

    def _process_page(self, number: int, event: _Event, page: StoredPage, reading: Reading) -> None:
        frontier, tally = self._frontier, self.tally
        take_number(frontier, number, _NOW)
        frontier.settle(number, State.DONE, _NOW)
        max_depth = self._topic.scope.max_depth
        leave_out(reading, self._admission, too_deep=0 < max_depth <= frontier.urls.depth(number))
        self._queue.page(frontier, number, reading, max_depth)
        same_as = None if page.row.same_as is None else self._number(page.row.same_as)
        duplicate_of = self._duplicates.find(reading.signature)
        if same_as is not None and page.row.duplicate_of == page.row.same_as and page.row.rendered_spot is None:
            duplicate_of = same_as  # as in `Recorder.page`
        if duplicate_of is None:
            self._duplicates.add(reading.signature, number)
        row = page.row._replace(
            id=number,
            seq=tally.pages,
            title=reading.title,
            language=reading.language,
            words=reading.words,
            links=len(reading.links),
            relevance=reading.relevance,
            relevant=reading.relevant,
            priority=frontier.urls.priority(number),
            signature=reading.signature,
            duplicate_of=duplicate_of,
            same_as=same_as,
        )
        self._database.page(row, reading.left_out)
        is_copy, listed = duplicate_of is not None, number in self._listed
        tally.add_page(reading.relevance, relevant=reading.relevant, duplicate=is_copy, listed=listed)
        tally.refused.update(reading.left_out)
        tally.accepted.update(reading.accepted)
        self._database.event(event.time, "page", number)
        if self._schedule.add(reading.sample):
            self._readers.adopt(self._schedule.config)
            self._database.event(event.time, "model", number, pages=tally.pages)


def _listed(detail: dict[str, Any]) -> range:
    """The numbers of the URLs listed by a sitemap or feed that were new then."""
    return range(detail["first"], detail["first"] + detail["new"])
