"""Live learning: a running crawl fits its model to labels and keywords, and judges pages and links again."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from honeyguide.crawl.flipped_pages import FlippedPages
from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.crawl.open_lesson import OpenLesson
from honeyguide.crawl.readers import PageReaders, ReadError
from honeyguide.crawl.recorder import Recorder
from honeyguide.crawl.refit_process import RefitProcess
from honeyguide.crawl.rescoring import Rescoring
from honeyguide.crawl.stored_documents import StoredDocument, StoredDocuments
from honeyguide.errors import HoneyguideError, InputError, one_line
from honeyguide.frontier import NO_PARENT, Frontier, State
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance
from honeyguide.store.commands import ALL_LABELS, FORGET, YES
from honeyguide.store.folder import unwritable
from honeyguide.store.url_events import parse_detail
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.reading import Reading
from honeyguide.teaching.labels import Label, read_labels, write_labels
from honeyguide.teaching.refit import corrected

_log = logging.getLogger("honeyguide.crawl")

_CONCURRENT: Final = 16  # stored pages that are read concurrently; more would delay the pages of the crawl
_BEST: Final = 300  # the pages on which this many of the most promising waiting URLs were found are judged first
_NEWEST: Final = 500_000  # the most promising ones are selected from this many of the newest URLs
_RESCORE_AFTER: Final = 500  # pages after which waiting URLs get new priorities for the first time


class LessonMaterial(NamedTuple):
    """The labels and keywords that the model of a crawl learns from."""

    labels: Mapping[str, Label]
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FittedElsewhere:
    """Metadata of a model that was fitted elsewhere, for all shards of a crawl."""

    version: int
    """Larger than that of any earlier model."""
    judged_since: int = 0
    """The latest version that changed the judgement of pages: pages judged with an older one are judged again."""
    links_since: int = 0
    """The latest version that changed the scores of links."""
    sampling: bool | None = None
    """For a model that learns from first pages: whether it wants more of them; None for a model fitted to labels."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """Details to record with it."""


class LiveLessons:
    """Keeps the labels of a crawl, and lets it learn from them, and from changed keywords, while it runs.

    The model is fitted in a separate process. Stored pages are read by the crawl's own readers, a few at a time, and
    priorities change a few thousand at a time (`step`), so that the loop is never blocked. A label or keyword that
    arrives in the meantime restarts the process. Work that is unfinished when a run ends is done by the next run.
    """

    def __init__(
        self,
        folder: Path,
        keywords: tuple[str, ...],
        frontier: Frontier,
        queue: CheckedQueue,
        recorder: Recorder,
        readers: PageReaders,
        schedule: ModelSchedule,
        now: Callable[[], float],
        *,
        elsewhere: bool = False,
    ) -> None:
        """`keywords` include those added by commands. With `elsewhere`, the model is fitted by the coordinator.

        Raises `InputError` when the labels of the crawl cannot be read.
        """
        self._folder = folder
        self._keywords = keywords
        self._frontier = frontier
        self._queue = queue
        self._recorder = recorder
        self._readers = readers
        self._schedule = schedule
        self._now = now
        self._first = schedule.config
        self._made_from = made_from(folder / saved.FOLDER)
        self.labels = self._recorded()
        self.revising: Callable[[int, Reading, bool], AbstractContextManager[None]] = lambda *_: nullcontext()
        """Entered while the queue revises a page: takes its number, its reading, and whether links are revised."""
        self.rescoring = Rescoring(frontier, queue, now)
        """Updates the priorities of all waiting URLs."""
        self._is_changed = self.labels != read_labels(folder)
        self._process = RefitProcess(folder, folder / saved.TAUGHT)
        self._task: asyncio.Task[None] | None = None
        self._is_taught = False  # whether a model fitted to labels or keywords is in use
        self._has_uncommitted = False  # whether a label or keyword is not committed yet
        self._is_due = False
        self._is_elsewhere = elsewhere
        self.version = self._followed() if elsewhere else 0
        """The version of the model that was last received from elsewhere."""
        self.safe = LessonMaterial(dict(self.labels), keywords)
        """The labels and keywords as of the last commit."""
        if not elsewhere:
            self._begin()
        self.committed()

    def _begin(self) -> None:
        """Continue with the model that earlier runs fitted, or start to fit one if they did not finish."""
        taught = self._folder / saved.TAUGHT
        if self._has_learnt:
            with suppress(InputError):
                if taught.is_dir() and self._is_current(saved.read_about(taught)):
                    self._adopt(saved.load(taught))
                    self._is_due = self._recorder.lesson_open > OpenLesson.NOTHING
                    return
            are_others = self._made_from not in (None, self._keywords)
            what = OpenLesson.LINKS if are_others else OpenLesson.PAGES
            self._recorder.lesson_open = max(self._recorder.lesson_open, what)
        else:
            shutil.rmtree(taught, ignore_errors=True)
        self._is_due = self._recorder.lesson_open > OpenLesson.NOTHING

    @property
    def made_from(self) -> tuple[str, ...] | None:
        """The keywords that the initial model of the crawl was made from; None if it was not made from keywords."""
        return self._made_from

    @property
    def _has_learnt(self) -> bool:
        """Whether there are labels or keywords that the initial model was not made from."""
        return bool(self.labels) or self._made_from not in (None, self._keywords)

    def _is_current(self, metadata: Mapping[str, object]) -> bool:
        """Whether a model was fitted to this crawl and its keywords."""
        first = saved.fingerprint(saved.load(self._folder / saved.FOLDER))
        return metadata.get("first") == first and metadata.get(saved.KEYWORDS) == list(self._keywords)

    # ---- keywords ----

    def learn_keywords(self, keywords: tuple[str, ...]) -> str:
        """Use these keywords from now on. Returns a message; raises `InputError` if the model has no keywords."""
        if keywords == self._keywords:
            return "in use"
        if self._made_from is None:
            problem = "the model of this crawl was not made from keywords"
            raise InputError("keywords", problem, "start a new crawl with other ones")
        self._keywords = keywords
        self._open_lesson(OpenLesson.LINKS)
        return f"keywords are {', '.join(keywords)} now; all pages are rescored with them"

    # ---- labels ----

    def label(self, url: str, answer: str, by: str, now: float) -> str:
        """Set or remove the label of a page. Returns a message; raises `InputError` if there is no such page."""
        if answer == FORGET:
            if url != ALL_LABELS and url not in self.labels:
                raise InputError("label", f"{url} has no label")
            forgotten = list(self.labels) if url == ALL_LABELS else [url]
            for one in forgotten:
                del self.labels[one]
        else:
            number = self._frontier.urls.find(url)
            if number is None or self._frontier.urls.state(number) is not State.DONE:
                raise InputError("label", f"{url} is not a page of this crawl", "label pages that were fetched")
            forgotten = []
            self.labels[url] = Label(url, answer == YES, by, now)
        self._is_changed = True
        for one in forgotten or [url]:
            self._recorder.event(now, "label", self._frontier.urls.find(one), answer=answer, by=by)
        self._open_lesson(OpenLesson.PAGES)
        count = len(self.labels)
        return f"{count:,} {'page has a label' if count == 1 else 'pages have labels'}; the model learns from them now"

    def _open_lesson(self, what: OpenLesson) -> None:
        self._has_uncommitted = True
        if not self._is_elsewhere:
            self._recorder.lesson_open = max(self._recorder.lesson_open, what)

    def committed(self) -> None:
        """Write new labels to their file, and start to learn. Called after every commit."""
        if self._has_uncommitted:
            self.safe = LessonMaterial(dict(self.labels), self._keywords)
            self._is_due |= not self._is_elsewhere
        self._has_uncommitted = False
        if self._is_changed:
            try:
                write_labels(self._folder, self.labels)
            except OSError as error:  # not fatal: the database has them
                _log.warning("%s", unwritable(self._folder, error))
            self._is_changed = False

    def _recorded(self) -> dict[str, Label]:
        """The labels in their file, and those that were not written because of a crash."""
        labels, url = read_labels(self._folder), self._frontier.urls.url
        rows = self._recorder.query("SELECT url, time, detail FROM events WHERE kind = 'label' ORDER BY id")
        for number, when, text in rows:
            detail = parse_detail(text)
            if detail.get("answer") == FORGET:
                labels.pop(url(number), None)
            else:
                labels[url(number)] = Label(url(number), detail.get("answer") == YES, str(detail.get("by")), when)
        return labels

    # ---- models that are fitted elsewhere ----

    def _followed(self) -> int:
        sql = "SELECT detail FROM events WHERE kind IN ('taught', 'model') ORDER BY id DESC LIMIT 1"
        for (text,) in self._recorder.query(sql):
            version = parse_detail(text).get("version")
            return version if isinstance(version, int) else 0
        return 0

    def follow(self, model: Relevance, lesson: FittedElsewhere) -> None:
        """Use a model that was fitted elsewhere. Stored pages are judged again if necessary.

        The next commit records that it is in use, and what is left to be judged.
        """
        if lesson.sampling is None:
            self._schedule.teach(model)
        else:
            self._schedule.follow(model, sampling=lesson.sampling)
        self.rescoring.stop()
        self._readers.adopt(self._schedule.config)
        recorder = self._recorder
        if lesson.version > self.version:
            if self.version < lesson.judged_since:
                what = OpenLesson.LINKS if self.version < lesson.links_since else OpenLesson.PAGES
                recorder.lesson_open = max(recorder.lesson_open, what)
            kind = "taught" if lesson.sampling is None else "model"
            recorder.event(self._now(), kind, None, **lesson.detail, version=lesson.version)
            self.version = lesson.version
        self._is_due = recorder.lesson_open > OpenLesson.NOTHING

    # ---- steps ----

    @property
    def is_busy(self) -> bool:
        """Whether `step` has something to do immediately."""
        return self.rescoring.is_busy

    @property
    def awaits_commit(self) -> bool:
        """Whether `step` has something to do after the next commit."""
        return self.rescoring.awaits_commit

    def step(self) -> None:
        """Do a little work: start to learn, or update the priorities of some waiting URLs."""
        if self._task is not None and self._task.done():
            self._task = None
        if self._is_due and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._learn())
        self.rescoring.step()

    async def close(self) -> None:
        """Cancel the work in progress; the next run restarts it."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await self._process.close()

    # ---- learning ----

    async def _learn(self) -> None:
        """One lesson: fit, adopt, judge again. An error ends this lesson, but not the crawl."""
        self._is_due = False
        try:
            await self._lesson()
        except (HoneyguideError, OSError, ValueError) as error:
            _log.warning("the model cannot learn: %s", one_line(error))
            self._recorder.event(self._now(), "lesson failed", None, problem=one_line(error))

    async def _lesson(self) -> None:
        began = self._now()
        if self._is_elsewhere:
            await self._judge_all(began)
            return
        if not self._has_learnt:
            self._record_taught(began, relevant=0, others=0, threshold=self._first.model.threshold)
            await self._go_back(began)
            return
        fitted = await self._process.fit(self._keywords)
        if fitted["model"] is None:
            self._record_taught(began, **fitted, problem="too few labels of one kind")
            if self._is_taught:
                await self._go_back(began)
            else:
                self._recorder.lesson_open = OpenLesson.NOTHING
            return
        self._adopt(await asyncio.to_thread(saved.load, Path(fitted["model"])))
        self._record_taught(began, **fitted)
        measuring = asyncio.create_task(self._process.quality())
        try:
            await self._judge_all(began)
            if not self._is_due and (quality := await measuring):
                self._recorder.event(self._now(), "model quality", None, **quality)
        finally:
            measuring.cancel()
            with suppress(asyncio.CancelledError, HoneyguideError):
                await measuring

    async def _go_back(self, began: float) -> None:
        """Return to the initial model of the crawl."""
        shutil.rmtree(self._folder / saved.TAUGHT, ignore_errors=True)
        self._adopt(self._first.model)
        self._is_taught = False
        await self._judge_all(began)

    def _record_taught(self, began: float, **detail: object) -> None:
        words = {} if self._made_from is None else {"keywords": list(self._keywords)}
        seconds = round(self._now() - began, 2)
        self._recorder.event(self._now(), "taught", None, **words, **detail, seconds=seconds)

    def _adopt(self, model: Relevance) -> None:
        self._is_taught = True
        self.rescoring.stop()
        self._schedule.teach(model)
        self._readers.adopt(self._schedule.config)

    async def _judge_all(self, began: float) -> None:
        """Judge all stored pages again: first those that matter most for the next URLs, then the newest."""
        changes, done = FlippedPages(), set[int]()
        with ThreadPoolExecutor(1) as thread:
            loop = asyncio.get_running_loop()
            documents = await loop.run_in_executor(thread, StoredDocuments, self._folder)
            try:
                for numbers in _chunks(self._labelled()):
                    await self._judge(await loop.run_in_executor(thread, documents.some, numbers), changes, done)
                self.rescoring.restart()  # a first update of waiting URLs; another follows when all pages are judged
                for numbers in _chunks([number for number in self._most_useful() if number not in done]):
                    await self._judge(await loop.run_in_executor(thread, documents.some, numbers), changes, done)
                self.rescoring.start()
                before = None
                while not self._is_due:
                    chunk = await loop.run_in_executor(thread, documents.newest, before, _CONCURRENT)
                    if not chunk:
                        break
                    before = chunk[-1].seq
                    await self._judge([one for one in chunk if one.number not in done], changes, done)
                    if changes.pages // _RESCORE_AFTER != (changes.pages - len(chunk)) // _RESCORE_AFTER:
                        self.rescoring.start()
            finally:
                await loop.run_in_executor(thread, documents.close)
        self.rescoring.restart()
        if not (self._is_due or self._has_uncommitted):
            self._recorder.lesson_open = OpenLesson.NOTHING
        seconds = round(self._now() - began, 2)
        self._recorder.event(self._now(), "judged again", None, **changes.detail(), seconds=seconds)

    def _labelled(self) -> list[int]:
        """The labelled pages."""
        return [number for url in self.labels if (number := self._frontier.urls.find(url)) is not None]

    def _most_useful(self) -> list[int]:
        """The pages on which the most promising waiting URLs were found."""
        urls = self._frontier.urls
        numbers = np.arange(max(len(urls) - _NEWEST, 0), len(urls))
        waiting = numbers[urls.states(numbers) == int(State.WAITING)]
        promises = urls.priorities(waiting)
        best = waiting[np.argpartition(-promises, _BEST)[:_BEST]] if len(waiting) > _BEST else waiting
        parents = [number for number in urls.parents(best).tolist() if number != NO_PARENT]
        return list(dict.fromkeys(parents))

    async def _judge(self, documents: Iterable[StoredDocument], changes: FlippedPages, done: set[int]) -> None:
        """Read some stored pages with the current model, and revise what was learnt from them."""
        chosen = list(documents)
        readings = await asyncio.gather(*(self._read(one) for one in chosen))
        for one, reading in zip(chosen, readings, strict=True):
            if reading is None:
                continue
            label = self.labels.get(self._frontier.urls.url(one.number))
            judged = reading if label is None else corrected(reading, label.relevant)
            before = self._recorder.judged_again(one.number, judged)
            changes.add(one.document.url, before=before, after=judged.relevant)
            links = self._recorder.lesson_open is OpenLesson.LINKS
            with self.revising(one.number, judged, links):
                self._queue.revise(self._frontier, one.number, judged, links=links)
            done.add(one.number)

    async def _read(self, one: StoredDocument) -> Reading | None:
        try:
            return await self._readers.read(one.document)
        except ReadError:  # it could be read before: it keeps its old judgement
            return None


def _chunks(numbers: list[int]) -> Iterable[list[int]]:
    return (numbers[first : first + _CONCURRENT] for first in range(0, len(numbers), _CONCURRENT))


def made_from(model: Path) -> tuple[str, ...] | None:
    """The keywords that the saved model of a crawl was made from; None if it was made from something else."""
    try:
        found = saved.read_about(model).get(saved.KEYWORDS)
    except InputError:
        return None
    return tuple(map(str, found)) if isinstance(found, list) else None
