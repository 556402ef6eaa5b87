"""The scheduler that Scrapy's engine talks to."""

from __future__ import annotations

import logging
import pickle
from collections import defaultdict
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from honeyguide.errors import HoneyguideError, InputError
from honeyguide.scrapy.job import JobStore, StoredRequest
from honeyguide.scrapy.links import NO_URL, ChangedUrls, LinkScorer, model_for
from honeyguide.scrapy.pending import PendingRequests
from honeyguide.strategy.reading import Document, Reading
from honeyguide.topic import Topic

try:
    from scrapy import Request, Spider, signals
    from scrapy.core.scheduler import BaseScheduler
    from scrapy.exceptions import CloseSpider
    from scrapy.http import HtmlResponse, Response
    from scrapy.utils.job import job_dir
    from scrapy.utils.misc import build_from_crawler, load_object
    from scrapy.utils.request import request_from_dict
except ImportError:
    raise InputError("honeyguide.scrapy", "needs Scrapy", 'pip install "honeyguide[scrapy]"') from None

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

TOPIC_SETTING = "HONEYGUIDE_TOPIC"
PROMISE, RELEVANCE, RELEVANT = "honeyguide_promise", "honeyguide_relevance", "honeyguide_relevant"
"""Keys of a request's meta: its promise before it is made, and the relevance of the page afterwards."""

_SAVE_EVERY = 1.0  # seconds

_log = logging.getLogger("honeyguide.scrapy")


