"""Rebuilds crawl.sqlite from the archive of a crawl.

The archive has all responses in the order in which they were processed. They are processed once more, by the code of a
crawl, which gives the same pages, links, redirects, duplicates and counts, and the same state of strategy and model.
Only what was never archived is lost: requests without a response, responses of types that are not read, times of
requests. Such URLs wait again.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from typing_extensions import override

from honeyguide.atomic_write import aside_name, sync_folder
from honeyguide.crawl.clock import Clock
from honeyguide.crawl.crawler import Crawler
from honeyguide.crawl.lessons import made_from
from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.crawl.open_lesson import OpenLesson
from honeyguide.crawl.pacing import StandardPacing
from honeyguide.crawl.page_row import KnownCopy
from honeyguide.crawl.readers import InProcessReaders, PageReaders, reader_config
from honeyguide.crawl.recorded_rendering import RecordedRendering
from honeyguide.crawl.recorder import Recorder
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.crawl.replaying import take_number, unlimited_frontier
from honeyguide.crawl.robots import RobotsCache
from honeyguide.crawl.visits import Visits
from honeyguide.crawl.worker_readers import WorkerReaders
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.fetch.base import Failure, Fetcher, Request, Response
from honeyguide.fetch.settings import FetchSettings
from honeyguide.frontier import Frontier, State
from honeyguide.page.url import UrlRules, origin_of
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.models import make_model
from honeyguide.store.answers import StoredAnswer, StoredAnswers
from honeyguide.store.archive import RecordLocation, archive_file, archive_files
from honeyguide.store.command_effects import CommandEffects, read_copy, read_effects
from honeyguide.store.connection import COMPANIONS, FILE
from honeyguide.store.database import Database
from honeyguide.store.folder import lock_folder, unwritable
from honeyguide.store.replacement import REPLACEMENT, complete, is_pending
from honeyguide.store.shards import FILE as CLUSTER
from honeyguide.store.shards import SHARDS
from honeyguide.store.storage import Storage
from honeyguide.store.stored_topic import stored_topic
from honeyguide.store.tail import set_aside_tail
from honeyguide.store.tally import Tally
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.teaching.labels import read_labels
from honeyguide.topic import Topic
from honeyguide.topic.material import has_examples, material_of
from honeyguide.warc.write import EarlierRecord

_COMMIT_AFTER = 1000  # responses between two commits, which bounds the memory
_LONG = 86_400.0


@dataclass(frozen=True, slots=True)
class RepairResult:
    """The result of a repair."""

    tally: Tally
    urls: int
    files: int
    """The number of WARC files read."""
    lost: int
    """The number of damaged places in them, and of responses that could not be read."""
    set_aside: Path | None
    """The previous database, under its new name."""


async def repair(
    folder: Path, progress: Callable[[int, int], None] = lambda _done, _total: None, *, workers: int = 1
) -> RepairResult:
    """Rebuild the database of a crawl. The existing one is renamed; nothing is deleted.

    `progress` is called with the processed bytes of the archive and with its total size. Pages are read by a number of
    `workers`, as in a crawl; with 0, in this process and without limits.

    Raises `InputError` when the folder has no archive or lacks its topic, `PluginError` when model or strategy fail.
    """
    if (folder / CLUSTER).exists() or folder.parent.name == SHARDS:
        problem = "was crawled by several machines, and cannot be rebuilt from its archive"
        raise InputError(str(folder), problem, "restore its databases")
    if not archive_files(folder):
        raise InputError(str(folder), "does not contain the archive of a crawl", "name the folder of a crawl")
    with ExitStack() as stack, _writing(folder):
        stack.callback(os.close, lock_folder(folder))
        if is_pending(folder):  # of an unfinished replacement, the database is rebuilt here
            (folder / REPLACEMENT / FILE).unlink(missing_ok=True)
            complete(folder)
        topic = stored_topic(folder)
        model = _model(folder, topic)
        draft = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=folder, prefix=".repair.", suffix=".part")))
        answers = StoredAnswers(folder, topic.fetch.max_body)
        schedule = ModelSchedule(reader_config(topic, model))
        here = InProcessReaders(schedule.config)  # made even with workers: it reports errors in the topic first
        readers = WorkerReaders(schedule.config, workers) if workers else here
        replay = _Replay(topic, draft, answers, schedule, readers)
        replay.keep(_effects(folder), _open_lesson(folder, topic))
        try:
            await readers.start()
            await replay.run(_bytes_done(folder, progress))
        finally:
            await readers.close()
            replay.close()
        _cut_ends(folder, answers)
        set_aside = _install(draft / FILE, folder / FILE)
        return RepairResult(replay.tally, replay.urls, len(answers.ends), answers.lost, set_aside)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unwritable(folder, error) from error


def _model(folder: Path, topic: Topic) -> Relevance:
    place = folder / saved.FOLDER
    if place.is_dir():
        return saved.load(place)
    if has_examples(topic):
        raise InputError(str(place), "is missing", "put a copy of the trained model (NAME.model) there")
    model = make_model(material_of(topic))
    saved.save(model, place, {saved.KEYWORDS: list(topic.keywords)})
    return model


def _effects(folder: Path) -> CommandEffects:
    """The lasting effects of commands: from the database if it can be read, otherwise from the copy next to it."""
    found = read_effects(folder)
    return read_copy(folder) if found == CommandEffects() else found


def _open_lesson(folder: Path, topic: Topic) -> OpenLesson:
    """What the next run has to judge again, since the repair uses the initial model of the crawl."""
    if made_from(folder / saved.FOLDER) not in (None, topic.keywords):
        return OpenLesson.LINKS
    return OpenLesson.PAGES if read_labels(folder) else OpenLesson.NOTHING


def _bytes_done(folder: Path, progress: Callable[[int, int], None]) -> Callable[[RecordLocation], None]:
    sizes = [path.stat().st_size for path in archive_files(folder)]
    total = sum(sizes)
    return lambda spot: progress(min(sum(sizes[: spot.file]) + spot.offset, total), total)


def _cut_ends(folder: Path, answers: StoredAnswers) -> None:
    """Move everything after the last complete record of a file to a separate file: the crawl appends right after it."""
    for number, end in answers.ends.items():
        path = archive_file(folder, number)
        if path.stat().st_size > end:
            set_aside_tail(path, end)


def _install(new: Path, path: Path) -> Path | None:
    """Replace the old database by the new one. The old one is kept under another name, with all its files."""
    kept = aside_name(path)
    for suffix in ("", *COMPANIONS):
        old = path.with_name(path.name + suffix)
        if os.path.lexists(old):
            old.rename(kept.with_name(kept.name + suffix))
    new.rename(path)
    sync_folder(path.parent)
    return kept if os.path.lexists(kept) else None


class _Replay:
    """Processes the responses of an archive, in order."""

    def __init__(
        self, topic: Topic, folder: Path, answers: StoredAnswers, schedule: ModelSchedule, readers: PageReaders
    ) -> None:
        """The database is created in `folder`."""
        self._topic = topic
        self._answers = answers
        self._clock = _RecordedClock()
        self._archive = _ReadArchive()
        self._fetcher = _Recorded()
        queue = CheckedQueue(topic.strategy.name)
        self._frontier = unlimited_frontier(queue.merge)
        self._robots = RobotsCache(topic.fetch.agent, UrlRules(topic.urls))
        self._robots_at: dict[str, str] = {}  # redirect target of a robots.txt → the origin that it belongs to
        self._visits = Visits(self._fetcher, readers)
        storage = Storage(Database(folder / FILE), self._archive)
        window = topic.budget.harvest_window
        self._recorder = Recorder(folder, self._frontier, self._robots, window, 0.0, queue, storage=storage)
        pacing = _NoRest(topic.fetch, self._frontier, self._recorder)
        self._crawler = Crawler(
            topic, self._frontier, queue, self._robots, self._recorder, self._visits, schedule, self._clock, pacing
        )

    def keep(self, effects: CommandEffects, lesson: OpenLesson) -> None:
        """Store the lasting effects of commands, and what the next run has to judge again because of them."""
        self._recorder.effects, self._recorder.lesson_open = effects, lesson

    @property
    def tally(self) -> Tally:
        """The counts of the rebuilt crawl."""
        return self._recorder.tally

    @property
    def urls(self) -> int:
        """The number of URLs."""
        return len(self._frontier)

    async def run(self, done: Callable[[RecordLocation], None]) -> None:
        """Process all responses."""
        count = 0
        for count, answer in enumerate(self._answers, 1):
            self._advance(answer.response.started, first=count == 1)
            if count == 1:
                self._crawler.begin()
            self._archive.spot, self._archive.rendered_spot = answer.spot, answer.rendered_spot
            await self._process(answer)
            done(answer.spot)
            if not count % _COMMIT_AFTER:
                self._recorder.commit(self._clock.now())
        if not count:
            raise HoneyguideError(f"{self._answers.folder}: the archive contains no answer; nothing was changed")
        last = max(self._answers.ends)
        self._archive.number, self._archive.end = last, self._answers.ends[last]
        self._recorder.commit(self._clock.now())

    def _advance(self, time: float, *, first: bool) -> None:
        """Set the clock to the time of a response. A gap longer than any wait of a crawl does not count as crawling."""
        gap = max(time - self._clock.time, 0.0)
        self._clock.time += gap
        if first or gap > self._topic.fetch.patience:
            self._recorder.pause(gap)

    async def _process(self, answer: StoredAnswer) -> None:
        response = answer.response
        origin = self._robots_origin(response.url)
        if origin is not None:
            self._process_robots(origin, response)
            return
        number = self._frontier.urls.find(response.url)
        if number is None:  # the page that led to it is lost, or it was a seed that is no longer in the topic
            number = self._frontier.offer(response.url, 0.0)
        known = KnownCopy("", "", b"")
        if self._frontier.urls.state(number) is State.DONE:
            if self._crawler.listings.was_read(number):
                take_number(self._frontier, number, self._clock.now())
            elif self._recorder.stored_page(number) is None:  # for example a redirect that was requested twice
                self._recorder.answer(response)
                return
            else:
                known = self._recorder.known_copy(number)
                assert self._frontier.take_again(number, self._clock.now())
        else:
            take_number(self._frontier, number, self._clock.now())
        self._fetcher.response = response
        self._visits.renderer = RecordedRendering(answer.rendered) if answer.rendered else None
        expected = self._crawler.listings.expected(number)
        self._visits.visit_page(number, response.url, patient=False, expected=expected, known=known)
        while not (visits := await self._visits.ended(_LONG)):
            pass
        for visit in visits:
            self._crawler.replay(visit)

    def _process_robots(self, origin: str, response: Response) -> None:
        """Process a robots.txt. The URL that it was requested for is unknown, so no visit can be replayed."""
        recorder, now = self._recorder, self._clock.now()
        recorder.tally.answers += 1
        recorder.tally.size += len(response.raw)
        recorder.answer(response)
        fetched = self._robots.learn(origin, response, now)
        sitemaps = list(fetched.rules.sitemaps) if fetched.rules else []
        recorder.event(now, "robots", None, origin=origin, status=fetched.status, sitemaps=sitemaps)
        if fetched.rules is None:  # redirected
            self._robots_at[self._robots.address(origin)] = origin
        elif fetched.rules.retry:
            recorder.tally.errors["robots"] += 1
        else:
            recorder.robots(origin, now, fetched.status, fetched.body)

    def _robots_origin(self, url: str) -> str | None:
        """The origin whose robots.txt this is; None for a page."""
        if not self._topic.fetch.robots:
            return None
        if url in self._robots_at:
            return self._robots_at.pop(url)
        origin = origin_of(url)
        is_due = url == f"{origin}/robots.txt" and self._robots.rules(origin, self._clock.now()) is None
        return origin if is_due else None

    def close(self) -> None:
        """Close the database."""
        self._recorder.close()


class _RecordedClock(Clock):
    """Shows the time of the response that is being processed."""

    def __init__(self) -> None:
        self.time = 0.0

    @override
    def now(self) -> float:
        return self.time


class _Recorded(Fetcher):
    """Returns the response that is being processed."""

    response: Response

    @override
    async def fetch(self, request: Request) -> Response | Failure:
        return self.response

    @override
    async def close(self) -> None:
        pass


class _ReadArchive:
    """Replaces the `ArchiveWriter`: everything to be written is already in the archive, at `spot`."""

    def __init__(self) -> None:
        self.spot = RecordLocation(0, 0, 0)
        self.rendered_spot: RecordLocation | None = None
        self.number = 0
        self.end = 0

    def write(self, response: Response, digest: bytes, twin: EarlierRecord | None = None) -> RecordLocation:  # noqa: ARG002
        """The existing location."""
        return self._at(self.spot)

    def write_rendered(self, response: Response, html: bytes) -> RecordLocation:  # noqa: ARG002
        """The existing location."""
        assert self.rendered_spot is not None
        return self._at(self.rendered_spot)

    def _at(self, spot: RecordLocation) -> RecordLocation:
        self.number, self.end = spot.file, spot.offset + spot.length
        return spot

    def flush(self) -> None:
        """Nothing to do."""

    def sync(self) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Nothing to do."""


class _NoRest(StandardPacing):
    """Decides on retries like a crawl, but without waits, since all requests have been made."""

    def __init__(self, settings: FetchSettings, frontier: Frontier, journal: RecorderProtocol) -> None:
        super().__init__(settings, cast("Frontier", _Restless(frontier)), journal)

    @override
    def retry(self, number: int, result: Response | Failure, now: float) -> float | None:
        return None if super().retry(number, result, now) is None else 0.0


class _Restless:
    """A frontier in which no host rests, as seen by the pacing. Rests are still recorded for the next run."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier

    def __getattr__(self, name: str) -> Any:
        return getattr(self._frontier, name)

    def rest(self, host: int, until: float) -> None:
        """Ignored."""

    def set_delay(self, host: int, seconds: float) -> None:
        """Ignored."""
