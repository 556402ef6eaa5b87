"""Writes a crawl to disk, first the archive and then the rows that point into it, and restores its state."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from honeyguide.crawl.again.known_pages import first_new
from honeyguide.crawl.budget import StopReason
from honeyguide.crawl.earlier_runs import EarlierRuns
from honeyguide.crawl.event_log import log_commit, log_event, log_fault, log_page, log_rest, log_stop
from honeyguide.crawl.fetched_page import FetchedPage, PageRecord, fetched_page
from honeyguide.crawl.open_lesson import OpenLesson
from honeyguide.crawl.page_row import KnownCopy, Sources, page_row, validators_of
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.crawl.robots import KEPT_FOR, RobotsCache
from honeyguide.errors import HoneyguideError, PluginError, append_traceback, one_line
from honeyguide.fetch.base import Response
from honeyguide.fetch.numbers import LONGEST_WAIT
from honeyguide.fetch.settings import LARGEST_BODY
from honeyguide.frontier import Frontier
from honeyguide.store import command_effects
from honeyguide.store.archive import RecordLocation
from honeyguide.store.connection import FILE, database_error, database_errors, is_damage
from honeyguide.store.copies import Copies
from honeyguide.store.database import PageRow, Statement
from honeyguide.store.duplicates import Duplicates, Payloads
from honeyguide.store.folder import ERRORS, unwritable
from honeyguide.store.listed import ListedNumbers
from honeyguide.store.storage import Storage, open_storage
from honeyguide.store.tally import Find, Tally
from honeyguide.store.url_events import LISTING
from honeyguide.strategy.queues.base import Queue
from honeyguide.strategy.reading import Reading
from honeyguide.warc.write import EarlierRecord, payload_digest

_log = logging.getLogger("honeyguide.crawl")

_MAX_TRACEBACKS = 100  # per run, in errors.log: a host that triggers a fault must not fill the disk
_PATIENCE = 0.25  # seconds to wait for another program that has locked the database, during which nothing is fetched
_LONG_PATIENCE = 60.0  # the same for the first and the last commit of a run


class Recorder(EarlierRuns, RecorderProtocol):
    """Writes one crawl to disk. Nothing is durable before `commit`, which writes in the right order.

    First the archive, flushed to disk; then, in one transaction, the rows that point into it, the URLs that changed
    and the archive's length. So after a crash, every row has its record, and whatever the archive contains beyond the
    recorded length was never counted: it is truncated when the crawl is opened again.
    """

    def __init__(
        self,
        folder: Path,
        frontier: Frontier,
        robots: RobotsCache,
        window: int,
        now: float,
        queue: Queue,
        on_page: Callable[[FetchedPage], None] | None = None,
        storage: Storage | None = None,
        max_body: int = LARGEST_BODY,
        *,
        only_new: bool = False,
    ) -> None:
        """`on_page` is called with every page as it is recorded. By default, the `storage` is that of the folder.

        Bodies are at most `max_body` bytes long. With `only_new`, the only waiting URLs that are fetched are those that
        revisits have found.
        """
        self.folder = folder
        self._max_body = max_body
        self._queue = queue
        self._only_new = only_new
        self._on_page = on_page
        self._database, self._archive = storage or open_storage(folder)
        self._frontier = frontier
        self._duplicates = Duplicates()
        self._payloads = Payloads()
        self._listed = ListedNumbers()
        self._copies = Copies(
            lambda: self.query("SELECT id, duplicate_of FROM pages WHERE duplicate_of IS NOT NULL ORDER BY seq")
        )
        self.redirect_hops: dict[int, int] = {}
        self.more: Callable[[], Iterable[Statement]] = lambda: ()
        """Returns further statements for the next commit; called when the commit is certain to be written."""
        self._faults = 0
        self._locked_out = False
        self._has_committed = False
        self._run_began = now
        meta = self._database.meta()
        self.tally = Tally.of(meta, window or 100)
        self.effects = command_effects.CommandEffects.parse(meta.get(command_effects.KEY, "{}"))
        """The lasting effects of commands."""
        self.lesson_open = OpenLesson.stored(meta.get("lesson_open", 0))
        """What has to be judged again with the new model."""
        self.paused = False
        """Whether the user has paused the crawl."""
        self._seconds_before = meta.get("seconds", 0.0)
        try:
            with database_errors(folder / FILE):
                if meta:
                    self._restore(robots, now)
            self._archive.sync()
        except HoneyguideError:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise unwritable(folder, error) from error

    def _restore(self, robots: RobotsCache, now: float) -> None:
        query = self._database.query
        self._frontier.restore(self._database.rows(), rest=first_new(query) if self._only_new else 0)
        self._queue.restore(self._frontier, dict(query("SELECT name, value FROM steering")))
        tally = self.tally
        sql = "SELECT relevant AND duplicate_of IS NULL FROM pages ORDER BY seq DESC LIMIT ?"
        tally.recent.extendleft(bool(counts) for (counts,) in query(sql, tally.recent.maxlen))
        for page, signature in query("SELECT id, signature FROM pages WHERE duplicate_of IS NULL ORDER BY seq"):
            self._duplicates.add(signature, page)
        payloads = "SELECT digest, id, fetched FROM {} WHERE same_as IS NULL"
        for sql in map(payloads.format, ("versions", "pages")):
            for digest, page, fetched in query(sql):
                self._payloads.add(digest, page, fetched)
        for _, detail in self._events(LISTING):
            self._listed.add(detail["first"], detail["new"])
        self.redirect_hops = dict(query("SELECT target, min(hops) FROM redirects GROUP BY target"))
        robots.load(query("SELECT origin, fetched, status, body FROM robots WHERE fetched > ?", now - KEPT_FOR))
        frontier = self._frontier
        for name, not_before in query("SELECT name, not_before FROM hosts WHERE not_before > ?", now):
            frontier.rest(frontier.host_number(name), min(not_before, now + LONGEST_WAIT))

    # ---- recording ----

    def answer(self, response: Response, number: int | None = None) -> tuple[RecordLocation, bytes, int | None]:
        """Archive a response. Returns its location, its payload's digest, and the earlier page with the same payload.

        `number` is the page that the response belongs to: later responses with the same payload refer to it.
        """
        digest = payload_digest(response)
        stored = self._payloads.find(digest) if response.raw else None
        spot = self._write(response, digest, stored)
        if number is not None and stored is None:
            self._payloads.add(digest, number, response.started)
        return spot, digest, stored[0] if stored else None

    def _write(self, response: Response, digest: bytes, stored: tuple[int, float] | None) -> RecordLocation:
        twin = EarlierRecord(self._frontier.urls.url(stored[0]), stored[1]) if stored else None
        try:
            return self._archive.write(response, digest, twin)
        except OSError as error:
            raise self._unwritable(error) from error

    def page(self, number: int, response: Response, reading: Reading, rendered: bytes = b"") -> int | None:
        """Record a page that was fetched and read. Returns the earlier page that it duplicates, exactly or nearly.

        `rendered` is the document that was read, if a browser has rendered it: scripts may turn the same bytes into
        different pages, so only the text determines whether it is a duplicate.
        """
        spot, digest, same_as = self.answer(response, number)
        place = self._write_rendered(response, rendered) if rendered else None
        is_repeated = same_as is not None and not rendered
        duplicate_of = same_as if is_repeated else self._duplicates.find(reading.signature)
        if duplicate_of is None:
            self._duplicates.add(reading.signature, number)
        else:
            self._copies.add(number, duplicate_of)
        urls, seq = self._frontier.urls, self.tally.pages
        sources = Sources(spot, place, digest, same_as, duplicate_of)
        row = page_row(number, seq, urls.priority(number), response, reading, sources)
        self._database.page(row, reading.left_out)
        self._keep_validators(number, response)
        self._database.event(response.started + response.elapsed, "page", number)
        is_copy, listed = duplicate_of is not None, number in self._listed
        self.tally.add_page(reading.relevance, relevant=reading.relevant, duplicate=is_copy, listed=listed)
        if reading.relevant and duplicate_of is None:
            self.tally.finds.append(Find(reading.relevance, reading.title, response.url))
        self.tally.refused.update(reading.left_out)
        self.tally.accepted.update(reading.accepted)
        log_page(response.url, row)
        if self._on_page is not None:
            self._on_page(self._fetched(response, row, spot))
        return duplicate_of

    def _write_rendered(self, response: Response, html: bytes) -> RecordLocation:
        try:
            return self._archive.write_rendered(response, html)
        except OSError as error:
            raise self._unwritable(error) from error

    # ---- revisits ----

    def stored_page(self, number: int) -> PageRow | None:
        """The row of a page; None if it was not fetched."""
        return self._database.stored_page(number)

    def known_copy(self, number: int) -> KnownCopy:
        """The validators and the digest of the stored copy of a page."""
        row = self.stored_page(number)
        assert row is not None
        return KnownCopy(*self._database.stored_validators(number), row.digest)

    def unchanged(self, number: int, response: Response, before: PageRow) -> None:
        """Archive the response of a page that is the same as `before`: without payload, or with the same one."""
        if response.status == 304:
            self._write(response, before.digest, self._payloads.find(before.digest))
        else:
            self.answer(response)
        self._keep_validators(number, response)

    def _keep_validators(self, number: int, response: Response) -> None:
        """Keep the validators of a response, if it has any, for conditional requests."""
        validators = validators_of(response)
        if any(validators):
            self._database.validators(number, *validators)

    def version(
        self, number: int, response: Response, reading: Reading, before: PageRow, rendered: bytes = b""
    ) -> PageRow:
        """Record a page whose payload is another than `before`, which is kept as a version. Returns its row."""
        spot, digest, same_as = self.answer(response, number)
        place = self._write_rendered(response, rendered) if rendered else None
        sources = Sources(spot, place, digest, same_as, None)
        row = page_row(number, before.seq, before.priority, response, reading, sources)
        found = self._copies.replace(before, row, self._duplicates, self._database)
        self.tally.relevant += found.relevant
        self.tally.duplicates += found.duplicates
        self.tally.refused.subtract(self._database.version(before, found.row, reading.left_out))
        self.tally.refused.update(reading.left_out)
        self._database.validators(number, *validators_of(response))
        self.tally.best = max(self.tally.best, reading.relevance)
        if self._on_page is not None:
            self._on_page(self._fetched(response, found.row, spot))
        return found.row

    def judged_again(self, number: int, reading: Reading) -> bool:
        """Record that a stored page was judged again. Returns whether it was relevant before."""
        before, duplicate = self._database.judged_again(number, reading.relevance, relevant=reading.relevant)
        if not duplicate:
            self.tally.relevant += reading.relevant - before
            self.tally.listed["relevant"] += (reading.relevant - before) * (number in self._listed)
        self.tally.best = max(self.tally.best, reading.relevance)
        return before

    def _fetched(self, response: Response, row: PageRow, spot: RecordLocation) -> FetchedPage:
        """The page for `on_page`. Its record can be read from now on, even though it is not committed yet."""
        try:
            self._archive.flush()
        except OSError as error:
            raise self._unwritable(error) from error
        body = None if row.same_as is None else response.body  # the record of a repeated payload has none
        rendered = row.rendered_spot
        record = PageRecord(self.folder, spot, self._max_body, body if rendered is None else None, rendered)
        return fetched_page(response.url, row, self._frontier.urls, record)

    def redirect(self, source: int, target: int, hops: int) -> None:
        """Record that one URL redirects to another, as the `hops`-th redirect in a row."""
        self.redirect_hops[target] = min(hops, self.redirect_hops.get(target, hops))
        self._database.redirect(source, target, hops)

    def left_out(self, number: int, counts: Mapping[str, int]) -> None:
        """Record how many URLs of a sitemap or feed are not followed, by reason."""
        self._database.left_out(number, counts)
        self.tally.refused.update(counts)

    def event(self, time: float, kind: str, url: int | None = None, /, **detail: Any) -> None:
        """Record an event."""
        self._database.event(time, kind, url, **detail)
        if kind == LISTING:
            self._listed.add(detail["first"], detail["new"])
            self.tally.listed["urls"] += detail["new"]
        log_event(kind, "" if url is None else self._frontier.urls.url(url), detail)

    def fault(self, place: str, error: Exception) -> None:
        """Append the traceback of a fault of honeyguide to errors.log, for the first faults of a run."""
        self._faults += 1
        if self._faults <= _MAX_TRACEBACKS:
            append_traceback(self.folder / ERRORS, f"internal error on {place}: {one_line(error)}", error)
        log_fault(place, one_line(error))

    def robots(self, origin: str, now: float, status: int, body: bytes) -> None:
        """Record the content of a robots.txt."""
        self._database.robots(origin, now, status, body)

    def host_rests(self, name: str, until: float, reason: str) -> None:
        """Record that a host must not be contacted until a time, and log why."""
        self._database.host(name, until)
        log_rest(name, until, reason)

    # ---- disk ----

    def seconds(self, now: float) -> float:
        """Seconds spent crawling, over all runs."""
        spent: float = self._seconds_before + now - self._run_began
        return spent

    def pause(self, seconds: float) -> None:
        """Exclude some time, in which nothing was crawled, from `seconds`."""
        self._run_began += seconds

    def commit(self, now: float, stop: StopReason | None = None) -> bool:
        """Write everything recorded so far. It is on disk when this returns; False if it is not.

        If another program has locked the database, nothing is written: the crawl goes on, and the next commit writes
        everything. Only the first commit of a run and the last, with a `stop`, wait for the other program: without the
        first one, there would be no trace of the run.

        Raises `PluginError` when the strategy fails to return its state; everything else is on disk in that case.
        """
        tally = self.tally
        tally.seconds = self.seconds(now)
        began = monotonic()
        if not self._can_commit(patient=stop is not None or not self._has_committed):
            return False
        state: Iterable[tuple[str, bytes]] = ()
        failure: PluginError | None = None
        try:
            state = self._queue.dirty_state()
        except PluginError as error:
            failure = error
        try:
            self._archive.sync()
            self._database.commit(
                self._frontier.dirty_rows(),
                {
                    **tally.meta(),
                    "waiting": self._frontier.unfinished,
                    "run_seconds": tally.run_seconds,
                    "paused": int(self.paused and stop is None),
                    command_effects.KEY: self.effects.text(),
                    "lesson_open": int(self.lesson_open),
                    "warc_file": self._archive.number,
                    "warc_end": self._archive.end,
                    "committed": now,
                    "stop": stop.kind if stop else "",
                    "stop_text": stop.text if stop else "",
                },
                state,
                self.more(),
            )
        except (OSError, sqlite3.Error) as error:
            raise self._unwritable(error) from error
        self._has_committed = True
        log_commit(tally, monotonic() - began)
        if stop is not None:
            log_stop(stop, tally)
        if failure is not None:
            raise failure
        return True

    def _can_commit(self, *, patient: bool) -> bool:
        """Lock the database for a commit, before the changes are taken from the frontier: it returns them only once."""
        try:
            if self._database.begin(_LONG_PATIENCE if patient else _PATIENCE):
                self._locked_out = False
                return True
        except sqlite3.Error as error:
            raise self._unwritable(error) from error
        file = self.folder / FILE
        if patient:
            problem = f"has been locked by another program for {_LONG_PATIENCE:.0f} seconds"
            raise HoneyguideError(f"{file}: {problem}; end that program, and run the same command again")
        if not self._locked_out:
            _log.warning("%s is locked by another program; what is fetched is committed later", file)
        self._locked_out = True
        return False

    def _unwritable(self, error: Exception) -> HoneyguideError:
        """The error for a failed write, most often because of a full disk. Everything since the last commit is lost."""
        if isinstance(error, sqlite3.Error) and is_damage(error):
            return database_error(self.folder / FILE, error)
        return unwritable(self.folder, error)

    def close(self) -> None:
        """Close the files. Errors of the archive are ignored, since uncommitted data is discarded anyway."""
        with suppress(OSError):
            self._archive.close()
        self._database.close()