class Scheduler(BaseScheduler):
    """Returns the most promising request first, according to the strategy of a topic.

    Pages are read when they are received, before the spider's callback sees them; the requests that it makes then are
    known as links of that page. Priorities that a spider sets count first, promises among requests of equal priority.
    A request is handed out only while its downloader slot has room, so that the order is decided as late as possible.
    """

    def __init__(self, crawler: Crawler, duplicates: Any) -> None:
        """Set up for a crawl, with the duplicate filter of its settings. Nothing is read or written before `open`."""
        self._crawler = crawler
        self._duplicates = duplicates
        self._jobdir = job_dir(crawler.settings)
        self._slot_limit = max(1, crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
        self._slot_settings: dict[str, dict[str, Any]] = crawler.settings.getdict("DOWNLOAD_SLOTS")
        self._pending = PendingRequests(self._limit)
        self._in_memory: dict[int, Request] = {}
        self._in_progress: defaultdict[str, set[Request]] = defaultdict(set)  # by slot
        self._stored: WeakKeyDictionary[Request, int] = WeakKeyDictionary()  # in progress, and still in the job's store
        # Requests that have left the downloader since the last time something was saved, and since the time before: by
        # then, what the spider makes of their responses has been stored.
        self._left: list[int] = []
        self._left_before: list[int] = []
        self._next_number = 1
        self._next_save = 0.0
        self._warned = False
        self._store: JobStore | None = None
        self._unsaved = ChangedUrls([], [])
        self._links: LinkScorer | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy's engine."""
        return cls(crawler, build_from_crawler(load_object(crawler.settings["DUPEFILTER_CLASS"]), crawler))

    # ---- beginning and end ----

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Read the topic, and resume where the last run with the same JOBDIR stopped.

        If the topic cannot be used, that is logged in one line, and the spider is closed before it requests anything.
        """
        self._spider = spider
        connect = self._crawler.signals.connect
        try:
            self._begin()
        except HoneyguideError as error:
            _log.error("%s", error, extra={"spider": spider})
            self._links = None
            connect(self._give_up, signals.spider_opened)
        else:
            connect(self._on_response, signals.response_received)
            connect(self._on_left, signals.request_left_downloader)
        result: Deferred[None] | None = self._duplicates.open()
        return result

    def _give_up(self) -> None:
        raise CloseSpider("honeyguide_failed")

    def _begin(self) -> None:
        name = self._crawler.settings.get(TOPIC_SETTING)
        if not name:
            raise InputError(TOPIC_SETTING, "is not set", "set it to the name of a topic file: `honeyguide init NAME`")
        path = Path(name)
        topic = Topic.load(path, seeded=False)
        self._links = LinkScorer(topic, model_for(topic, path))
        if self._jobdir:
            store = JobStore(Path(self._jobdir), topic.strategy.name)
            try:
                self._resume(self._links, store)
            except HoneyguideError:
                store.close()
                raise
            self._store = store

    def _resume(self, links: LinkScorer, store: JobStore) -> None:
        links.restore(store.urls(), store.pages(), store.learnt())
        for number, slot, priority, url, promise in store.requests():
            # After a crash, a request may be for a URL that was not saved yet: then nothing more is known of it.
            known = url if url < len(links) else NO_URL
            self._pending.add(number, slot, priority, known, promise if known == NO_URL else links.promise(known))
            self._next_number = number + 1
        if self._pending:
            _log.info("resuming: %d pending requests", len(self._pending), extra={"spider": self._spider})

    def close(self, reason: str) -> Deferred[None] | None:
        """Save everything. Called when no more requests are in progress."""
        if self._store is not None:
            self._left.extend(self._stored.values())
            self._save()
            self._save()  # once more, to remove requests that have left since the previous save
            self._store.close()
        result: Deferred[None] | None = self._duplicates.close(reason)
        return result

    # ---- requests ----

    def has_pending_requests(self) -> bool:
        """Whether any request is pending."""
        return len(self) > 0

    def __len__(self) -> int:
        return len(self._pending)

    def promise(self, url: str) -> float | None:
        """The promise of a URL, from 0 to about 1; None if it is not a link of a page that was read."""
        number = self._links.find(url) if self._links is not None else None
        return None if number is None or self._links is None else self._links.promise(number)

    def enqueue_request(self, request: Request) -> bool:
        """Add a request. Returns False if it is a duplicate, or the topic could not be used."""
        if self._links is None:
            return False
        if not request.dont_filter and self._duplicates.request_seen(request):
            self._duplicates.log(request, self._spider)
            return False
        url, promise = self._promise_of(self._links, request)
        number = self._next_number
        self._next_number += 1
        slot = self._crawler.engine.downloader.get_slot_key(request)
        waiting = StoredRequest(number, slot, request.priority, url, promise)
        where = "disk" if self._kept(waiting, request) else "memory"
        if where == "memory":
            self._in_memory[number] = request
        self._pending.add(*waiting)
        self._count("enqueued", where)
        return True

    def _promise_of(self, links: LinkScorer, request: Request) -> tuple[int, float]:
        """The number and the promise of a request's URL."""
        meta = request.meta
        sources = meta.get("redirect_urls") or [""]
        referrer = request.headers.get("Referer") or b""
        url = links.requested(
            request.url,
            redirected_from=str(sources[-1]),
            referrer=referrer.decode("latin-1"),
            is_start=bool(meta.get("is_start_request")),
        )
        return url, links.promise(url) if url != NO_URL else 0.0

    def _kept(self, waiting: StoredRequest, request: Request) -> bool:
        """Write a request to the store of the job. Returns False if there is none, or it cannot be written."""
        if self._store is None:
            return False
        try:
            content = pickle.dumps(request.to_dict(spider=self._spider), pickle.HIGHEST_PROTOCOL)
        except (ValueError, TypeError, AttributeError, RecursionError, pickle.PicklingError) as error:
            self._crawler.stats.inc_value("scheduler/unserializable")
            if not self._warned:
                self._warned = True
                message = (
                    "cannot be written to JOBDIR, and is lost when the crawl stops: %s (%s); more are only counted"
                )
                _log.warning(message, request, error, extra={"spider": self._spider})
            return False
        self._store.add(waiting, content)
        return True

    def next_request(self) -> Request | None:
        """The next request; None if there is none, or every slot with waiting requests is busy."""
        if self._store is not None:
            self._store.commit()
            if monotonic() >= self._next_save:
                self._save()
        self._look_at_downloads()
        number = self._pending.pop()
        if number is None:
            return None
        request = self._in_memory.pop(number, None)
        where = "disk" if request is None else "memory"
        if request is None:
            assert self._store is not None
            content = pickle.loads(self._store.content(number))  # noqa: S301 (written by this class, as Scrapy's queues do)
            request = request_from_dict(content, spider=self._spider)
            self._stored[request] = number
        self._hand_out(request)
        self._count("dequeued", where)
        return request

    def _hand_out(self, request: Request) -> None:
        assert self._links is not None
        url = self._links.find(request.url)
        if url is not None:
            request.meta[PROMISE] = self._links.promise(url)
            self._links.handed_out(url)
        slot = self._crawler.engine.downloader.get_slot_key(request)
        self._in_progress[slot].add(request)
        self._pending.set_load(slot, self._load(slot))

    def _count(self, what: str, where: str) -> None:
        self._crawler.stats.inc_value(f"scheduler/{what}/{where}")
        self._crawler.stats.inc_value(f"scheduler/{what}")

    # ---- slots ----

    def _limit(self, slot: str) -> int:
        return max(1, int(self._slot_settings.get(slot, {}).get("concurrency", self._slot_limit)))

    def _look_at_downloads(self) -> None:
        """The returned requests that are still in progress: never more than CONCURRENT_REQUESTS."""
        active = self._crawler.engine.downloader.active
        for slot, requests in list(self._in_progress.items()):
            requests.intersection_update(active)
            self._pending.set_load(slot, self._load(slot))
            if not requests:
                del self._in_progress[slot]

    def _load(self, slot: str) -> int:
        """The number of requests of a slot in progress, including those made without the scheduler."""
        downloads = self._crawler.engine.downloader.slots.get(slot)
        handed_out = self._in_progress[slot]
        return len(handed_out | downloads.active) if downloads is not None else len(handed_out)

    # ---- pages ----

    def _on_response(self, response: Response, request: Request) -> None:
        """Read a response, before the spider does."""
        links = self._links
        number = links.find(request.url) if links is not None else None
        if links is None or number is None or PROMISE not in request.meta:
            return  # robots.txt, or another download that was not scheduled
        self._forget(request)
        stats = self._crawler.stats
        try:
            if response.status != 200 or not isinstance(response, HtmlResponse):
                links.failed(number)
            else:
                result = links.page(number, _document(response))
                if isinstance(result, Reading):
                    request.meta[RELEVANCE], request.meta[RELEVANT] = result.relevance, result.relevant
                    stats.inc_value("honeyguide/pages")
                    stats.inc_value("honeyguide/relevant", int(result.relevant))
                else:
                    stats.inc_value("honeyguide/unreadable")
                    _log.warning("cannot be read: %s (%s)", response.url, result, extra={"spider": self._spider})
        except HoneyguideError as error:
            stats.inc_value("honeyguide/failures")
            _log.error("%s", error, extra={"spider": self._spider})
        self._reorder(links)

    def _reorder(self, links: LinkScorer) -> None:
        urls = links.changed_urls()
        for number, promise in urls.promises():
            self._pending.change(number, promise)
        if self._store is not None:
            self._unsaved.new.extend(urls.new)
            self._unsaved.changed.extend(urls.changed)

    def _on_left(self, request: Request) -> None:
        self._forget(request)

    def _forget(self, request: Request) -> None:
        """Record that a request has left the downloader, and need not be repeated."""
        number = self._stored.pop(request, None)
        if number is not None:
            self._left.append(number)

    def _save(self) -> None:
        assert self._links is not None
        assert self._store is not None
        self._reorder(self._links)
        for number in self._left_before:
            self._store.remove(number)
        self._left_before, self._left = self._left, []
        self._store.save(self._unsaved, self._links.new_pages(), self._links.dirty_state())
        self._store.commit()
        self._unsaved = ChangedUrls([], [])
        self._next_save = monotonic() + _SAVE_EVERY


def _document(response: HtmlResponse) -> Document:
    tags = "\n".join(value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag"))
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    return Document(response.url, response.body, content_type, tags)
